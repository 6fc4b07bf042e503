#include "lib/placement/speed_findings.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/placement/ceilings.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/findings.h"
#include "lib/placement/sentences.h"
#include "lib/placement/variance.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

using Members = std::span<const MeasuredCell* const>;
using Cells = std::vector<const MeasuredCell*>;

std::string_view MemoryOf(const MeasuredCell& cell) {
  return cell.cell.place.is_gpu() ? "GPU" : "host memory";
}

Relation RelationOf(const Evidence& evidence, const MeasuredCell& cell) {
  return evidence.relations().Of(cell.cell.nic.address, cell.cell.place);
}

// "same_switch GPU cells (READ to_memory, 1MiB)".
std::string ClassOf(const Evidence& evidence, const MeasuredCell& cell) {
  return fmt::format("{} {} cells ({})", ToString(RelationOf(evidence, cell)), MemoryOf(cell),
                     MeasureOf(cell));
}

// Names the NIC and places of the cells, where they are few enough to be told apart from their
// class.
void SetWhere(const Cells& cells, Finding& finding) {
  std::set<NicKey> nics;
  std::set<MemoryPlace> places;
  for (const MeasuredCell* cell : cells) {
    nics.insert(cell->cell.nic);
    places.insert(cell->cell.place);
  }
  if (nics.size() == 1) finding.nic = *nics.begin();
  finding.places.assign(places.begin(), places.end());
}

std::string NameOf(const MeasuredCell& cell) {
  return fmt::format("{} at {}", railgauge::NameOf(cell.cell.nic), cell.cell.place.ToString());
}

Cells Select(Members members, const std::function<bool(const MeasuredCell&)>& predicate) {
  Cells cells;
  for (const MeasuredCell* cell : members) {
    if (predicate(*cell)) cells.push_back(cell);
  }
  return cells;
}

// The classes of one relation and kind of memory: what makes one of them vary is likely what makes
// the others, so that one finding tells of all.
using Classes = std::vector<Members>;

// The cells of all classes for which `shows` holds, and in how many of what classes they are:
// "6 of 8 same_switch GPU cells (READ to_memory, 1MiB) and 2 of 8 (READ from_memory, 1MiB)".
struct Shown {
  Cells cells;
  std::string where;
};

Shown ShownIn(const Evidence& evidence, const Classes& classes,
              const std::function<bool(const MeasuredCell&)>& shows) {
  Shown shown;
  for (const Members members : classes) {
    const Cells cells = Select(members, shows);
    if (cells.empty()) continue;
    const std::string of = shown.cells.empty() ? ClassOf(evidence, *members.front())
                                               : fmt::format("({})", MeasureOf(*members.front()));
    shown.where += fmt::format("{}{} of {} {}", shown.cells.empty() ? "" : ", ", cells.size(),
                               members.size(), of);
    shown.cells.insert(shown.cells.end(), cells.begin(), cells.end());
  }
  return shown;
}

void AddTwoSpeeds(const Evidence& evidence, const Variances& variances, const Classes& classes,
                  std::vector<Finding>& findings) {
  const Shown shown = ShownIn(evidence, classes, [&](const MeasuredCell& cell) {
    return variances.Of(cell) == Variance::kTwoModes && evidence.findings().Of(cell).two_speeds;
  });
  if (shown.cells.empty()) return;
  const auto gap = [&](const MeasuredCell* cell) {
    const TwoSpeeds& speeds = *evidence.findings().Of(*cell).two_speeds;
    return speeds.low / speeds.high;
  };
  const MeasuredCell* worst =
      *std::min_element(shown.cells.begin(), shown.cells.end(),
                        [&](const auto* a, const auto* b) { return gap(a) < gap(b); });
  const TwoSpeeds& speeds = *evidence.findings().Of(*worst).two_speeds;
  Finding finding = MakeFinding(KindNamed("two_speeds"));
  SetWhere(shown.cells, finding);
  finding.sentence = fmt::format(
      "{} have two speeds, {} the most: {}. Find out what decides which: no median tells of them.",
      shown.where, NameOf(*worst), NameBoth(speeds, "windows"));
  finding.evidence = fmt::format("cells={} low={} high={}", shown.cells.size(), RateOf(speeds.low),
                                 RateOf(speeds.high));
  findings.push_back(std::move(finding));
}

