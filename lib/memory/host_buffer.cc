#include "lib/memory/host_buffer.h"

#include <errno.h>
#include <fmt/core.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <utility>

#include "lib/base/file.h"
#include "lib/memory/huge_share.h"
#include "lib/memory/page_nodes.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace railgauge {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr int kHugePageFlags = MAP_HUGETLB | (21 << 26);  // 2^21 bytes: MAP_HUGE_2MB

size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// mbind through syscall(2): libnuma would be one more library for one call.

// Binds [data, data + length) to `node` alone. 0 or an errno.
int BindToNode(std::byte* data, size_t length, uint32_t node) {
  constexpr size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, 1024 / kBits> mask{};
  if (node >= 1024) return EINVAL;
  mask[node / kBits] = 1ul << (node % kBits);
  // The kernel counts one bit less than it is told.
  const long rc = syscall(SYS_mbind, data, length, MPOL_BIND, mask.data(), 1024ul + 1, 0u);
  return rc == 0 ? 0 : errno;
}

// Makes every page present. 0 or an errno.
int Populate(std::byte* data, size_t length, HostBuffer::Pages pages) {
  if (madvise(data, length, MADV_POPULATE_WRITE) == 0) return 0;
  // Before Linux 5.14. Touching is as good, but an empty pool of huge pages would then be SIGBUS.
  if (errno != EINVAL || pages == HostBuffer::Pages::kHugeTlb) return errno;
  for (size_t i = 0; i < length; i += kPage)
    *reinterpret_cast<volatile std::byte*>(data + i) = std::byte{0};
  return 0;
}

std::string BindAdvice(int error_number, uint32_t node) {
  switch (error_number) {
    case EINVAL:
      return fmt::format(
          "The kernel has no memory on node {} or the cpuset does not allow it: see "
          "/sys/devices/system/node/has_memory and Mems_allowed in /proc/self/status",
          node);
    case EPERM:
    case ENOSYS:
      return "A container's seccomp profile may forbid mbind: run it with --cap-add=SYS_NICE";
    default:
      return "";
  }
}

std::string HugePageAdvice(uint32_t node, size_t length) {
  return fmt::format(
      "Reserve huge pages: echo {} > "
      "/sys/devices/system/node/node{}/hugepages/hugepages-2048kB/nr_hugepages",
      length / kHugePage, node);
}

// An anonymous mapping of `length` bytes; aligned to huge pages where those are wanted.
Result<std::byte*> Map(size_t length, HostBuffer::Pages pages, uint32_t node) {
  const bool huge_tlb = pages == HostBuffer::Pages::kHugeTlb;
  const size_t slack = pages == HostBuffer::Pages::kTransparent ? kHugePage : 0;
  void* mapping = mmap(nullptr, length + slack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | (huge_tlb ? kHugePageFlags : 0), /*fd=*/-1, 0);
  if (mapping == MAP_FAILED) {
    return Fail(ErrnoError(errno, fmt::format("mmap of {} bytes", length),
                           fmt::format("numa{}", node),
                           huge_tlb ? HugePageAdvice(node, length) : "Ask for a smaller buffer"));
  }
  auto* first = static_cast<std::byte*>(mapping);
  if (slack == 0) return first;
  auto* aligned = first + (RoundUp(reinterpret_cast<uintptr_t>(first), kHugePage) -
                           reinterpret_cast<uintptr_t>(first));
  if (aligned != first) munmap(first, static_cast<size_t>(aligned - first));
  munmap(aligned + length, static_cast<size_t>(first + slack - aligned));
  madvise(aligned, length, MADV_HUGEPAGE);  // a wish: kernels without them say EINVAL
  return aligned;
}

}  // namespace

Result<std::unique_ptr<HostBuffer>> HostBuffer::Create(uint32_t node, Bytes length, Pages pages) {
  if (pages != Pages::kLargest) return CreateOf(node, length, pages);
  // What is wrong with the pool does not matter: without it there are transparent ones, and what
  // else is wrong they tell.
  if (auto reserved = CreateOf(node, length, Pages::kHugeTlb)) return reserved;
  return CreateOf(node, length, Pages::kTransparent);
}

Result<std::unique_ptr<HostBuffer>> HostBuffer::CreateOf(uint32_t node, Bytes length, Pages pages) {
  RAILGAUGE_CHECK(length.count > 0);
  const std::string object = fmt::format("numa{}", node);
  const size_t mapped = RoundUp(length.count, pages == Pages::kDefault ? kPage : kHugePage);
  RAILGAUGE_ASSIGN_OR_RETURN(std::byte * data, Map(mapped, pages, node));
  // From here on the buffer owns the mapping.
  std::unique_ptr<HostBuffer> buffer(new HostBuffer(node, data, length, mapped, pages));
  if (const int error = BindToNode(data, mapped, node)) {
    // A kernel without NUMA has one node, and everything lies on it.
    if (error != ENOSYS || node != 0)
      return Fail(ErrnoError(error, "mbind", object, BindAdvice(error, node)));
    buffer->unverified_reason_ = "mbind: ENOSYS";
  }
  if (const int error = Populate(data, mapped, pages)) {
    return Fail(ErrnoError(error, fmt::format("populate {} bytes", mapped), object,
                           pages == Pages::kHugeTlb
                               ? HugePageAdvice(node, mapped)
                               : "Free memory on the node or ask for a smaller buffer"));
  }
  if (buffer->verified()) RAILGAUGE_RETURN_IF_ERROR(buffer->VerifyPlace());
  return buffer;
}

Status HostBuffer::VerifyPlace() {
  const uint32_t node = place().numa_node;
  // Of a transparent huge page every small one is asked for: it may have been split.
  const PageNodes nodes =
      FindPageNodes(data_, mapped_length_, pages_ == Pages::kHugeTlb ? kHugePage : kPage);
  unverified_reason_ = nodes.WhyNotAllOn(node);
  if (nodes.Elsewhere(node) == 0) return {};
  return Fail(MakeError("verify the place of host memory", place().ToString(), unverified_reason_,
                        "Free memory on the node, or stop what migrates pages (numad)"));
}

std::optional<double> HostBuffer::HugeShare() const {
  const auto smaps = ReadFile("/proc/self/smaps");
  if (!smaps) return std::nullopt;
  return HugeShareOf(*smaps, address(), address() + length());
}

std::string_view ToString(HostBuffer::Pages pages) {
  switch (pages) {
    case HostBuffer::Pages::kDefault:
      return "default";
    case HostBuffer::Pages::kTransparent:
      return "transparent";
    case HostBuffer::Pages::kHugeTlb:
      return "huge_tlb";
    case HostBuffer::Pages::kLargest:
      return "largest";
  }
  return "";
}

HostBuffer::~HostBuffer() { munmap(data_, mapped_length_); }

Result<Buffer::Dmabuf> HostBuffer::dmabuf() const {
  return Fail(MakeError("dma-buf export", place().ToString(), "host memory has no dma-buf"));
}

Status HostBuffer::CopyIn(uint64_t offset, std::span<const std::byte> data) {
  CheckRange(offset, data.size());
  std::memcpy(data_ + offset, data.data(), data.size());
  return {};
}

Status HostBuffer::CopyOut(uint64_t offset, std::span<std::byte> data) const {
  CheckRange(offset, data.size());
  std::memcpy(data.data(), data_ + offset, data.size());
  return {};
}

}  // namespace railgauge
