#include "cli/busy_nics.h"

#include <string>
#include <vector>

#include "lib/base/counted.h"
#include "lib/measure/busy.h"
#include "lib/topology/relation.h"

namespace railgauge {

std::set<PciAddress> UsedNics(const Session& session, bool loopback) {
  std::set<PciAddress> used(session.nics.begin(), session.nics.end());
  for (const PciAddress& nic : session.nics) {
    for (const MemoryPlace& place : session.places) {
      if (loopback) used.insert(PartnerOf(session.machine, nic, place));
    }
  }
  return used;
}

namespace {

// `busy` are NICs, in words.
Status Judge(const std::vector<std::string>& busy, bool allow_busy, Session& session) {
  std::string all;
  for (const std::string& nic : busy) {
    if (allow_busy) session.notes.push_back("in use by others, and allowed: " + nic);
    all += (all.empty() ? "" : "; ") + nic;
  }
  if (busy.empty() || allow_busy) return {};
  return Fail(MakeError("measure", "with " + Counted(busy.size(), "busy NIC"),
                        "others move data with what should be measured: " + all,
                        "Stop what uses them, select others with --nics, or measure all the same "
                        "with --allow-busy"));
}

}  // namespace

Status CheckNotBusy(const std::set<PciAddress>& used, bool allow_busy, Session& session) {
  std::vector<NicKey> keys;
  for (const PciAddress& nic : used) keys.push_back(session.machine.FindNic(nic)->key());
  std::vector<std::string> busy;
  for (const BusyNic& nic : FindBusyNics(keys)) busy.push_back(nic.ToString());
  return Judge(busy, allow_busy, session);
}

Status CheckPeerNotBusy(PeerSide& peer, bool allow_busy, Session& session) {
  std::set<PciAddress> partners;
  for (const PciAddress& nic : session.nics) {
    partners.insert(peer.PartnerOf(*session.machine.FindNic(nic)).address);
  }
  RAILGAUGE_ASSIGN_OR_RETURN(std::vector<std::string> busy, peer.BusyNics(std::vector<PciAddress>(
                                                                partners.begin(), partners.end())));
  for (std::string& nic : busy) nic += " at " + peer.identity().host;
  return Judge(busy, allow_busy, session);
}

}  // namespace railgauge
