// What the interposed functions have in common.
//
// They take the place of libc's in every program of the emulated machine: where a call does not
// concern the emulated hardware they do what libc's would, by a raw system call, without touching
// anything else. They are called before constructors run and from any thread.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_INTERPOSE_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_INTERPOSE_H_

#include <cerrno>
#include <cstdint>

// Also to be named in preload.lds.
#define RAILGAUGE_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace railgauge {

// libc's form of a raw answer: -1 and errno.
inline int64_t LibcResult(int64_t raw) {
  if (raw >= 0 || raw < -4095) return raw;
  errno = static_cast<int>(-raw);
  return -1;
}
inline int LibcInt(int64_t raw) { return static_cast<int>(LibcResult(raw)); }

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_INTERPOSE_H_
