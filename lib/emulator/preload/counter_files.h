// CounterFiles: keeps the hw_counters files of the emulated /sys as the devices' counters are.
//
// A kernel answers such a file when it is read; here the file is plain and written after what
// moves. Several processes of one emulated machine add to the same file, each what happened through
// it.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_COUNTER_FILES_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_COUNTER_FILES_H_

#include <mutex>
#include <string>
#include <vector>

#include "lib/base/unique_fd.h"
#include "lib/emulator/device/device.h"

namespace railgauge {

// Thread-safe.
class CounterFiles {
 public:
  // `infiniband_folder`: /sys/class/infiniband, absolute, or relative to the folder that is open as
  // `base`, which may be of another mount namespace.
  explicit CounterFiles(std::string infiniband_folder, UniqueFd base = UniqueFd())
      : folder_(std::move(infiniband_folder)), base_(std::move(base)) {}

  void AddDevice(const std::string& name, const efa::Device* device);

  // Adds to the files what moved since the last call.
  void Publish();

 private:
  struct Watched {
    std::string folder;
    const efa::Device* device = nullptr;
    efa::DeviceStats published;
  };
  void PublishDevice(Watched& watched);

  const std::string folder_;
  const UniqueFd base_;
  std::mutex mutex_;
  std::vector<Watched> devices_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_COUNTER_FILES_H_
