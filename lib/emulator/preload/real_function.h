// RealFunction: the function that an interposed one hides, the next of that name in load order.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_REAL_FUNCTION_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_REAL_FUNCTION_H_

#include <dlfcn.h>

#include <atomic>

namespace railgauge {

// Constant-initialised: wrappers are called before constructors run.
template <typename F>
class RealFunction {
 public:
  explicit constexpr RealFunction(const char* name) : name_(name) {}

  F* Get() {
    F* function = function_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      function = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name_));
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  const char* const name_;
  std::atomic<F*> function_{nullptr};
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_REAL_FUNCTION_H_
