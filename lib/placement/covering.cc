#include "lib/placement/covering.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace railgauge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMostSteps = 20000;

// Depth-first over the items, the cheapest per worth first, as many as useful first; pruned by what
// the rest costs if items could be split.
class Covering {
 public:
  Covering(const std::vector<CoverItem>& items, double need)
      : items_(items), tolerance_(1e-9 * need) {}

  double Least(double need) {
    const double bound = Split(0, need);
    if (std::isinf(bound)) return bound;
    Try(0, need, 0);
    return steps_ > kMostSteps ? bound : least_;
  }

 private:
  double Split(size_t first, double need) const {
    double price = 0;
    for (size_t i = first; i < items_.size() && need > tolerance_; ++i) {
      const CoverItem& item = items_[i];
      const double number = std::min(static_cast<double>(item.count), need / item.worth);
      price += number * item.price;
      need -= number * item.worth;
    }
    return need > tolerance_ ? kInfinity : price;
  }

  void Try(size_t i, double need, double price) {
    if (++steps_ > kMostSteps) return;
    if (need <= tolerance_) {
      least_ = std::min(least_, price);
      return;
    }
    if (i == items_.size() || price + Split(i, need) >= least_ * (1 - 1e-12)) return;
    const CoverItem& item = items_[i];
    const double useful = std::ceil((need - tolerance_) / item.worth);
    const auto most = static_cast<size_t>(std::min(static_cast<double>(item.count), useful));
    for (size_t number = most + 1; number-- > 0;) {
      const auto many = static_cast<double>(number);
      Try(i + 1, need - many * item.worth, price + many * item.price);
    }
  }

  const std::vector<CoverItem>& items_;
  const double tolerance_;
  double least_ = kInfinity;
  size_t steps_ = 0;
};

}  // namespace

double LeastPriceToCover(std::vector<CoverItem> items, double need) {
  if (need <= 0) return 0;
  std::erase_if(items, [](const CoverItem& item) { return item.worth <= 0 || item.count == 0; });
  std::stable_sort(items.begin(), items.end(), [](const CoverItem& a, const CoverItem& b) {
    return a.price * b.worth < b.price * a.worth;
  });
  return Covering(items, need).Least(need);
}

}  // namespace railgauge
