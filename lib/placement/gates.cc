#include "lib/placement/gates.h"

namespace railgauge {

std::vector<NamedGate> Describe(const JudgeGates& gates) {
  return {
      {"differs", gates.differs, "share below which two throughputs are the same"},
      {"bad_placement", gates.bad_placement, "share of a better choice that may be lost"},
      {"noisy_width", gates.noisy_width, "width of an interval that tells nothing"},
      {"confidence", gates.confidence, "least confidence of the intervals of medians"},
      {"clearance", gates.clearance, "one-sided confidence that clears a choice"},
      {"min_rounds", static_cast<double>(gates.min_rounds), "paired rounds that a proof needs"},
      {"false_discovery", gates.false_discovery, "share of false ones among a run's findings"},
      {"shortlist_z", gates.shortlist_z, "robust z in its class of a cell worth more windows"},
      {"class_spread_floor", gates.class_spread_floor, "least spread of a class, as a share"},
      {"min_class_size", static_cast<double>(gates.min_class_size), "members a class needs"},
      {"odd_window", gates.odd_window, "factor by which a single window may be off"},
      {"max_suspects", static_cast<double>(gates.max_suspects),
       "chosen NICs of a consumer that are measured again"},
      {"wide_spread", gates.wide_spread, "times the spread of a class that is a finding"},
      {"far_below_ceiling", gates.far_below_ceiling,
       "share of its line rate below which a class is slow"},
      {"seed", static_cast<double>(gates.seed), "seed of the simulated dips"},
  };
}

}  // namespace railgauge
