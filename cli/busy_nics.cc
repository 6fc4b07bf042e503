#include "cli/busy_nics.h"

#include <set>
#include <string>
#include <vector>

#include "lib/base/counted.h"
#include "lib/measure/busy.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

// In the machine's order.
std::vector<NicKey> UsedNics(bool loopback, const Session& session) {
  std::set<PciAddress> used(session.nics.begin(), session.nics.end());
  for (const PciAddress& nic : session.nics) {
    for (const MemoryPlace& place : session.places) {
      if (loopback) used.insert(PartnerOf(session.machine, nic, place));
    }
  }
  std::vector<NicKey> keys;
  for (const PciAddress& nic : used) keys.push_back(session.machine.FindNic(nic)->key());
  return keys;
}

}  // namespace

Status CheckNotBusy(bool loopback, bool allow_busy, Session& session) {
  const std::vector<BusyNic> busy = FindBusyNics(UsedNics(loopback, session));
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
