#include "lib/placement/comparison.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "lib/base/result.h"
#include "lib/stats/paired_ratio.h"

namespace railgauge {
namespace {

// Every window of a round is used at most once, the pairs nearest in time first.
std::vector<PairedRound> PairRounds(const MeasuredCell& cell, const MeasuredCell& other) {
  std::vector<std::tuple<Nanoseconds, size_t, size_t>> candidates;
  for (size_t i = 0; i < cell.windows.size(); ++i) {
    for (size_t j = 0; j < other.windows.size(); ++j) {
      const Window& a = cell.windows[i];
      const Window& b = other.windows[j];
      if (a.round == 0 || a.round != b.round) continue;
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

Outcome OutcomeOf(const PairedRatio& paired, double margin, const JudgeGates& gates) {
  const auto [low, high] = paired.interval;
  if (paired.ratio < 1 - margin && high < 1) return Outcome::kWorse;
  if (low < 1 - margin && high >= 1 && high - low > gates.noisy_width) return Outcome::kNoisy;
  if (paired.ratio < 1 - gates.differs && high < 1) return Outcome::kDiffers;
  return Outcome::kNotWorse;
}

}  // namespace

Comparison Compare(const MeasuredCell& cell, const MeasuredCell& other, double margin,
                   const JudgeGates& gates) {
  RAILGAUGE_CHECK(cell.measured() && other.measured());
  const auto paired =
      ComparePaired(PairRounds(cell, other), {.confidence = gates.confidence, .seed = gates.seed});
  if (!paired || paired->rounds < gates.min_rounds) {
    const double ratio = *other.median > 0 ? *cell.median / *other.median : 1;
    return {Outcome::kUnproven, ratio, std::nullopt, paired ? paired->rounds : 0};
  }
  return {OutcomeOf(*paired, margin, gates), paired->ratio, paired->interval, paired->rounds};
}

}  // namespace railgauge
