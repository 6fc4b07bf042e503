// Which NIC of a peer a NIC of this host is measured with. Pure.
#ifndef RAILGAUGE_LIB_MEASURE_PEER_PARTNER_H_
#define RAILGAUGE_LIB_MEASURE_PEER_PARTNER_H_

#include <cstddef>
#include <span>

#include "lib/peer/messages.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct PeerPartner {
  size_t index = 0;        // in the peer's NICs
  bool same_slot = false;  // it has the NIC's own PCI address; else it is the nearest to that
};

// The same slot: the NIC with the same PCI address, which is the same place in the same type of
// machine. Where there is none (a NIC is missing, or the machines are of two types), the NIC at the
// same position among those of the same NUMA node number; where that is unknown or has none, among
// all; modulo how many there are. `there` is not empty, and `nic` is one of `here`.
PeerPartner PeerPartnerOf(const Machine& here, const Nic& nic, std::span<const PeerNic> there);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_PEER_PARTNER_H_
