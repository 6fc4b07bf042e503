// Which paths of a machine are compared with what they deliver: each kind of path alone and shared.
//
// A kind is a relation of NIC and place, host or GPU, and a direction. What should be delivered is
// computed here from the scenario's capacities, by the textbook and not by the model's code.
#ifndef RAILGAUGE_LIB_EMULATOR_TRUTH_CASES_H_
#define RAILGAUGE_LIB_EMULATOR_TRUTH_CASES_H_

#include <span>
#include <string>
#include <vector>

#include "lib/record/place.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// What one queue pair of a NIC moves.
struct TruthFlow {
  PciAddress nic;
  MemoryPlace place;
  Direction direction = Direction::kToMemory;
};

struct TruthCase {
  std::string kind;    // "same_switch gpu to_memory"
  std::string shared;  // what the flows share: "uplink up"; empty for one flow alone
  std::vector<TruthFlow> flows;
  std::vector<double> expected;  // bytes per second of each flow
};

// Alone: a pair of NIC and place for each kind and each capacity that occurs in it. Shared: for
// each kind and each sort of resource, the NICs of the kind that cross the same one; of a NIC's own
// line, two queue pairs.
std::vector<TruthCase> TruthCasesOf(const EmulatedMachine& machine);

// Max-min fair rates of flows that cross the resources listed (twice where listed twice).
std::vector<double> MaxMinRates(std::span<const std::vector<uint32_t>> flows,
                                std::span<const double> capacities);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_TRUTH_CASES_H_
