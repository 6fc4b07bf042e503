#include "lib/verbs/memory_region.h"

#include <sys/resource.h>

#include <cerrno>
#include <utility>

#include "fmt/core.h"
#include "lib/verbs/access.h"

namespace railgauge {
namespace {

std::string MemlockLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  if (limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return fmt::format("{} KiB", limit.rlim_cur / 1024);
}

std::string AdviceFor(int error, size_t length, int access, bool dmabuf) {
  switch (error) {
    case EPERM:  // a memlock limit of 0: locking is not allowed at all
    case ENOMEM:
      return fmt::format(
          "Registered memory is locked: raise the memlock limit (`ulimit -l`, now {}; this region "
          "has {} KiB), or free memory",
          MemlockLimit(), length / 1024);
    case EOPNOTSUPP:
      return dmabuf ? "The kernel or the driver has no dma-buf registration (Linux 5.16, efa 1.16)"
                    : fmt::format("The device does not support this access ({})",
                                  AccessFlagsToString(access));
    case EFAULT:
      return "The kernel cannot pin these pages; GPU memory needs a peer-to-peer provider "
             "(`cat /sys/class/infiniband/*/device/p2p`) or dma-buf";
    case EBADF:
      return "This file descriptor is no dma-buf";
    default:
      return "";
  }
}

}  // namespace

Result<MemoryRegion> MemoryRegion::Register(const ProtectionDomain& domain, void* address,
                                            size_t length, int access) {
  MemoryRegion region;
  region.mr_.reset(ibv_reg_mr(domain.handle(), address, length, static_cast<unsigned>(access)));
  if (region.mr_ == nullptr) {
    const int error = errno;
    return Fail(
        ErrnoError(error, "ibv_reg_mr", domain.device(), AdviceFor(error, length, access, false)));
  }
  region.address_ = reinterpret_cast<uintptr_t>(address);
  region.length_ = length;
  region.device_ = domain.device();
  return region;
}

Result<MemoryRegion> MemoryRegion::RegisterDmabuf(const ProtectionDomain& domain, int fd,
                                                  uint64_t offset, size_t length, uint64_t iova,
                                                  int access) {
  MemoryRegion region;
  region.mr_.reset(ibv_reg_dmabuf_mr(domain.handle(), offset, length, iova, fd, access));
  if (region.mr_ == nullptr) {
    const int error = errno;
    return Fail(ErrnoError(error, "ibv_reg_dmabuf_mr", domain.device(),
                           AdviceFor(error, length, access, true)));
  }
  region.address_ = iova;
  region.length_ = length;
  region.device_ = domain.device();
  return region;
}

#ifndef RAILGAUGE_RDMA_CORE_LACKS_EFADV_QUERY_MR
InterconnectIds ValidIds(const efadv_mr_attr& attr) {
  InterconnectIds ids;
  if ((attr.ic_id_validity & EFADV_MR_ATTR_VALIDITY_RECV_IC_ID) != 0) ids.recv = attr.recv_ic_id;
  if ((attr.ic_id_validity & EFADV_MR_ATTR_VALIDITY_RDMA_READ_IC_ID) != 0) {
    ids.rdma_read = attr.rdma_read_ic_id;
  }
  if ((attr.ic_id_validity & EFADV_MR_ATTR_VALIDITY_RDMA_RECV_IC_ID) != 0) {
    ids.rdma_recv = attr.rdma_recv_ic_id;
  }
  return ids;
}
#endif

bool MeansCannotTell(int error_number) {
  // EOPNOTSUPP: no EFA device, or the library says so. ENOTTY, EPROTONOSUPPORT: a kernel without
  // the ioctl or without this method of it (efa before 2.8, Linux before 6.8).
  return error_number == EOPNOTSUPP || error_number == ENOTTY || error_number == EPROTONOSUPPORT;
}

#ifdef RAILGAUGE_RDMA_CORE_LACKS_EFADV_QUERY_MR

Result<IdAnswer> MemoryRegion::QueryIds() const {
  IdAnswer answer;
  answer.reason = "this build's rdma-core is older than 50 and has no efadv_query_mr";
  return answer;
}

#else

Result<IdAnswer> MemoryRegion::QueryIds() const {
  efadv_mr_attr attr = {};
  const int error = efadv_query_mr(mr_.get(), &attr, sizeof(attr));
  IdAnswer answer;
  if (error == 0) {
    answer.can_tell = true;
    answer.ids = ValidIds(attr);
    return answer;
  }
  Error problem =
      ErrnoError(error, "efadv_query_mr", device_,
                 MeansCannotTell(error) ? "Ids need Linux 6.8 or the efa driver 2.8.0" : "");
  if (!MeansCannotTell(error)) return Fail(std::move(problem));
  answer.reason = problem.ToString();
  return answer;
}

#endif

}  // namespace railgauge
