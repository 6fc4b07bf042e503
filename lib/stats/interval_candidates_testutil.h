// The ways to give the median of paired ratios an interval that were tried before order statistics
// were chosen, so that the table of their coverage can be printed again.
#ifndef RAILGAUGE_LIB_STATS_INTERVAL_CANDIDATES_TESTUTIL_H_
#define RAILGAUGE_LIB_STATS_INTERVAL_CANDIDATES_TESTUTIL_H_

#include <span>
#include <string_view>

#include "lib/stats/median_interval.h"

namespace railgauge {

struct IntervalCandidate {
  std::string_view name;
  // Of nominal 99 %.
  Interval (*interval)(std::span<const double> values);
  bool resamples = false;  // slow
};

std::span<const IntervalCandidate> IntervalCandidates();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_INTERVAL_CANDIDATES_TESTUTIL_H_
