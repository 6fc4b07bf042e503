// GroupFigures: how the machines of a fleet are distributed in one group of cells. Pure.
#ifndef RAILGAUGE_LIB_FLEET_GROUP_FIGURES_H_
#define RAILGAUGE_LIB_FLEET_GROUP_FIGURES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/fleet/fleet_table.h"

namespace railgauge {

struct GroupFigures {
  size_t members = 0;  // runs that measured it
  double median = 0;   // bytes per second
  double mad = 0;      // median absolute deviation, likewise
  double lowest = 0;
  double highest = 0;
  // Of throughput / median: "0.002;300:1,499:20,500:71" is one run from 0.600 to below 0.602, 20
  // from 0.998, 71 from 1.000. Empty without a median above zero.
  std::string bins;
};

// Of each group of `table`, with at most `most_bins` bins that hold something.
std::vector<GroupFigures> FiguresOf(const FleetTable& table, size_t most_bins);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_GROUP_FIGURES_H_
