// A run's statistics without a machine: screening, paired rounds and verdicts over simulated
// windows, by the rules and in the order that `check` uses, so that their error rates can be
// counted. The benchmark prints them at length; a test holds a smaller number of the same to
// bounds.
#ifndef RAILGAUGE_LIB_STATS_SIMULATION_TESTUTIL_H_
#define RAILGAUGE_LIB_STATS_SIMULATION_TESTUTIL_H_

#include <cstddef>
#include <cstdint>

#include "lib/stats/noise_testutil.h"

namespace railgauge {

// The thresholds of the tools (JudgeGates of lib/placement, whose test holds the two equal).
struct SimulatedGates {
  double differs = 0.03;
  double bad_placement = 0.10;
  double noisy_width = 0.10;
  double false_discovery = 0.05;
  double shortlist_z = -3;
  double class_spread_floor = 0.005;
  size_t rounds = 9;
  size_t rounds_when_noisy = 15;
};

struct OutcomeCounts {
  size_t trials = 0;
  size_t slow = 0;      // slower by more than 3 %, and proven
  size_t noisy = 0;     // after all rounds
  size_t unproven = 0;  // slower by the gates, but not among so many tests
  size_t escalated = 0;
};

// Compares a path of speed `ratio` with one of speed 1, `trials` times. `tests` is how many tests
// share the run's false-discovery budget; the others find nothing, which is the hardest case.
OutcomeCounts CompareInTurn(NoisyWindows& windows, double ratio, size_t trials, size_t tests,
                            const SimulatedGates& gates = {});

struct RunFindings {
  size_t suspects = 0;    // that the screening sent to the paired rounds
  size_t looks_slow = 0;  // that it would call slow by itself, were there no time for rounds
  size_t slow = 0;        // proven by the paired rounds
  size_t noisy = 0;
  bool slow_cell = false;  // the first cell is among the proven
};

// A run over the 320 cells of a p5 in one dimension, in its five classes of 32 to 128 equals; the
// first cell has the speed `ratio`. Suspects get two more windows, those that remain are measured
// in turn with a peer, and besides eight pairs that nothing is wrong with. With `all_in_turn` every
// cell is taken for a suspect.
RunFindings SimulateRun(NoisyWindows& windows, double ratio, bool all_in_turn = false,
                        const SimulatedGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_STATS_SIMULATION_TESTUTIL_H_
