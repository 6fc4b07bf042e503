#include "lib/placement/unsteady.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/findings.h"
#include "lib/placement/sentences.h"
#include "lib/placement/variance.h"

namespace railgauge {
namespace {

// Both speeds where there are two, else the extremes.
std::string SpeedsOf(const Evidence& evidence, const MeasuredCell& cell) {
  const std::string where = fmt::format("{} at {}", MeasureOf(cell), cell.cell.place.ToString());
  const CellFindings& found = evidence.findings().Of(cell);
  if (found.two_speeds) {
    return fmt::format("{}: {}", where, NameBoth(*found.two_speeds, "windows"));
  }
  const std::vector<double> values = cell.Values();
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{}: from {} to {} in {} windows", where, RateOf(*low), RateOf(*high),
                     values.size());
}

void Add(const MeasuredCell& cell, const std::string& speeds, Finding& finding) {
  const MemoryPlace& place = cell.cell.place;
  const auto at = std::lower_bound(finding.places.begin(), finding.places.end(), place);
  if (at == finding.places.end() || *at != place) finding.places.insert(at, place);
  finding.evidence += (finding.evidence.empty() ? "" : "; ") + speeds;
}

}  // namespace

std::vector<Finding> FindUnsteady(const Evidence& evidence) {
  const Variances variances(evidence);
  std::map<NicKey, Finding> of_nics;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    if (variances.Of(cell) != Variance::kUnsteady) continue;
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
    Add(cell, SpeedsOf(evidence, cell), finding);
  }
  std::vector<Finding> all;
  for (const auto& [nic, finding] : of_nics) all.push_back(finding);
  return all;
}

}  // namespace railgauge
