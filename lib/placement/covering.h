// The least price at which a need is covered by whole items: a covering knapsack. Pure.
#ifndef RAILGAUGE_LIB_PLACEMENT_COVERING_H_
#define RAILGAUGE_LIB_PLACEMENT_COVERING_H_

#include <cstddef>
#include <vector>

namespace railgauge {

struct CoverItem {
  double worth = 0;  // of one, towards the need
  double price = 0;  // of one
  size_t count = 0;
};

// Infinite where all of them do not suffice. Exact, unless that takes many steps: then a lower
// bound.
double LeastPriceToCover(std::vector<CoverItem> items, double need);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_COVERING_H_
