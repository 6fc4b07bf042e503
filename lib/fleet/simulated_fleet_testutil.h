// SimulatedFleet: the runs of a night over like machines without any machine: windows from the
// noise model of the statistics (stats/noise_testutil.h), with faults, so that error rates can be
// counted.
#ifndef RAILGAUGE_LIB_FLEET_SIMULATED_FLEET_TESTUTIL_H_
#define RAILGAUGE_LIB_FLEET_SIMULATED_FLEET_TESTUTIL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/fleet/confirmation.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_table.h"
#include "lib/stats/noise_testutil.h"

namespace railgauge {

// A transfer between a node's slot and that of another: what a fault may slow down.
struct SimulatedTransfer {
  size_t node = 0;  // the initiator
  size_t peer = 0;
  uint32_t slot = 0;
  Direction direction = Direction::kToMemory;  // as the initiator sees it
  Relation relation = Relation::kUnknown;
  MemoryPlace::Kind kind = MemoryPlace::Kind::kNumaNode;
};

struct SimulatedFleetOptions {
  size_t nodes = 100;
  uint32_t slots = 32;
  NoiseShape shape = NoiseShape::kNormal;
  double deviation = 0.02;       // of a window
  double run_deviation = 0.005;  // of a whole run: what differs from machine to machine
  uint64_t seed = 1;
  // What is left of a transfer's speed.
  std::function<double(const SimulatedTransfer&)> speed = [](const SimulatedTransfer&) {
    return 1.0;
  };
  std::function<bool(size_t node, uint32_t slot)> has = [](size_t, uint32_t) { return true; };
  std::function<bool(const PlannedPair&)> measured = [](const PlannedPair&) { return true; };
};

// Nine machines of four NICs whose noise is small against faults.
SimulatedFleetOptions SmallFleet();

// The same: one NIC of node 3 is slow, node 8 lacks one, and node 5 was measured as a target alone.
SimulatedFleetOptions SickFleet();

class SimulatedFleet {
 public:
  explicit SimulatedFleet(const SimulatedFleetOptions& options);

  const FleetPlan& plan() const { return plan_; }
  // The rounds of the plan.
  FleetTable MeasureAll();
  // One run; of these slots alone where there are some. As `check` does, a cell that is low among
  // its like gets two more windows.
  RunGroups Measure(const PlannedPair& pair, const std::vector<uint32_t>& slots = {});
  // The paired rounds of every suspicion, as fleet run measures them.
  std::vector<ConfirmationOutcome> ConfirmAll(const FleetTable& table,
                                              const FleetAnalysis& analysis);
  static PciAddress AddressOf(uint32_t slot);

 private:
  double MedianOfCell(double speed);

  const SimulatedFleetOptions options_;
  FleetPlan plan_;
  NoisyWindows windows_;
  NoisyWindows runs_;
  double mad_ = 0;  // of windows
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_SIMULATED_FLEET_TESTUTIL_H_
