// UverbsHost: all emulated EFA functions of a process, and its open files on them.
//
// What remains of a kernel here: open, ioctl, close by descriptor, and the doorbell pages. No
// interposition: the preload library calls this with what it caught, tests call it directly.
// Thread-safe.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_HOST_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_HOST_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "lib/base/result.h"
#include "lib/emulator/uverbs/hardware.h"
#include "lib/emulator/uverbs/memory_locator.h"
#include "lib/emulator/uverbs/uverbs_device.h"
#include "lib/emulator/uverbs/uverbs_file.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

class UverbsHost {
 public:
  // `machine` and `locator` outlive the host; `hardware` is of that machine.
  static Result<std::unique_ptr<UverbsHost>> Create(const EmulatedMachine& machine,
                                                    MemoryLocator* locator,
                                                    std::unique_ptr<Hardware> hardware);
  ~UverbsHost();

  size_t num_devices() const { return devices_.size(); }

  // open(2) of the uverbs node of the machine's NIC number `index`: a descriptor or a negative
  // errno value. The descriptor can be given to mmap(2) with the keys that ioctl answers.
  int Open(size_t index, bool close_on_exec);

  // Whether `fd` was opened here. Lock-free: asked for every close(2) of the process.
  bool IsOpen(int fd) const;
  // The device number that an open `fd` is of; 0 when it is none.
  size_t IndexOf(int fd);
  int Ioctl(int fd, unsigned long request, void* argument);
  // Forgets `fd`, which the caller closes after. Also for descriptors of event channels; does
  // nothing for any other.
  void Close(int fd);

  // Whether a page at that offset of the arena is a doorbell page.
  bool IsDoorbellPage(uint64_t offset) const;
  // A 32-bit store to the doorbell page at `offset`, as it came from the CPU.
  void StoreDoorbell(uint64_t offset, uint32_t value);

  const UverbsDevice& device(size_t index) const { return *devices_[index]; }

 private:
  static constexpr int kMaxFd = 1 << 16;

  UverbsHost() = default;
  // The device went from the bus, as ib_uverbs is told of it.
  void OnRemoved(size_t index);
  std::shared_ptr<UverbsFile> FileOf(int fd);

  std::unique_ptr<Hardware> hardware_;
  std::vector<std::unique_ptr<UverbsDevice>> devices_;
  std::mutex files_mutex_;
  std::map<int, std::shared_ptr<UverbsFile>> files_;
  std::vector<std::atomic<bool>> is_open_ = std::vector<std::atomic<bool>>(kMaxFd);
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_HOST_H_
