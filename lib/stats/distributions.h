// Probabilities and quantiles of the distributions that the statistics need, by Boost.Math.
//
// A narrow door: callers see no Boost header (they are slow to compile) and no exception of it. A
// quantile of a probability outside (0, 1) and a distribution without freedom are programmer
// errors.
#ifndef RAILGAUGE_LIB_STATS_DISTRIBUTIONS_H_
#define RAILGAUGE_LIB_STATS_DISTRIBUTIONS_H_

#include <cstddef>

namespace railgauge {

// The chance of at most `heads` heads in `throws` throws of a fair coin: of at most so many values
// on one side of the true median.
double CoinAtMost(size_t heads, size_t throws);

// The chance that a standard normal value is below `z`, and the value that it is below with the
// chance `probability`.
double NormalBelow(double z);
double NormalQuantile(double probability);

// The same of Student's t; the degrees of freedom need not be whole.
double StudentBelow(double t, double degrees_of_freedom);
double StudentQuantile(double probability, double degrees_of_freedom);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_DISTRIBUTIONS_H_