void AddClassOfTwoSpeeds(const Evidence& evidence, const Classes& classes,
                         std::vector<Finding>& findings) {
  const auto speeds_of = [&](const MeasuredCell& cell) {
    return evidence.findings().Of(cell).class_two_speeds;
  };
  const Shown slow = ShownIn(evidence, classes, [&](const MeasuredCell& cell) {
    const auto speeds = speeds_of(cell);
    return speeds && *cell.median < (speeds->low + speeds->high) / 2;
  });
  // Cells of unknown relation are no equals.
  if (slow.cells.empty() || RelationOf(evidence, *slow.cells.front()) == Relation::kUnknown) return;
  Finding finding = MakeFinding(KindNamed("class_of_two_speeds"));
  SetWhere(slow.cells, finding);
  std::string both;
  for (const Members members : classes) {
    const auto speeds = speeds_of(*members.front());
    if (!speeds) continue;
    both += fmt::format("{}{} {}", both.empty() ? "" : "; ", MeasureOf(*members.front()),
                        NameBoth(*speeds, "cells"));
  }
  finding.sentence = fmt::format(
      "{} should be as fast as the others and are slower: {}. Find out what the slow ones have in "
      "common.",
      slow.where, both);
  finding.evidence = fmt::format("cells={} {}", slow.cells.size(), both);
  findings.push_back(std::move(finding));
}

void AddWideSpread(const Evidence& evidence, const Variances& variances, const Classes& classes,
                   std::vector<Finding>& findings) {
  const Shown shown = ShownIn(evidence, classes, [&](const MeasuredCell& cell) {
    return variances.Of(cell) == Variance::kUnlikeOthers;
  });
  if (shown.cells.empty()) return;
  const auto factor = [&](const MeasuredCell* cell) {
    return *evidence.findings().Of(*cell).spread_factor;
  };
  const MeasuredCell* worst =
      *std::max_element(shown.cells.begin(), shown.cells.end(),
                        [&](const auto* a, const auto* b) { return factor(a) < factor(b); });
  const std::vector<double> values = worst->Values();
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  Finding finding = MakeFinding(KindNamed("wide_spread"));
  SetWhere(shown.cells, finding);
  finding.sentence = fmt::format(
      "The windows of {} spread more than those of the others, those of {} {:.0f} times as much: "
      "between {} and {}. Look for what else uses that path now and then.",
      shown.where, NameOf(*worst), factor(worst), RateOf(*low), RateOf(*high));
  finding.evidence = fmt::format("cells={} factor={:.1f} min={} max={}", shown.cells.size(),
                                 factor(worst), RateOf(*low), RateOf(*high));
  findings.push_back(std::move(finding));
}

// Whether no memory of this kind is nearer, and nobody else tells of it.
bool IsNearest(const Evidence& evidence, const MeasuredCell& cell) {
  const Relation relation = RelationOf(evidence, cell);
  return cell.cell.place.is_gpu() ? relation == Relation::kSameHostBridge
                                  : relation == Relation::kSameNumaNode;
}

// Of the classes of one relation and kind of memory, the ones that are slow.
struct SlowClasses {
  std::string names;  // "READ to_memory, 1MiB: 4.10 GB/s"
  std::set<MemoryPlace> places;
  size_t cells = 0;
  double lowest = 1;  // share of the ceiling
  std::optional<Ceiling> ceiling;
  const MeasuredCell* example = nullptr;
};

void AddSlowClass(const Evidence& evidence, Members members, SlowClasses& slow) {
  const Cells cells = Select(members, TellsOfItsPath);
  if (cells.size() < evidence.gates().min_class_size) return;
  std::vector<double> medians;
  for (const MeasuredCell* cell : cells) medians.push_back(*cell->median);
  const double median = *Median(medians);
  const auto ceiling = BindingCeiling(evidence.machine(), cells.front()->cell);
  if (!ceiling) return;
  const double share = median / ceiling->capacity.value;
  if (share >= evidence.gates().far_below_ceiling) return;
  slow.names += fmt::format("{}{}: {}", slow.names.empty() ? "" : "; ", MeasureOf(*cells.front()),
                            RateOf(median));
  slow.cells += cells.size();
  for (const MeasuredCell* cell : cells) slow.places.insert(cell->cell.place);
  if (slow.example != nullptr && share >= slow.lowest) return;
  slow.lowest = share;
  slow.ceiling = ceiling;
  slow.example = cells.front();
}

