#include "lib/placement/comparison.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "lib/base/result.h"
#include "lib/stats/paired_ratio.h"

namespace railgauge {
namespace {

// Every window of a round is used at most once, the pairs nearest in time first.
std::vector<PairedRound> PairRounds(const MeasuredCell& cell, const MeasuredCell& other,
                                    bool with_disturbed) {
  std::vector<std::tuple<Nanoseconds, size_t, size_t>> candidates;
  for (size_t i = 0; i < cell.windows.size(); ++i) {
    for (size_t j = 0; j < other.windows.size(); ++j) {
      const Window& a = cell.windows[i];
      const Window& b = other.windows[j];
      if (a.round == 0 || a.round != b.round) continue;
      if (!with_disturbed && (a.disturbed || b.disturbed)) continue;
      candidates.emplace_back(std::chrono::abs(a.start - b.start), i, j);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<bool> used(cell.windows.size()), other_used(other.windows.size());
  std::vector<PairedRound> rounds;
  for (const auto& [distance, i, j] : candidates) {
    if (used[i] || other_used[j]) continue;
    used[i] = other_used[j] = true;
    rounds.push_back({cell.windows[i].value, other.windows[j].value});
  }
  return rounds;
}

// The rounds without disturbed windows where they are enough for a proof. Else all: in shuffled
// order what disturbs hits both alike, and what is left of the difference is real.
std::vector<PairedRound> PairRounds(const MeasuredCell& cell, const MeasuredCell& other,
                                    const JudgeGates& gates) {
  std::vector<PairedRound> rounds = PairRounds(cell, other, false);
  if (rounds.size() < gates.min_rounds) rounds = PairRounds(cell, other, true);
  return rounds;
}

}  // namespace

Comparison Compare(const MeasuredCell& cell, const MeasuredCell& other, double margin,
                   const JudgeGates& gates) {
  RAILGAUGE_CHECK(cell.measured() && other.measured());
  const auto paired = ComparePaired(PairRounds(cell, other, gates),
                                    {.confidence = gates.confidence, .clearance = gates.clearance});
  if (!paired || !paired->interval || paired->rounds < gates.min_rounds) {
    Comparison unproven;
    unproven.ratio = *other.median > 0 ? *cell.median / *other.median : 1;
    unproven.rounds = paired ? paired->rounds : 0;
    return unproven;
  }
  const Outcome outcome = OutcomeOf(
      paired, {.margin = margin, .differs = gates.differs, .noisy_width = gates.noisy_width});
  return {outcome, paired->ratio, paired->interval, paired->rounds, paired->p_value, std::nullopt};
}

Comparison AmongMany(Comparison comparison, const FalseDiscovery& budget, const JudgeGates& gates) {
  if (!comparison.p_value) return comparison;
  comparison.adjusted_p_value = budget.Adjusted(*comparison.p_value);
  comparison.outcome =
      AmongMany(comparison.outcome, *comparison.adjusted_p_value, gates.false_discovery);
  return comparison;
}

}  // namespace railgauge
