// Two speeds: throughputs that have two modes instead of one, as where a transfer takes one of two
// ways by chance (21 or 124 GB/s across sockets, by where the memory happened to lie). Their median
// says nothing, so both are named.
#ifndef RAILGAUGE_LIB_STATS_TWO_SPEEDS_H_
#define RAILGAUGE_LIB_STATS_TWO_SPEEDS_H_

#include <cstddef>
#include <optional>
#include <span>

#include "lib/stats/dip.h"

namespace railgauge {

struct TwoSpeeds {
  double low = 0;   // the median of the slow ones
  double high = 0;  // and of the others
  size_t low_count = 0;
  size_t count = 0;    // of all values
  double p_value = 1;  // the chance of such a dip among values of one mode
};

// The two modes of `values`, cut where the values on each side are nearest to their mean. Empty
// when they are not at least `gap` apart (a share of the faster), or fewer than three values are on
// a side: one or two bad windows are no speed. Whether there really are two, the p-value says.
std::optional<TwoSpeeds> FindTwoSpeeds(std::span<const double> values, double gap, DipTest& test);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_TWO_SPEEDS_H_
