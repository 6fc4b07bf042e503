#include "lib/placement/certainty.h"

#include <algorithm>

#include "fmt/core.h"
#include "lib/placement/believed_speed.h"
#include "lib/placement/sentences.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

// Whether a value JudgeGates::bad_placement below `median` would be within the noise.
bool SpreadHides(double median, double mad, const JudgeGates& gates) {
  const double badly_slow = (1 - gates.bad_placement) * median;
  return RobustZ(badly_slow, median, mad, gates.class_spread_floor * median) > gates.shortlist_z;
}

bool ClassSpreads(const Evidence& evidence, const MeasuredCell& cell) {
  const auto standing = evidence.classes().Of(cell);
  if (!standing) return false;
  if (evidence.relations().Of(cell.cell.nic.address, cell.cell.place) == Relation::kUnknown) {
    return false;
  }
  return SpreadHides(standing->median, standing->mad, evidence.gates());
}

struct Count {
  size_t some = 0;
  size_t all = 0;
};

// The other NICs' cells at the consumer: how many of the measured ones are disturbed, in the
// dimension where that share is greatest.
Count DisturbedOthers(const Evidence& evidence, const Assignment& assignment) {
  Count worst;
  for (const Dimension& dimension : evidence.JudgedDimensions(assignment)) {
    Count count;
    for (const Nic& nic : evidence.machine().nics) {
      const PciAddress& address = nic.position.address;
      const MeasuredCell* cell = evidence.table().Find(address, assignment.consumer, dimension);
      if (assignment.Uses(address) || cell == nullptr || !cell->measured()) continue;
      ++count.all;
      if (DoubtOf(evidence, *cell) == Doubt::kDisturbed) ++count.some;
    }
    if (count.some * worst.all > worst.some * count.all || worst.all == 0) worst = count;
  }
  return worst;
}

constexpr const char* kAdvice = "run on a quieter machine or raise --time-budget";

}  // namespace

Doubt DoubtOf(const Evidence& evidence, const MeasuredCell& cell) {
  const auto in_rounds = std::count_if(cell.windows.begin(), cell.windows.end(),
                                       [](const Window& window) { return window.round > 0; });
  if (static_cast<size_t>(in_rounds) >= evidence.gates().min_rounds) return Doubt::kNone;
  if (cell.disturbed == cell.windows.size()) return Doubt::kDisturbed;
  if (!ClassSpreads(evidence, cell)) return Doubt::kNone;
  const std::vector<double> values = cell.Values();
  if (values.size() < kWindowsThatTell) return Doubt::kSpread;
  const bool spreads =
      SpreadHides(*cell.median, *MedianAbsoluteDeviation(values), evidence.gates());
  return spreads ? Doubt::kSpread : Doubt::kNone;
}

std::vector<const MeasuredCell*> DoubtfulChosenCells(const Evidence& evidence) {
  std::vector<const MeasuredCell*> disturbed, spread;
  for (const Assignment& assignment : evidence.decision().assignments) {
    for (const Dimension& dimension : kDimensions) {
      for (const NicKey& nic : assignment.nics) {
        const MeasuredCell* cell =
            evidence.table().Find(nic.address, assignment.consumer, dimension);
        if (cell == nullptr || !cell->measured()) continue;
        const Doubt doubt = DoubtOf(evidence, *cell);
        if (doubt == Doubt::kDisturbed) disturbed.push_back(cell);
        if (doubt == Doubt::kSpread) spread.push_back(cell);
      }
    }
  }
  disturbed.insert(disturbed.end(), spread.begin(), spread.end());
  return disturbed;
}

std::optional<std::string> WhyUncertain(const Evidence& evidence, const Assignment& assignment) {
  Count windows;  // of the chosen NICs
  bool disturbed = false;
  const MeasuredCell* spread = nullptr;
  for (const NicKey& nic : assignment.nics) {
    for (const Dimension& dimension : kDimensions) {
      const MeasuredCell* cell = evidence.table().Find(nic.address, assignment.consumer, dimension);
      if (cell == nullptr || !cell->measured()) continue;
      windows.some += cell->disturbed;
      windows.all += cell->windows.size();
      const Doubt doubt = DoubtOf(evidence, *cell);
      disturbed |= doubt == Doubt::kDisturbed;
      if (doubt == Doubt::kSpread && spread == nullptr) spread = cell;
    }
  }
  if (disturbed) {
    return fmt::format(
        "The measuring thread was kept from its CPU in {} of {} windows of the NICs of {}: {}.",
        windows.some, windows.all, assignment.consumer.ToString(), kAdvice);
  }
  if (spread != nullptr) {
    return fmt::format(
        "The {} cells spread so much ({}) that one that is {:.0f} % slower would not stand out, "
        "and {} was measured in {}: {}.",
        ToString(evidence.relations().Of(spread->cell.nic.address, assignment.consumer)),
        MeasureOf(*spread), evidence.gates().bad_placement * 100, NameOf(spread->cell.nic),
        spread->windows.size() == 1 ? "one window"
                                    : fmt::format("{} windows", spread->windows.size()),
        kAdvice);
  }
  const Count others = DisturbedOthers(evidence, assignment);
  if (2 * others.some > others.all) {
    return fmt::format(
        "The measuring thread was kept from its CPU in all windows of {} of {} other NICs at {}, "
        "so a better one cannot be excluded: {}.",
        others.some, others.all, assignment.consumer.ToString(), kAdvice);
  }
  return std::nullopt;
}

}  // namespace railgauge
