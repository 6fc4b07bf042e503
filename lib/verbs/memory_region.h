// MemoryRegion: memory registered with a device (ibv_mr), and by which interconnects the device
// reaches it (efadv_query_mr).
#ifndef RAILGAUGE_LIB_VERBS_MEMORY_REGION_H_
#define RAILGAUGE_LIB_VERBS_MEMORY_REGION_H_

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lib/base/result.h"
#include "lib/record/place.h"
#include "lib/verbs/protection_domain.h"

namespace railgauge {

// What efadv_query_mr(3) answers. Three states:
//   !can_tell                    this driver or library has no such query; reason says so
//   can_tell && !ids.any()       it can tell, and no id is valid: a normal answer
//   can_tell && ids.any()        the ids whose validity bit was set
struct IdAnswer {
  bool can_tell = false;
  InterconnectIds ids;
  std::string reason;  // only without can_tell
};

class MemoryRegion {
 public:
  // ibv_reg_mr(3). Host memory, or a GPU pointer where the kernel has a peer-to-peer provider
  // (RegistrationWay::kPeerMemory). `access` is of IBV_ACCESS_*, see Context::AccessFlags().
  static Result<MemoryRegion> Register(const ProtectionDomain& domain, void* address, size_t length,
                                       int access);

  // ibv_reg_dmabuf_mr(3): `length` bytes from `offset` of the dma-buf `fd`, which work requests
  // then name as `iova`, …. iova and offset agree in their offset within a page. The region keeps
  // the dma-buf alive; the caller may close `fd`.
  static Result<MemoryRegion> RegisterDmabuf(const ProtectionDomain& domain, int fd,
                                             uint64_t offset, size_t length, uint64_t iova,
                                             int access);

  // Fails only where the query itself goes wrong; "cannot tell" is an answer.
  Result<IdAnswer> QueryIds() const;

  ibv_mr* handle() const { return mr_.get(); }
  uint32_t lkey() const { return mr_->lkey; }
  uint32_t rkey() const { return mr_->rkey; }
  uint64_t address() const { return address_; }  // as work requests name its first byte
  size_t length() const { return length_; }

 private:
  struct Dereg {
    // Failure means that the device is gone: its registrations went with it.
    void operator()(ibv_mr* mr) const { (void)ibv_dereg_mr(mr); }
  };
  MemoryRegion() = default;

  std::unique_ptr<ibv_mr, Dereg> mr_;
  uint64_t address_ = 0;
  size_t length_ = 0;
  std::string device_;
};

#ifndef RAILGAUGE_RDMA_CORE_LACKS_EFADV_QUERY_MR
// The fields of `attr` whose validity bit is set. A field without its bit reads 0, which is a legal
// id, so the bit decides.
InterconnectIds ValidIds(const efadv_mr_attr& attr);
#endif

// Whether this error of efadv_query_mr means that the stack has no such query.
bool MeansCannotTell(int error_number);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_MEMORY_REGION_H_
