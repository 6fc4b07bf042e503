// --allow-busy: what a command that measures does about NICs that somebody else uses already.
#ifndef RAILGAUGE_CLI_BUSY_NICS_H_
#define RAILGAUGE_CLI_BUSY_NICS_H_

#include <set>

#include "cli/session.h"
#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/measure/peer_side.h"

namespace railgauge {

// The NICs that a run of `session` uses: the selected ones and, in loopback, their partners.
std::set<PciAddress> UsedNics(const Session& session, bool loopback);

// Looks at the NICs `used`, in the machine's order. Busy ones are an Error that names them all,
// before anything is measured; or, with `allow_busy`, a note each. Costs some 30 ms.
Status CheckNotBusy(const std::set<PciAddress>& used, bool allow_busy, Session& session);

// The same of the peer's NICs that serve as partners of the session's, which are looked at there.
Status CheckPeerNotBusy(PeerSide& peer, bool allow_busy, Session& session);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_BUSY_NICS_H_
