#include "lib/stats/ratio_outcome.h"

namespace railgauge {

Outcome OutcomeOf(const std::optional<PairedRatio>& paired, const OutcomeGates& gates) {
  if (!paired || !paired->interval || !paired->not_below) return Outcome::kUnproven;
  const auto [low, high] = paired->interval->interval;
  const double worse = 1 - gates.margin;
  if (paired->ratio < worse && high < 1) return Outcome::kWorse;
  if (low < worse && high >= 1 && high - low > gates.noisy_width && *paired->not_below < worse) {
    return Outcome::kNoisy;
  }
  if (paired->ratio < 1 - gates.differs && high < 1) return Outcome::kDiffers;
  return Outcome::kNotWorse;
}

Outcome AmongMany(Outcome outcome, double adjusted_p, double false_discovery) {
  if (adjusted_p <= false_discovery) return outcome;
  if (outcome == Outcome::kWorse) return Outcome::kUnproven;
  if (outcome == Outcome::kDiffers) return Outcome::kNotWorse;
  return outcome;
}

}  // namespace railgauge
