// Which NICs and places a run was about, and what that means for a decision that names others: the
// same words when a run is judged and when its records are judged again.
#ifndef RAILGAUGE_CLI_SELECTION_H_
#define RAILGAUGE_CLI_SELECTION_H_

#include <vector>

#include "lib/base/pci_address.h"
#include "lib/placement/decision.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

struct Selection {
  std::vector<PciAddress> nics;
  std::vector<MemoryPlace> places;
};

bool Selected(const Selection& selection, const MemoryPlace& consumer);

// The chosen NICs of an assignment that the selection leaves out.
std::vector<NicKey> LeftOut(const Assignment& assignment, const Selection& selection);

// Drops the rows of consumers that are not selected, and adds to an UNDECIDED row which of its NICs
// are not: the judge knows what was not measured; why, only who knows the selection.
void ApplySelection(const Selection& selection, std::vector<PlacementRow>& placement);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_SELECTION_H_
