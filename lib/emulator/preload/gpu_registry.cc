#include "lib/emulator/preload/gpu_registry.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <iterator>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {
constexpr uint64_t kPageMask = 4095;
}

int GpuRegistry::Register(const RailgaugeGpuAllocation& allocation) {
  const uint64_t begin = allocation.device_pointer, length = allocation.length;
  if (begin == 0 || length == 0 || ((begin | length) & kPageMask) != 0 || begin + length < begin) {
    return EINVAL;
  }
  struct stat file = {};
  if (const int64_t status = RawSyscall(SYS_fstat, allocation.memfd, &file); status != 0) {
    return static_cast<int>(-status);
  }
  if (static_cast<uint64_t>(file.st_size) < length) return EINVAL;
  if (FindTouched(begin, length)) return EEXIST;
  const int64_t address = RawSyscall(SYS_mmap, nullptr, length, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_NORESERVE, allocation.memfd, 0);
  if (address < 0 && address > -4096) return static_cast<int>(-address);
  const int64_t own_file = RawSyscall(SYS_fcntl, allocation.memfd, F_DUPFD_CLOEXEC, 0);
  if (own_file < 0) {
    RawSyscall(SYS_munmap, address, length);
    return static_cast<int>(-own_file);
  }
  Memory memory;
  memory.device_pointer = begin;
  memory.length = length;
  memory.gpu = allocation.gpu;
  memory.bytes = std::shared_ptr<std::byte>(reinterpret_cast<std::byte*>(address),
                                            [length, own_file](std::byte* bytes) {
                                              RawSyscall(SYS_munmap, bytes, length);
                                              RawSyscall(SYS_close, own_file);
                                            });
  memory.file = static_cast<int>(own_file);
  const std::lock_guard lock(mutex_);
  by_file_[{file.st_dev, file.st_ino}] = begin;
  by_pointer_[begin] = std::move(memory);
  return 0;
}

int GpuRegistry::Unregister(uint64_t device_pointer) {
  const std::lock_guard lock(mutex_);
  if (by_pointer_.erase(device_pointer) == 0) return ENOENT;
  std::erase_if(by_file_, [&](const auto& entry) { return entry.second == device_pointer; });
  return 0;
}

std::optional<GpuRegistry::Memory> GpuRegistry::FindTouched(uint64_t address,
                                                            uint64_t length) const {
  const std::lock_guard lock(mutex_);
  auto it = by_pointer_.lower_bound(address + length);
  if (it == by_pointer_.begin()) return std::nullopt;
  const Memory& memory = std::prev(it)->second;
  if (memory.device_pointer + memory.length <= address) return std::nullopt;
  return memory;
}

std::optional<GpuRegistry::Memory> GpuRegistry::FindFile(uint64_t device, uint64_t inode) const {
  const std::lock_guard lock(mutex_);
  const auto it = by_file_.find({device, inode});
  if (it == by_file_.end()) return std::nullopt;
  return by_pointer_.at(it->second);
}

}  // namespace railgauge
