#include "lib/stats/dip.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using Values = std::vector<double>;

TEST(DipStatisticTest, KnownValues) {
  EXPECT_DOUBLE_EQ(Dip(Values{7}), 0.5);
  EXPECT_DOUBLE_EQ(Dip(Values{7, 7, 7, 7}), 1.0 / 8) << "one point is one mode";
  EXPECT_DOUBLE_EQ(Dip(Values{1, 2, 3, 4, 5}), 1.0 / 10);
  EXPECT_DOUBLE_EQ(Dip(Values{0, 0, 0, 1, 1, 1}), 0.25);
  EXPECT_DOUBLE_EQ(Dip(Values{0, 1, 1, 1, 1, 1, 1, 1, 1, 2}), 1.0 / 20);
}

// The definition itself, checked point by point: is there a distribution with its mode at one of
// the values, convex before it and concave after it, that is nowhere farther than `distance`
// (counted in values) from the sample's?
class OneModeWithin {
 public:
  OneModeWithin(const Values& sorted, double distance) : total_(double(sorted.size())) {
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (i > 0 && sorted[i] == sorted[i - 1]) continue;
      const auto end = std::upper_bound(sorted.begin(), sorted.end(), sorted[i]);
      x_.push_back(sorted[i]);
      low_.push_back(std::max(0.0, double(end - sorted.begin()) - distance));
      high_.push_back(std::min(total_, double(i) + distance));
    }
  }

  bool Exists() const {
    for (size_t mode = 0; mode < x_.size(); ++mode) {
      if (ConvexUpTo(mode) && ConcaveFrom(mode) && LeastAt(mode) <= GreatestAt(mode) + 1e-12) {
        return true;
      }
    }
    return false;
  }

 private:
  // At the mode itself the distribution may jump, so there only one bound counts on each side.
  bool ConvexUpTo(size_t mode) const {
    for (size_t i = 0; i <= mode; ++i) {
      for (size_t j = i; j < mode; ++j) {
        if (low_[j] > high_[j] + 1e-12) return false;
        for (size_t k = j + 1; k <= mode; ++k) {
          const double share = (x_[j] - x_[i]) / (x_[k] - x_[i]);
          if (low_[j] > high_[i] + share * (high_[k] - high_[i]) + 1e-12) return false;
        }
      }
    }
    return true;
  }
  bool ConcaveFrom(size_t mode) const {
    for (size_t k = mode; k < x_.size(); ++k) {
      for (size_t j = mode + 1; j <= k; ++j) {
        if (low_[j] > high_[j] + 1e-12) return false;
        for (size_t i = mode; i < j; ++i) {
          const double share = k == i ? 0 : (x_[j] - x_[i]) / (x_[k] - x_[i]);
          if (high_[j] < low_[i] + share * (low_[k] - low_[i]) - 1e-12) return false;
        }
      }
    }
    return true;
  }
  // The least height to which a convex rise leads at the mode, and the greatest from which a
  // concave one can start.
  double LeastAt(size_t mode) const {
    double least = 0;
    for (size_t j = 0; j < mode; ++j) {
      least = std::max(least, low_[j]);
      for (size_t i = 0; i < j; ++i) {
        const double slope = std::max(0.0, (low_[j] - high_[i]) / (x_[j] - x_[i]));
        least = std::max(least, low_[j] + slope * (x_[mode] - x_[j]));
      }
    }
    return least;
  }
  double GreatestAt(size_t mode) const {
    double greatest = total_;
    for (size_t j = mode + 1; j < x_.size(); ++j) {
      greatest = std::min(greatest, high_[j]);
      for (size_t k = j + 1; k < x_.size(); ++k) {
        const double slope = std::max(0.0, (low_[k] - high_[j]) / (x_[k] - x_[j]));
        greatest = std::min(greatest, high_[j] - slope * (x_[j] - x_[mode]));
      }
    }
    return greatest;
  }

  double total_;
  Values x_, low_, high_;
};

double DipByDefinition(const Values& sorted) {
  if (OneModeWithin(sorted, 0.5).Exists()) return 0.5 / double(sorted.size());
  double low = 0.5, high = double(sorted.size());
  for (int i = 0; i < 45; ++i) {
    const double middle = (low + high) / 2;
    (OneModeWithin(sorted, middle).Exists() ? high : low) = middle;
  }
  return high / double(sorted.size());
}

TEST(DipStatisticTest, AgreesWithItsDefinition) {
  std::mt19937_64 generator(1);
  for (int trial = 0; trial < 600; ++trial) {
    Values values(1 + generator() % 9);
    for (double& value : values) {
      value = trial % 2 == 0 ? double(generator() % 6)
                             : double(generator() % 1000) / double(1 + generator() % 50);
    }
    std::sort(values.begin(), values.end());
    ASSERT_NEAR(Dip(values), DipByDefinition(values), 1e-9) << testing::PrintToString(values);
  }
}

TEST(DipStatisticTest, RareIsWhatTwoModesGive) {
  DipTest test(1);
  EXPECT_EQ(test.PValue(0, 10), 1);
  EXPECT_NEAR(test.PValue(0.3, 10), 1.0 / 10'001, 1e-12);
  EXPECT_GT(test.PValue(0.07, 50), test.PValue(0.09, 50));
  const double before = test.PValue(0.08, 50);
  DipTest(2, 1'000'000).PValue(0.1, 1);  // leaves no room for what was kept
  EXPECT_EQ(test.PValue(0.08, 50), before) << "simulated again, and the same on every run";
  EXPECT_NE(DipTest(3).PValue(0.08, 50), before) << "another seed, another sample";
}

}  // namespace
}  // namespace railgauge
