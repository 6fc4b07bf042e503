#include "lib/placement/variance.h"

#include <set>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/placement/findings.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

Variance ShownBy(const Evidence& evidence, const MeasuredCell& cell) {
  const CellFindings& found = evidence.findings().Of(cell);
  if (found.two_speeds) return Variance::kTwoModes;
  if (found.spread_factor) return Variance::kUnlikeOthers;
  const std::vector<double> values = cell.Values();
  if (values.size() < evidence.gates().min_rounds || !cell.median) return Variance::kNone;
  const double far_away = evidence.gates().bad_placement * *cell.median;
  return *MedianAbsoluteDeviation(values) < far_away ? Variance::kNone : Variance::kUnsteady;
}

Variance ToldOf(const std::set<Variance>& shown) {
  if (shown.size() == 1) return *shown.begin();
  return shown.contains(Variance::kUnsteady) ? Variance::kUnsteady : Variance::kTwoModes;
}

}  // namespace

Variances::Variances(const Evidence& evidence) {
  std::map<PciAddress, std::vector<const MeasuredCell*>> cells;
  std::map<PciAddress, std::set<Variance>> shown;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    const Variance variance = ShownBy(evidence, cell);
    if (variance == Variance::kNone) continue;
    cells[cell.cell.nic.address].push_back(&cell);
    shown[cell.cell.nic.address].insert(variance);
  }
  for (const auto& [nic, some] : cells) {
    for (const MeasuredCell* cell : some) told_[cell] = ToldOf(shown[nic]);
  }
}

Variance Variances::Of(const MeasuredCell& cell) const {
  const auto entry = told_.find(&cell);
  return entry == told_.end() ? Variance::kNone : entry->second;
}

}  // namespace railgauge
