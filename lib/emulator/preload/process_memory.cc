#include "lib/emulator/preload/process_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {
constexpr char kNoPeerProvider[] = "none";
}

LocatedMemory ProcessMemory::InGpu(const GpuRegistry::Memory& memory, uint64_t offset,
                                   uint64_t length, RegistrationWay way) const {
  LocatedMemory located;
  located.way = way;
  located.keep = memory.bytes;
  const EmulatedGpu& gpu = machine_.gpus[static_cast<size_t>(memory.gpu)];
  located.segments.push_back(
      {memory.bytes.get() + offset, length, MemoryPlace::Gpu(gpu.address), memory.file, offset});
  return located;
}

tl::expected<LocatedMemory, int> ProcessMemory::Locate(uint64_t address, uint64_t length) {
  if (const auto memory = gpus_.FindTouched(address, length)) {
    const bool inside = address >= memory->device_pointer &&
                        address + length <= memory->device_pointer + memory->length;
    if (!inside || machine_.p2p_provider == kNoPeerProvider) return tl::unexpected(EFAULT);
    return InGpu(*memory, address - memory->device_pointer, length, RegistrationWay::kPeerMemory);
  }
  const Here here = here_();
  LocatedMemory located;
  auto* at = reinterpret_cast<std::byte*>(address);
  for (const auto& run : numa_.RunsOf(address, length, here.node, here.policy)) {
    located.segments.push_back({at, run.length, MemoryPlace::NumaNode(run.node)});
    at += run.length;
  }
  return located;
}

tl::expected<LocatedMemory, int> ProcessMemory::LocateDmabuf(int fd, uint64_t offset,
                                                             uint64_t length) {
  struct stat file = {};
  if (RawSyscall(SYS_fstat, fd, &file) != 0) return tl::unexpected(EBADF);
  const auto memory = gpus_.FindFile(file.st_dev, file.st_ino);
  if (!memory) return tl::unexpected(EINVAL);
  const int64_t position = RawSyscall(SYS_lseek, fd, 0, SEEK_CUR);
  if (position < 0) return tl::unexpected(EINVAL);
  const uint64_t start = static_cast<uint64_t>(position) + offset;
  if (start < offset || start > memory->length || length > memory->length - start) {
    return tl::unexpected(EINVAL);
  }
  return InGpu(*memory, start, length, RegistrationWay::kDmabuf);
}

}  // namespace railgauge
