// UverbsHost: all emulated EFA functions of a process, and its open files on them.
//
// What remains of a kernel here: open, ioctl, close by descriptor, and the doorbell pages. No
// interposition: the preload library calls this with what it caught, tests call it directly.
// Thread-safe.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_HOST_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_HOST_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "lib/base/result.h"
#include "lib/emulator/device/device.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/uverbs/arena.h"
#include "lib/emulator/uverbs/memory_locator.h"
#include "lib/emulator/uverbs/uverbs_device.h"
#include "lib/emulator/uverbs/uverbs_file.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

class UverbsHost {
 public:
  // `machine` and `locator` outlive the host. `environment.completion_event` is the host's own and
  // replaced.
  static Result<std::unique_ptr<UverbsHost>> Create(const EmulatedMachine& machine,
                                                    MemoryLocator* locator,
                                                    efa::Fabric::Environment environment);
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

  efa::Fabric& fabric() { return *fabric_; }
  const UverbsDevice& device(size_t index) const { return *devices_[index]; }

 private:
  static constexpr int kMaxFd = 1 << 16;

  UverbsHost() = default;
  void CompletionEvent(const PciAddress& nic, uint16_t cq);
  // The device went from the bus, as ib_uverbs is told of it.
  void OnRemoved(const PciAddress& nic);
  std::shared_ptr<UverbsFile> FileOf(int fd);

  std::unique_ptr<Arena> arena_;
  efa::DmaSpace dma_space_;
  std::vector<std::unique_ptr<UverbsDevice>> devices_;
  uint64_t doorbells_begin_ = 0, doorbells_end_ = 0;
  std::map<PciAddress, UverbsDevice*> by_address_;
  std::unique_ptr<efa::Fabric> fabric_;
  std::mutex files_mutex_;
  std::map<int, std::shared_ptr<UverbsFile>> files_;
  std::vector<std::atomic<bool>> is_open_ = std::vector<std::atomic<bool>>(kMaxFd);
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_UVERBS_HOST_H_
