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

// mbind and move_pages through syscall(2): libnuma would be one more library for two calls.

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

// The node of every page, asked back. An Error only for a page on a wrong node; what prevents the
// asking goes to `unverified_reason`.
Status VerifyNode(std::byte* data, size_t length, size_t page, uint32_t node,
                  std::string* unverified_reason) {
  std::array<void*, 512> pages;
  std::array<int, 512> nodes;
  for (size_t begin = 0; begin < length; begin += pages.size() * page) {
    const size_t count = std::min(pages.size(), (length - begin + page - 1) / page);
    for (size_t i = 0; i < count; ++i) pages[i] = data + begin + i * page;
    if (syscall(SYS_move_pages, 0, count, pages.data(), nullptr, nodes.data(), 0) < 0) {
      *unverified_reason = "move_pages: " + ErrnoName(errno);
      return {};
    }
    for (size_t i = 0; i < count; ++i) {
      if (nodes[i] < 0) {
        *unverified_reason = "move_pages of a page: " + ErrnoName(-nodes[i]);
        return {};
      }
      if (static_cast<uint32_t>(nodes[i]) != node) {
        return Fail(MakeError("allocate host memory", fmt::format("numa{}", node),
                              fmt::format("a page lies on NUMA node {}", nodes[i]),
                              "Free memory on the node, or stop what migrates pages (numad)"));
      }
    }
  }
  return {};
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
  RAILGAUGE_CHECK(length.count > 0);
  const std::string object = fmt::format("numa{}", node);
  const size_t mapped = RoundUp(length.count, pages == Pages::kDefault ? kPage : kHugePage);
  RAILGAUGE_ASSIGN_OR_RETURN(std::byte * data, Map(mapped, pages, node));
  // From here on the buffer owns the mapping.
  std::unique_ptr<HostBuffer> buffer(new HostBuffer(node, data, length, mapped));
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
  if (buffer->verified()) {
    RAILGAUGE_RETURN_IF_ERROR(VerifyNode(data, mapped, pages == Pages::kHugeTlb ? kHugePage : kPage,
                                         node, &buffer->unverified_reason_));
  }
  return buffer;
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
