#include "lib/stats/simulation_testutil.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "lib/stats/false_discovery.h"
#include "lib/stats/median.h"
#include "lib/stats/outlier.h"
#include "lib/stats/paired_ratio.h"
#include "lib/stats/ratio_outcome.h"

namespace railgauge {
namespace {

constexpr size_t kCells = 320;

// All rounds of two paths, of which the first nine are looked at first.
struct Pair {
  std::vector<PairedRound> rounds;
  size_t used = 0;

  std::optional<PairedRatio> paired() const { return ComparePaired(std::span(rounds).first(used)); }
};

Outcome SlowOutcome(const PairedRatio& paired, double adjusted_p, const SimulatedGates& gates) {
  const Outcome outcome = OutcomeOf(paired, {gates.differs, gates.differs, gates.noisy_width});
  return AmongMany(outcome, adjusted_p, gates.false_discovery);
}

bool WantsMore(Outcome outcome) {
  return outcome == Outcome::kNoisy || outcome == Outcome::kUnproven;
}

std::vector<Outcome> OutcomesOf(const std::vector<Pair>& pairs, const SimulatedGates& gates) {
  std::vector<PairedRatio> ratios;
  std::vector<double> p_values;
  for (const Pair& pair : pairs) {
    ratios.push_back(*pair.paired());
    p_values.push_back(ratios.back().p_value);
  }
  const FalseDiscovery budget(p_values);
  std::vector<Outcome> outcomes;
  for (const PairedRatio& ratio : ratios) {
    outcomes.push_back(SlowOutcome(ratio, budget.Adjusted(ratio.p_value), gates));
  }
  return outcomes;
}

struct Screening {
  std::vector<size_t> suspects;
  size_t looks_slow = 0;  // of them, the ones called slow without further proof
};

// Judges the cells by their class.
Screening JudgeClasses(const std::vector<double>& cells, const SimulatedGates& gates) {
  constexpr size_t kClassSizes[] = {32, 96, 128, 32, 32};
  Screening screening;
  std::vector<double> p_values;
  std::vector<size_t> far;  // suspects that are badly slow
  size_t first = 0;
  for (const size_t size : kClassSizes) {
    const auto members = std::span(cells).subspan(first, size);
    const double median = *Median(members), mad = *MedianAbsoluteDeviation(members);
    for (size_t i = first; i < first + size; ++i) {
      const double z = RobustZ(cells[i], median, mad, gates.class_spread_floor * median);
      p_values.push_back(OutlierPValue(z, size));
      if (z > gates.shortlist_z || cells[i] >= (1 - gates.differs) * median) continue;
      screening.suspects.push_back(i);
      if (cells[i] < (1 - gates.bad_placement) * median) far.push_back(i);
    }
    first += size;
  }
  const FalseDiscovery budget(p_values);
  for (const size_t i : far) {
    screening.looks_slow += budget.Adjusted(p_values[i]) <= gates.false_discovery ? 1 : 0;
  }
  return screening;
}

// One window of every cell, two more of the suspects.
Screening ScreenCells(NoisyWindows& windows, double ratio, const SimulatedGates& gates) {
  const auto speed_of = [&](size_t cell) { return cell == 0 ? ratio : 1; };
  std::vector<double> cells(kCells);
  for (size_t i = 0; i < kCells; ++i) cells[i] = speed_of(i) * windows.Window();
  for (const size_t i : JudgeClasses(cells, gates).suspects) {
    const double three[] = {cells[i], speed_of(i) * windows.Window(),
                            speed_of(i) * windows.Window()};
    cells[i] = *Median(three);
  }
  return JudgeClasses(cells, gates);
}

}  // namespace

OutcomeCounts CompareInTurn(NoisyWindows& windows, double ratio, size_t trials, size_t tests,
                            const SimulatedGates& gates) {
  OutcomeCounts counts;
  counts.trials = trials;
  for (size_t trial = 0; trial < trials; ++trial) {
    Pair pair{windows.Rounds(gates.rounds_when_noisy, ratio), gates.rounds};
    const auto look = [&] {
      const PairedRatio paired = *pair.paired();
      return SlowOutcome(paired, paired.p_value * static_cast<double>(tests), gates);
    };
    Outcome outcome = look();
    if (WantsMore(outcome)) {
      ++counts.escalated;
      pair.used = gates.rounds_when_noisy;
      outcome = look();
    }
    counts.slow += outcome == Outcome::kWorse ? 1 : 0;
    counts.noisy += outcome == Outcome::kNoisy ? 1 : 0;
    counts.unproven += outcome == Outcome::kUnproven ? 1 : 0;
  }
  return counts;
}

RunFindings SimulateRun(NoisyWindows& windows, double ratio, bool all_in_turn,
                        const SimulatedGates& gates) {
  constexpr size_t kQuietPairs = 8;
  RunFindings findings;
  const Screening screening = ScreenCells(windows, ratio, gates);
  findings.looks_slow = screening.looks_slow;
  std::vector<size_t> suspects = screening.suspects;
  if (all_in_turn) {
    suspects.resize(kCells);
    for (size_t i = 0; i < kCells; ++i) suspects[i] = i;
  }
  findings.suspects = suspects.size();
  std::vector<Pair> pairs;
  for (const size_t suspect : suspects) {
    const double speed = suspect == 0 ? ratio : 1;
    pairs.push_back({windows.Rounds(gates.rounds_when_noisy, speed), gates.rounds});
  }
  for (size_t i = 0; i < kQuietPairs; ++i) {
    pairs.push_back({windows.Rounds(gates.rounds_when_noisy, 1), gates.rounds});
  }
  std::vector<Outcome> outcomes = OutcomesOf(pairs, gates);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (WantsMore(outcomes[i])) pairs[i].used = gates.rounds_when_noisy;
  }
  outcomes = OutcomesOf(pairs, gates);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const bool slow = outcomes[i] == Outcome::kWorse;
    findings.slow += slow ? 1 : 0;
    findings.noisy += outcomes[i] == Outcome::kNoisy ? 1 : 0;
    findings.slow_cell |= slow && i < suspects.size() && suspects[i] == 0;
  }
  return findings;
}

}  // namespace railgauge
