#include "lib/emulator/cuda/gpu_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <utility>

namespace railgauge {
namespace {

// An address range without access, aligned to kBlock. Null on failure.
void* Reserve(uint64_t length) {
  const uint64_t slack = GpuMemory::kBlock;
  void* range = mmap(nullptr, length + slack, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (range == MAP_FAILED) return nullptr;
  auto* first = static_cast<std::byte*>(range);
  const uint64_t skip = (slack - reinterpret_cast<uint64_t>(first) % slack) % slack;
  if (skip != 0) munmap(first, skip);
  if (skip != slack) munmap(first + skip + length, slack - skip);
  return first + skip;
}

}  // namespace

GpuMemory::Allocation::~Allocation() {
  if (bytes_ != nullptr) munmap(bytes_, length_);
  if (reserved_ != nullptr) munmap(reserved_, length_);
}

int GpuMemory::Allocation::ExportDmabuf(uint64_t offset) const {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/fd/%d", memfd_.get());
  // Not by open(): this process's open is the preload library's, which has no part in this.
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  if (lseek(static_cast<int>(fd), static_cast<off_t>(offset), SEEK_SET) < 0) {
    close(static_cast<int>(fd));
    return -1;
  }
  return static_cast<int>(fd);
}

GpuMemory::GpuMemory(std::vector<uint64_t> capacities) : free_bytes_(std::move(capacities)) {}

std::shared_ptr<const GpuMemory::Allocation> GpuMemory::Allocate(int gpu, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  uint64_t& free_bytes = free_bytes_[static_cast<size_t>(gpu)];
  if (bytes > free_bytes) return nullptr;  // before rounding, which could overflow
  const uint64_t length = (bytes + kBlock - 1) / kBlock * kBlock;
  if (length > free_bytes) return nullptr;

  std::shared_ptr<Allocation> allocation(new Allocation());
  allocation->gpu_ = gpu;
  allocation->length_ = length;
  allocation->memfd_ = UniqueFd(memfd_create("railgauge-gpu-memory", MFD_CLOEXEC));
  if (!allocation->memfd_.valid()) return nullptr;
  if (ftruncate(allocation->memfd(), static_cast<off_t>(length)) != 0) return nullptr;
  allocation->reserved_ = Reserve(length);
  if (allocation->reserved_ == nullptr) return nullptr;
  void* bytes_view =
      mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, allocation->memfd(), 0);
  if (bytes_view == MAP_FAILED) return nullptr;
  allocation->bytes_ = static_cast<std::byte*>(bytes_view);

  free_bytes -= length;
  allocations_.emplace(allocation->device_pointer(), allocation);
  return allocation;
}

bool GpuMemory::Free(uint64_t device_pointer) {
  std::lock_guard lock(mutex_);
  const auto it = allocations_.find(device_pointer);
  if (it == allocations_.end()) return false;
  free_bytes_[static_cast<size_t>(it->second->gpu())] += it->second->length();
  allocations_.erase(it);
  return true;
}

std::shared_ptr<const GpuMemory::Allocation> GpuMemory::Find(uint64_t pointer,
                                                             uint64_t bytes) const {
  std::lock_guard lock(mutex_);
  auto it = allocations_.upper_bound(pointer);
  if (it == allocations_.begin()) return nullptr;
  const auto& allocation = std::prev(it)->second;
  const uint64_t offset = pointer - allocation->device_pointer();
  if (offset >= allocation->length() || bytes > allocation->length() - offset) return nullptr;
  return allocation;
}

}  // namespace railgauge
