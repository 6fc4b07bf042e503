#include "lib/verbs/address_handle.h"

#include <cerrno>

#include "lib/verbs/context.h"

namespace railgauge {

Result<AddressHandle> AddressHandle::Create(const ProtectionDomain& domain, const ibv_gid& gid) {
  ibv_ah_attr attributes = {};
  attributes.is_global = 1;
  attributes.port_num = kPort;
  attributes.grh.dgid = gid;
  attributes.grh.sgid_index = kGidIndex;
  AddressHandle handle;
  handle.ah_.reset(ibv_create_ah(domain.handle(), &attributes));
  if (handle.ah_ == nullptr) return Fail(ErrnoError(errno, "ibv_create_ah", domain.device()));
  return handle;
}

}  // namespace railgauge
