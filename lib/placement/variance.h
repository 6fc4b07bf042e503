// Variance: which finding tells of it where the windows of a NIC do not have one speed, so that one
// cause is told once, however the places, operations and directions show it.
#ifndef RAILGAUGE_LIB_PLACEMENT_VARIANCE_H_
#define RAILGAUGE_LIB_PLACEMENT_VARIANCE_H_

#include <cstdint>
#include <map>

#include "lib/placement/evidence.h"

namespace railgauge {

enum class Variance : uint8_t {
  kNone,
  kTwoModes,      // the windows have two modes (findings.h)
  kUnlikeOthers,  // they spread unlike those of their class (findings.h)
  kUnsteady,      // half of them are JudgeGates::bad_placement or more away from their median
};

class Variances {
 public:
  // `evidence` must outlive this.
  explicit Variances(const Evidence& evidence);

  // By which finding the cell's variance is told; kNone where it has none. Of a NIC it is told in
  // one way: by that which all its cells show, else as unsteady, which claims least; but a spread
  // beside two speeds is taken for theirs.
  Variance Of(const MeasuredCell& cell) const;

 private:
  std::map<const MeasuredCell*, Variance> told_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_VARIANCE_H_
