#include "lib/placement/findings.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/stats/false_discovery.h"
#include "lib/stats/median.h"
#include "lib/stats/spread.h"

namespace railgauge {
namespace {

// Something that may be a finding, if its p-value survives the number of tests.
template <typename Subject, typename What>
struct Candidate {
  Subject subject;
  What what;
  double p_value = 1;
};

// The candidates that are findings among `tests` tests, of which the others found nothing.
template <typename Subject, typename What>
std::vector<Candidate<Subject, What>> Proven(std::vector<Candidate<Subject, What>> candidates,
                                             size_t tests, double false_discovery) {
  std::vector<double> p_values(tests - candidates.size(), 1.0);
  for (const auto& candidate : candidates) p_values.push_back(candidate.p_value);
  const FalseDiscovery budget(std::move(p_values));
  std::erase_if(candidates, [&](const auto& candidate) {
    return budget.Adjusted(candidate.p_value) > false_discovery;
  });
  return candidates;
}

using Members = std::span<const MeasuredCell* const>;

}  // namespace

std::string CellFindings::Names() const {
  std::string names;
  const auto add = [&](bool found, std::string_view name) {
    if (!found) return;
    if (!names.empty()) names += ';';
    names += name;
  };
  add(two_speeds.has_value(), kTwoSpeeds);
  add(class_two_speeds.has_value(), kClassOfTwoSpeeds);
  add(spread_factor.has_value(), kWideSpread);
  return names;
}

std::string NameBoth(const TwoSpeeds& speeds, std::string_view of) {
  return fmt::format("{} in {} of {} {} and {} in the others",
                     FormatBytesPerSecond(BytesPerSecond{speeds.low}), speeds.low_count,
                     speeds.count, of, FormatBytesPerSecond(BytesPerSecond{speeds.high}));
}

Findings::Findings(const SpeedClasses& classes, const JudgeGates& gates)
    : gates_(gates), dip_test_(gates.seed) {
  FindTwoSpeedsOfCells(classes);
  FindTwoSpeedsOfClasses(classes);
  FindWideSpreads(classes);
}

const CellFindings& Findings::Of(const MeasuredCell& cell) const {
  static const CellFindings kNone;
  const auto entry = findings_.find(&cell);
  return entry == findings_.end() ? kNone : entry->second;
}

void Findings::FindTwoSpeedsOfCells(const SpeedClasses& classes) {
  std::vector<Candidate<const MeasuredCell*, TwoSpeeds>> candidates;
  size_t tests = 0;
  for (const Members members : classes.All()) {
    for (const MeasuredCell* cell : members) {
      const std::vector<double> values = cell->Values();
      if (values.size() < gates_.min_rounds) continue;
      ++tests;
      const auto speeds = FindTwoSpeeds(values, gates_.bad_placement, dip_test_);
      if (speeds) candidates.push_back({cell, *speeds, speeds->p_value});
    }
  }
  for (const auto& found : Proven(std::move(candidates), tests, gates_.false_discovery)) {
    findings_[found.subject].two_speeds = found.what;
  }
}

void Findings::FindTwoSpeedsOfClasses(const SpeedClasses& classes) {
  std::vector<Candidate<Members, TwoSpeeds>> candidates;
  size_t tests = 0;
  for (const Members members : classes.All()) {
    if (members.size() < 2 * gates_.min_rounds) continue;
    ++tests;
    std::vector<double> medians;
    for (const MeasuredCell* cell : members) medians.push_back(*cell->median);
    const auto speeds = FindTwoSpeeds(medians, gates_.bad_placement, dip_test_);
    if (speeds) candidates.push_back({members, *speeds, speeds->p_value});
  }
  for (const auto& found : Proven(std::move(candidates), tests, gates_.false_discovery)) {
    for (const MeasuredCell* cell : found.subject) {
      findings_[cell].class_two_speeds = found.what;
    }
  }
}

// A cell's windows against those of the other members of its class that have as many.
void Findings::FindWideSpreads(const SpeedClasses& classes) {
  std::vector<Candidate<const MeasuredCell*, double>> candidates;
  size_t tests = 0;
  for (const Members members : classes.All()) {
    std::vector<std::pair<const MeasuredCell*, std::vector<double>>> deviations;
    for (const MeasuredCell* cell : members) {
      const std::vector<double> values = cell->Values();
      if (values.size() < gates_.min_rounds) continue;
      deviations.emplace_back(cell, RelativeDeviations(values));
    }
    if (deviations.size() < 2) continue;
    for (const auto& [cell, own] : deviations) {
      std::vector<double> others;
      for (const auto& [other, its] : deviations) {
        if (other != cell) others.insert(others.end(), its.begin(), its.end());
      }
      ++tests;
      if (own.empty() || others.empty()) continue;
      // The least spread that is worth a word, and that a class is taken to have.
      const double spread = *Median(own), usual = *Median(others);
      if (spread < gates_.differs || spread < gates_.wide_spread * usual) continue;
      const double factor = spread / std::max(usual, gates_.class_spread_floor);
      candidates.push_back({cell, factor, WiderSpreadPValue(own, others)});
    }
  }
  for (const auto& found : Proven(std::move(candidates), tests, gates_.false_discovery)) {
    CellFindings& findings = findings_[found.subject];
    if (!findings.two_speeds) findings.spread_factor = found.what;
  }
}

}  // namespace railgauge
