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

Status CheckNotBusy(const std::set<PciAddress>& used, bool allow_busy, Session& session) {
  std::vector<NicKey> keys;
  for (const PciAddress& nic : used) keys.push_back(session.machine.FindNic(nic)->key());
  const std::vector<BusyNic> busy = FindBusyNics(keys);
  if (busy.empty()) return {};
  std::string all;
  for (const BusyNic& nic : busy) {
    if (allow_busy) session.notes.push_back("in use by others, and allowed: " + nic.ToString());
    all += (all.empty() ? "" : "; ") + nic.ToString();
  }
  if (allow_busy) return {};
  return Fail(MakeError("measure", "with " + Counted(busy.size(), "busy NIC"),
                        "others move data with what should be measured: " + all,
                        "Stop what uses them, select others with --nics, or measure all the same "
                        "with --allow-busy"));
}

}  // namespace railgauge
