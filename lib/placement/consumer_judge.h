// The verdict on one consumer's NICs; judge.h says what each verdict means.
#ifndef RAILGAUGE_LIB_PLACEMENT_CONSUMER_JUDGE_H_
#define RAILGAUGE_LIB_PLACEMENT_CONSUMER_JUDGE_H_

#include <set>

#include "lib/base/pci_address.h"
#include "lib/placement/decision.h"
#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

// `promised` are the idle NICs that sentences before this one recommended to other consumers; what
// this one recommends is added, so that one NIC is not offered twice while there are others.
PlacementRow JudgeConsumer(const Evidence& evidence, const Assignment& assignment,
                           std::set<PciAddress>& promised);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CONSUMER_JUDGE_H_
