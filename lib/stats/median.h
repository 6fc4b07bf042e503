// Median, median absolute deviation and robust z: location and spread that a few bad windows do not
// move. (A hiccup of the host gives a window that is far off; a mean would follow it.)
#ifndef RAILGAUGE_LIB_STATS_MEDIAN_H_
#define RAILGAUGE_LIB_STATS_MEDIAN_H_

#include <optional>
#include <span>

namespace railgauge {

// The middle value, or the mean of the two middle ones. Empty for no values. The values must not
// hold a NaN, which has no order.
std::optional<double> Median(std::span<const double> values);

// As Median of values that may be put in another order; there must be at least one.
double MedianInPlace(std::span<double> values);

// The median of the distances from the median, not scaled. Empty for no values.
std::optional<double> MedianAbsoluteDeviation(std::span<const double> values);

// How many standard deviations `value` lies above `median` (below: negative), where the deviation
// is taken from the MAD as for a normal distribution (1.4826 · MAD) but never below `floor`: values
// that agree to the last digit would make every other one an outlier. With a deviation of 0 it is 0
// for the median itself and infinite for any other value.
double RobustZ(double value, double median, double mad, double floor);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_MEDIAN_H_
