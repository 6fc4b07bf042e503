// AddressHandle: owns an ibv_ah, by which a protection domain knows another device.
//
// RDMA needs one on both sides: the initiator's names the target in each work request, and the
// target refuses an initiator of which its own domain has none (EFA status 14).
#ifndef RAILGAUGE_LIB_VERBS_ADDRESS_HANDLE_H_
#define RAILGAUGE_LIB_VERBS_ADDRESS_HANDLE_H_

#include <infiniband/verbs.h>

#include <memory>

#include "lib/base/result.h"
#include "lib/verbs/protection_domain.h"

namespace railgauge {

class AddressHandle {
 public:
  // A handle in `domain`, which must outlive it, for the device with `gid`.
  static Result<AddressHandle> Create(const ProtectionDomain& domain, const ibv_gid& gid);

  ibv_ah* handle() const { return ah_.get(); }

 private:
  struct Destroy {
    // Failure means that the device is gone.
    void operator()(ibv_ah* ah) const { (void)ibv_destroy_ah(ah); }
  };
  AddressHandle() = default;

  std::unique_ptr<ibv_ah, Destroy> ah_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_ADDRESS_HANDLE_H_
