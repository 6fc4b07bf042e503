#include "lib/placement/unsteady.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "fmt/core.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/findings.h"
#include "lib/placement/sentences.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

// The extremes of a cell of which half of the windows are a bad placement's loss or more away from
// the median.
std::optional<std::string> Extremes(const MeasuredCell& cell, const JudgeGates& gates) {
  const std::vector<double> values = cell.Values();
  if (values.size() < gates.min_rounds || !cell.median) return std::nullopt;
  if (*MedianAbsoluteDeviation(values) < gates.bad_placement * *cell.median) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{} at {}: from {} to {} in {} windows", MeasureOf(cell),
                     cell.cell.place.ToString(), RateOf(*low), RateOf(*high), values.size());
}

void Add(const MeasuredCell& cell, const std::string& extremes, Finding& finding) {
  const MemoryPlace& place = cell.cell.place;
  const auto at = std::lower_bound(finding.places.begin(), finding.places.end(), place);
  if (at == finding.places.end() || *at != place) finding.places.insert(at, place);
  finding.evidence += (finding.evidence.empty() ? "" : "; ") + extremes;
}

}  // namespace

std::vector<Finding> FindUnsteady(const Evidence& evidence) {
  std::map<NicKey, Finding> of_nics;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    const CellFindings& found = evidence.findings().Of(cell);
    if (found.two_speeds || found.spread_factor) continue;
    const auto extremes = Extremes(cell, evidence.gates());
    if (!extremes) continue;
    const auto [entry, fresh] =
        of_nics.try_emplace(cell.cell.nic, MakeFinding(KindNamed("unsteady")));
    Finding& finding = entry->second;
    if (fresh) {
      finding.nic = cell.cell.nic;
      finding.sentence = fmt::format(
          "{} has windows so far apart that no one figure is true of it: find out what changes "
          "with time.",
          NameOf(cell.cell.nic));
    }
    Add(cell, *extremes, finding);
  }
  std::vector<Finding> all;
  for (const auto& [nic, finding] : of_nics) all.push_back(finding);
  return all;
}

}  // namespace railgauge
