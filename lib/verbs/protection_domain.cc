#include "lib/verbs/protection_domain.h"

#include <cerrno>

namespace railgauge {

Result<ProtectionDomain> ProtectionDomain::Create(const Context& context) {
  ProtectionDomain domain;
  domain.device_ = context.name();
  domain.pd_.reset(ibv_alloc_pd(context.handle()));
  if (domain.pd_ == nullptr) return Fail(ErrnoError(errno, "ibv_alloc_pd", context.name()));
  return domain;
}

void ProtectionDomain::Dealloc::operator()(ibv_pd* pd) const {
  // EBUSY: something made in the domain outlived it. Any other failure is the device's (it may be
  // gone), and nothing is left to do about it.
  RAILGAUGE_CHECK(ibv_dealloc_pd(pd) != EBUSY);
}

}  // namespace railgauge
