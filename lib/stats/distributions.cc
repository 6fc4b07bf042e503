#include "lib/stats/distributions.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/policies/policy.hpp>
#include <cmath>

#include "lib/base/result.h"

namespace railgauge {
namespace {

namespace bm = boost::math;
namespace policies = boost::math::policies;

// Arguments are checked here, so no error is left to report; double precision is enough, and long
// double (the default inside) is several times slower.
using Policy = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
using Binomial = bm::binomial_distribution<double, Policy>;
using Normal = bm::normal_distribution<double, Policy>;
using Student = bm::students_t_distribution<double, Policy>;

}  // namespace

double CoinAtMost(size_t heads, size_t throws) {
  if (heads >= throws) return 1;
  return bm::cdf(Binomial(static_cast<double>(throws), 0.5), static_cast<double>(heads));
}

double NormalBelow(double z) {
  if (std::isinf(z)) return z < 0 ? 0 : 1;
  return bm::cdf(Normal(), z);
}

double NormalQuantile(double probability) {
  RAILGAUGE_CHECK(probability > 0 && probability < 1);
  return bm::quantile(Normal(), probability);
}

double StudentBelow(double t, double degrees_of_freedom) {
  RAILGAUGE_CHECK(degrees_of_freedom > 0);
  if (std::isinf(t)) return t < 0 ? 0 : 1;
  return bm::cdf(Student(degrees_of_freedom), t);
}

double StudentQuantile(double probability, double degrees_of_freedom) {
  RAILGAUGE_CHECK(probability > 0 && probability < 1 && degrees_of_freedom > 0);
  return bm::quantile(Student(degrees_of_freedom), probability);
}

}  // namespace railgauge
