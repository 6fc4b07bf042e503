// What the device model delivers on given paths: queue pairs with windows of requests that each
// completion refills, as a benchmark has them, in simulated time and without copying payload.
#ifndef RAILGAUGE_LIB_EMULATOR_TRUTH_DELIVER_H_
#define RAILGAUGE_LIB_EMULATOR_TRUTH_DELIVER_H_

#include <span>
#include <vector>

#include "lib/emulator/truth/cases.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// Bytes per second of each flow while all run. Their messages and windows differ. The other end of
// each is a NIC that nothing limits. What the type's NICs can do (RDMA, or only messages) does not
// count here: what limits a path is the same.
std::vector<double> Deliver(const EmulatedMachine& machine, std::span<const TruthFlow> flows);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_TRUTH_DELIVER_H_
