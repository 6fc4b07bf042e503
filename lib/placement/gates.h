// JudgeGates: every number that a verdict depends on, with the reason for its value.
//
// One struct, so that run.json can record them and a reader can repeat the verdict.
#ifndef RAILGAUGE_LIB_PLACEMENT_GATES_H_
#define RAILGAUGE_LIB_PLACEMENT_GATES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace railgauge {

struct JudgeGates {
  // Two throughputs differ when one is more than this share below the other. Windows of 20 ms on
  // one path repeat within about 1 %.
  double differs = 0.03;
  // A choice is bad when more than this share of a better one is lost. Wrong sockets and shared
  // uplinks cost 20 to 60 %; a job does not feel less than 10 %.
  double bad_placement = 0.10;
  // An interval wider than this that holds "equal" tells nothing.
  double noisy_width = 0.10;
  // That the intervals of medians have at least; of 9 values it is 99.6 %, of 15 99.3 %.
  double confidence = 0.99;
  // With which rounds must exclude a bad choice to clear it, where one bad round stretches the
  // interval: less than to accuse, because a wrong accusation costs somebody's day.
  double clearance = 0.95;
  // Fewer paired rounds have no interval of that confidence (median_interval.h).
  size_t min_rounds = 8;
  // The share of false ones expected among all that a run finds (false_discovery.h), each kind of
  // test by itself: cells against their class, paired rounds, spreads, modes. The usual one; what
  // differs by less than `differs` is no finding besides, so that the real share is far lower.
  double false_discovery = 0.05;
  // A cell below its class by this robust z is worth more windows, and paired rounds if they agree.
  // It costs time, not a verdict, so it is nearer than an outlier's: -3.5 would miss one in ten
  // cells that are slower by five times the noise.
  double shortlist_z = -3;
  // The least spread that a class is taken to have, as a share of its median: the z of a class
  // whose members agree to the last digit would be infinite.
  double class_spread_floor = 0.005;
  // Fewer members have no meaningful spread.
  size_t min_class_size = 4;
  // A single window is hardly off by more than this factor. Of 2,562 recorded of emulated machines
  // without a fault, on hosts that were not idle, one in ten was off by more than a tenth, some by
  // 60 %, and two by more.
  double odd_window = 1.7;
  // Chosen NICs of one consumer that are measured again against a rival, the most suspected first.
  size_t max_suspects = 4;
  // Windows that spread this many times as much as others of their class are a finding. Noise with
  // long tails makes two spreads differ by two now and then.
  double wide_spread = 3;
  // A class of the nearest memory whose median is below this share of its line rate is a finding.
  // p6-b200 reaches 75 % of it with all GPUs at once (published), and nothing known less.
  double far_below_ceiling = 0.7;
  // Of the simulated dips (dip.h); fixed, so that the same samples give the same verdict.
  uint64_t seed = 1;
};

struct NamedGate {
  std::string_view name;
  double value = 0;
  std::string_view reason;
};

// The gates by name, for run.json.
std::vector<NamedGate> Describe(const JudgeGates& gates);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_GATES_H_
