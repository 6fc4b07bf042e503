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
  // Of the intervals. High, because a run compares many cells.
  double confidence = 0.99;
  // Fewer paired rounds prove nothing: below 5 even all rounds agreeing by chance is likely (1/16).
  size_t min_rounds = 5;
  // A NIC is an outlier of its class below this robust z (the usual cut of the modified z-score).
  double outlier_z = -3.5;
  // The least spread that a class is taken to have, as a share of its median: the z of a class
  // whose members agree to the last digit would be infinite.
  double class_spread_floor = 0.005;
  // Fewer members have no meaningful spread.
  size_t min_class_size = 4;
  // Chosen NICs of one consumer that are measured again against a rival, the most suspected first.
  size_t max_suspects = 4;
  // Of the bootstrap; fixed, so that the same samples give the same verdict.
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