void AddClassesBelowCeiling(const Evidence& evidence, std::vector<Finding>& findings) {
  std::map<std::pair<MemoryPlace::Kind, Relation>, SlowClasses> all;
  for (const Members members : evidence.classes().All()) {
    const Cell& cell = members.front()->cell;
    if (!IsNearest(evidence, *members.front())) continue;
    AddSlowClass(evidence, members,
                 all[{cell.place.kind, evidence.relations().Of(cell.nic.address, cell.place)}]);
  }
  for (const auto& [key, slow] : all) {
    if (slow.example == nullptr) continue;
    Finding finding = MakeFinding(KindNamed("class_below_ceiling"));
    finding.places.assign(slow.places.begin(), slow.places.end());
    finding.sentence = fmt::format(
        "All NICs are slow with {} {} ({}), {:.0f} % of a line rate ({}, {}) at the least, so that "
        "none is an outlier: what they have in common is suspect (link widths, IOMMU, ACS, BIOS "
        "settings, the host's memory).",
        ToString(key.second), MemoryOf(*slow.example), slow.names, 100 * slow.lowest,
        FormatBytesPerSecond(slow.ceiling->capacity), ToString(slow.ceiling->basis));
    finding.evidence = fmt::format("cells={} {}", slow.cells, slow.names);
    findings.push_back(std::move(finding));
  }
}

// What most windows of a cell say of themselves: one finding for the whole run.
void AddRemark(const Evidence& evidence, const FindingKind& kind, uint64_t MeasuredCell::*count,
               std::string_view sentence, std::vector<Finding>& findings) {
  Cells cells;
  size_t measured = 0;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    if (!cell.measured()) continue;
    ++measured;
    if (2 * (cell.*count) > cell.windows.size()) cells.push_back(&cell);
  }
  if (cells.empty()) return;
  Finding finding = MakeFinding(kind);
  SetWhere(cells, finding);
  finding.sentence = fmt::format("{} of {} cells, e.g. {} ({}): {}", cells.size(), measured,
                                 NameOf(*cells.front()), MeasureOf(*cells.front()), sentence);
  finding.evidence = fmt::format("cells={} of {}", cells.size(), measured);
  findings.push_back(std::move(finding));
}

}  // namespace

bool TellsOfItsPath(const MeasuredCell& cell) {
  constexpr Bytes kLongEnough{64 << 10};
  const size_t windows = cell.windows.size();
  return cell.measured() && cell.cell.size >= kLongEnough && cell.disturbed < windows &&
         2 * cell.cpu_bound <= windows;
}

std::vector<Finding> FindSpeedFindings(const Evidence& evidence) {
  std::vector<Finding> findings;
  const Variances variances(evidence);
  std::map<std::pair<MemoryPlace::Kind, Relation>, Classes> alike;
  for (const Members members : evidence.classes().All()) {
    const MeasuredCell& first = *members.front();
    alike[{first.cell.place.kind, RelationOf(evidence, first)}].push_back(members);
  }
  for (const auto& [key, classes] : alike) {
    AddTwoSpeeds(evidence, variances, classes, findings);
    AddClassOfTwoSpeeds(evidence, classes, findings);
    AddWideSpread(evidence, variances, classes, findings);
  }
  AddClassesBelowCeiling(evidence, findings);
  AddRemark(evidence, KindNamed("cpu_bound"), &MeasuredCell::cpu_bound,
            "the measuring thread, not the path, was the limit in most windows: it may be faster "
            "than this says.",
            findings);
  AddRemark(evidence, KindNamed("no_counters"), &MeasuredCell::unproven,
            "no counters of the devices prove most windows: trust them less.", findings);
  return findings;
}

}  // namespace railgauge
