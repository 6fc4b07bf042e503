#include "lib/stats/dip.h"

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {
namespace {

// The distribution of a sample as a staircase over its distinct values.
struct Staircase {
  std::vector<double> x;
  std::vector<double> before;  // how many values are below x
  std::vector<double> after;   // and how many at or below it

  explicit Staircase(std::span<const double> sorted) {
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        x.push_back(sorted[i]);
        before.push_back(static_cast<double>(i));
        after.push_back(0);
      }
      after.back() = static_cast<double>(i + 1);
    }
  }
};

// The corners of the hull of the points (x, y) of [first, last]: from below (the greatest convex
// function under them) with sign 1, from above (the least concave one over them) with sign -1.
std::vector<size_t> HullOf(const std::vector<double>& x, const std::vector<double>& y, size_t first,
                           size_t last, double sign) {
  std::vector<size_t> hull;
  for (size_t i = first; i <= last; ++i) {
    while (hull.size() > 1) {
      const size_t a = hull[hull.size() - 2], b = hull.back();
      const double bend = (y[b] - y[a]) * (x[i] - x[b]) - (y[i] - y[b]) * (x[b] - x[a]);
      if (sign * bend < 0) break;
      hull.pop_back();
    }
    hull.push_back(i);
  }
  return hull;
}

// The heights of the hull over all points between its ends, the first point's at 0.
std::vector<double> HeightsOf(const std::vector<double>& x, const std::vector<double>& y,
                              const std::vector<size_t>& hull) {
  std::vector<double> heights;
  for (size_t corner = 0; corner + 1 < hull.size(); ++corner) {
    const size_t a = hull[corner], b = hull[corner + 1];
    const double slope = (y[b] - y[a]) / (x[b] - x[a]);
    for (size_t i = a; i < b; ++i) heights.push_back(y[a] + slope * (x[i] - x[a]));
  }
  heights.push_back(y[hull.back()]);
  return heights;
}

using Dips = std::vector<double>;  // ascending

struct Simulation {
  uint64_t seed = 0;
  size_t draws = 0;
  size_t count = 0;  // of values in a sample
  friend auto operator<=>(const Simulation&, const Simulation&) = default;
};

Dips Simulate(const Simulation& simulation) {
  std::mt19937_64 generator(simulation.seed);
  std::vector<double> values(simulation.count);
  Dips dips;
  dips.reserve(simulation.draws);
  for (size_t draw = 0; draw < simulation.draws; ++draw) {
    // Whole numbers, which a double holds exactly: <random>'s distributions differ by library.
    for (double& value : values) value = static_cast<double>(generator() >> 11);
    std::sort(values.begin(), values.end());
    dips.push_back(Dip(values));
  }
  std::sort(dips.begin(), dips.end());
  return dips;
}

std::shared_ptr<const Dips> KeptDips(const Simulation& simulation) {
  constexpr size_t kMostDraws = 1'000'000;  // 8 MB
  static std::mutex mutex;
  static std::map<Simulation, std::shared_ptr<const Dips>> kept;
  static size_t kept_draws = 0;
  {
    const std::lock_guard lock(mutex);
    if (const auto entry = kept.find(simulation); entry != kept.end()) return entry->second;
  }
  // Nobody waits for another's: two that simulate the same find the same.
  auto dips = std::make_shared<const Dips>(Simulate(simulation));
  const std::lock_guard lock(mutex);
  while (!kept.empty() && kept_draws + simulation.draws > kMostDraws) {
    kept_draws -= kept.begin()->first.draws;
    kept.erase(kept.begin());
  }
  if (kept.emplace(simulation, dips).second) kept_draws += simulation.draws;
  return dips;
}

}  // namespace

// The mode lies somewhere in [first, last], at the start anywhere. Left of it the best distribution
// is the convex hull from below, right of it the concave hull from above. Where the two are no
// farther apart than the dip found so far, a straight line between them serves as the rest. Else
// the mode is at the corner where they are farthest apart, or between it and the other hull's next
// corner, and what falls outside adds its distance to the dip.
double Dip(std::span<const double> sorted) {
  RAILGAUGE_CHECK(!sorted.empty());
  const Staircase stairs(sorted);
  size_t first = 0, last = stairs.x.size() - 1;
  double dip = 1;  // times 2n
  while (first < last) {
    const std::vector<size_t> lower = HullOf(stairs.x, stairs.before, first, last, 1);
    const std::vector<size_t> upper = HullOf(stairs.x, stairs.after, first, last, -1);
    const std::vector<double> low = HeightsOf(stairs.x, stairs.before, lower);
    const std::vector<double> high = HeightsOf(stairs.x, stairs.after, upper);
    double farthest = 0;
    size_t next_first = first, next_last = last;
    for (const size_t corner : lower) {
      const double distance = high[corner - first] - low[corner - first];
      if (distance <= farthest) continue;
      farthest = distance;
      next_first = corner;
      next_last = *std::lower_bound(upper.begin(), upper.end(), corner);
    }
    for (const size_t corner : upper) {
      const double distance = high[corner - first] - low[corner - first];
      if (distance <= farthest) continue;
      farthest = distance;
      next_last = corner;
      next_first = *std::prev(std::upper_bound(lower.begin(), lower.end(), corner));
    }
    if (farthest <= dip) break;
    for (size_t i = first; i < next_first; ++i)
      dip = std::max(dip, stairs.after[i] - low[i - first]);
    for (size_t i = next_last + 1; i <= last; ++i) {
      dip = std::max(dip, high[i - first] - stairs.before[i]);
    }
    first = next_first;
    last = next_last;
  }
  return dip / (2 * static_cast<double>(sorted.size()));
}

double DipTest::PValue(double dip, size_t count) const {
  const std::shared_ptr<const Dips> kept = KeptDips({seed_, draws_, count});
  const Dips& dips = *kept;
  // A dip that is equal but for rounding counts as equal.
  const auto first = std::lower_bound(dips.begin(), dips.end(), dip - 1e-12);
  return (1 + static_cast<double>(dips.end() - first)) / (1 + static_cast<double>(dips.size()));
}

}  // namespace railgauge
