// FalseDiscovery: the p-values of a run's many tests, adjusted for their number by the procedure of
// Benjamini and Hochberg (1995).
//
// Of 320 fair comparisons, three have p below 0.01 by chance. Reporting those whose adjusted value
// is at most q keeps the expected share of false ones among the reported at or below q, and where
// nothing is wrong at all, the chance of reporting anything. It asks no more of a true finding than
// this; a bound on any error whatever (Bonferroni) would ask for p below q/320 of each of 40 slow
// cells of one bad NIC.
//
// Benjamini and Hochberg's, not Benjamini and Yekutieli's, which holds under any dependence and
// costs a factor ln(m): the tests of a run depend on each other by the rivals that they share,
// which makes them rise and fall together, and for one-sided tests of that kind (positive
// regression dependence) the former is proven. The simulations (statistics_benchmark) share rivals,
// too.
#ifndef RAILGAUGE_LIB_STATS_FALSE_DISCOVERY_H_
#define RAILGAUGE_LIB_STATS_FALSE_DISCOVERY_H_

#include <cstddef>
#include <vector>

namespace railgauge {

class FalseDiscovery {
 public:
  // A p-value per test of the run, whether it looks like a finding or not; none is NaN.
  explicit FalseDiscovery(std::vector<double> p_values);

  // The least q at which the test with this p-value is a finding; 1 for one that is no test's.
  double Adjusted(double p_value) const;

  size_t tests() const { return sorted_.size(); }

 private:
  std::vector<double> sorted_;
  std::vector<double> adjusted_;  // by place in sorted_
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_FALSE_DISCOVERY_H_
