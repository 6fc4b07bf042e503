#include "cli/selection.h"

#include <algorithm>

#include "fmt/core.h"
#include "lib/placement/sentences.h"

namespace railgauge {

bool Selected(const Selection& selection, const MemoryPlace& consumer) {
  const std::vector<MemoryPlace>& places = selection.places;
  return std::find(places.begin(), places.end(), consumer) != places.end();
}

std::vector<NicKey> LeftOut(const Assignment& assignment, const Selection& selection) {
  std::vector<NicKey> nics;
  for (const NicKey& nic : assignment.nics) {
    const std::vector<PciAddress>& selected = selection.nics;
    if (std::find(selected.begin(), selected.end(), nic.address) == selected.end()) {
      nics.push_back(nic);
    }
  }
  return nics;
}

void ApplySelection(const Selection& selection, std::vector<PlacementRow>& placement) {
  std::erase_if(placement,
                [&](const PlacementRow& row) { return !Selected(selection, row.consumer); });
  for (PlacementRow& row : placement) {
    if (row.verdict != Verdict::kUndecided || row.chosen.empty()) continue;
    const std::vector<NicKey> nics = LeftOut({row.consumer, row.chosen}, selection);
    if (nics.empty()) continue;
    row.reason +=
        fmt::format(" {} {} not among --nics.", ListOf(nics), nics.size() == 1 ? "is" : "are");
  }
}

}  // namespace railgauge
