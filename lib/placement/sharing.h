// Relief for NICs that serve several consumers: which consumer should move to which idle NICs.
#ifndef RAILGAUGE_LIB_PLACEMENT_SHARING_H_
#define RAILGAUGE_LIB_PLACEMENT_SHARING_H_

#include <optional>
#include <set>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

struct SharingRelief {
  MemoryPlace mover;         // the consumer that gains most from idle NICs
  std::vector<NicKey> idle;  // what it should use instead of the shared ones, at most as many
  bool sure = false;         // not resting on too few windows (believed_speed.h)
};

// For NICs `shared` of one of `users` with the others. An idle NIC helps a consumer when it was
// measured to give it more than its part of the shared NIC would (a NIC with n users gives each 1/n
// of its line), or, where that was not measured, when it is as near. Of equal movers the last: the
// first user came first. Idle NICs in `promised` are taken only when there are no others. Those
// that help for sure go before all others. Empty when no idle NIC helps.
std::optional<SharingRelief> FindRelief(const Evidence& evidence,
                                        const std::vector<MemoryPlace>& users,
                                        const std::vector<NicKey>& shared,
                                        const std::set<PciAddress>& promised);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SHARING_H_
