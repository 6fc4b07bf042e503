// NICs that a consumer shares although they are nearer to others that use them, and it has some
// that are nearer to itself: all of them would have more if each left to the others what is theirs.
//
// Every pair looks right when it is measured alone, and no NIC idles: what is lost is the share. As
// everywhere (plan, policies), a NIC with n users gives each 1/n of what it gives alone.
#ifndef RAILGAUGE_LIB_PLACEMENT_OTHERS_NICS_H_
#define RAILGAUGE_LIB_PLACEMENT_OTHERS_NICS_H_

#include <optional>
#include <vector>

#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

struct OthersNics {
  std::vector<NicKey> shared;     // NICs that serve the consumer and somebody else wrongly
  std::vector<MemoryPlace> with;  // these others
  std::vector<NicKey> keep;       // what it should use; as now where only the others should leave
  Dimension dimension;            // in which it loses most, of those that are sure
  double ratio = 1;               // of what it has now to what it would have
  bool sure = false;              // not resting on too few windows
};

// Empty where the consumer would gain no more than JudgeGates::bad_placement, where the worst of
// those concerned would then have less than the worst has now, and where nothing is known of who
// is near (unknown relations).
std::optional<OthersNics> FindOthersNics(const Evidence& evidence, const Assignment& assignment);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_OTHERS_NICS_H_
