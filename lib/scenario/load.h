// Loads a scenario: the YAML description of a machine, checked strictly.
//
// The format is described at the top of each file in scenarios/instances. Every error is one line
// that begins with "read scenario file:line" and says what is wrong there and what to do.
#ifndef RAILGAUGE_LIB_SCENARIO_LOAD_H_
#define RAILGAUGE_LIB_SCENARIO_LOAD_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// The machine of one file; its `spec` is the path.
Result<EmulatedMachine> LoadMachine(const std::string& yaml_path);

// As above, of a text that errors call `file`.
Result<EmulatedMachine> LoadMachineFromText(std::string_view yaml, const std::string& file);

// The machine that a user names by --emulate (spec.h): an instance type ("p5.48xlarge") of
// `scenarios_dir`/instances, or the path of a file, scaled by its divisor (scale.h), with the
// faults of `scenarios_dir`/faults laid over it.
Result<EmulatedMachine> LoadSpec(std::string_view spec, const std::string& scenarios_dir);

// The instance types that LoadSpec knows, sorted.
Result<std::vector<std::string>> ListInstanceTypes(const std::string& scenarios_dir);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_LOAD_H_
