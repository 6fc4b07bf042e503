// Faults: overlays that make an emulated machine sick in one way each, as the field has seen it.
//
// scenarios/faults/NAME.yaml says what a fault is, which target and value it takes and which edits
// (edit.h) it makes; the head of slow-nic.yaml describes the format. Faults apply in the order
// given, each to what the earlier ones left.
#ifndef RAILGAUGE_LIB_SCENARIO_FAULT_FAULT_H_
#define RAILGAUGE_LIB_SCENARIO_FAULT_FAULT_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/fault/edit.h"
#include "lib/scenario/fault/target.h"
#include "lib/scenario/fault/value.h"
#include "lib/scenario/spec.h"

namespace railgauge {

struct FaultDefinition {
  std::string name;
  std::string says;        // what it is, in a sentence
  std::string stands_for;  // the field case, as a user would tell it
  FaultTargetForm target;
  FaultValueForm value;
  bool may_start_later = false;  // '@2s' is allowed
  std::vector<FaultEdit> edits;
};

// `file` is what errors call the text: their object is "file:line".
Result<FaultDefinition> ReadFaultDefinition(std::string_view yaml, const std::string& file);

// All of `scenarios_dir`/faults, by name.
Result<std::vector<FaultDefinition>> LoadFaults(const std::string& scenarios_dir);

// Applies `faults` in order. An error is one line that names the fault as it was written and, for a
// word that is not known, the nearest one.
Status ApplyFaults(const std::vector<FaultSpec>& faults,
                   const std::vector<FaultDefinition>& definitions, EmulatedMachine* machine);

// For people: each fault with what it takes and what it is.
std::string ListFaults(const std::vector<FaultDefinition>& definitions);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_FAULT_FAULT_H_
