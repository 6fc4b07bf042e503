#include "lib/stats/outlier.h"

#include "lib/base/result.h"
#include "lib/stats/distributions.h"

namespace railgauge {

double OutlierPValue(double z, size_t members) {
  RAILGAUGE_CHECK(members > 0);
  constexpr double kFreedomPerMember = 0.4;
  return StudentBelow(z, kFreedomPerMember * static_cast<double>(members));
}

}  // namespace railgauge
