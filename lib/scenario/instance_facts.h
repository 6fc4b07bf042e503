// The `facts` of a scenario file: what its author knows of the hardware, for the tools' table of
// instance types (lib/instance_types). The emulator makes nothing of them; the format is described
// at the top of scenarios/instances/p5.48xlarge.yaml.
#ifndef RAILGAUGE_LIB_SCENARIO_INSTANCE_FACTS_H_
#define RAILGAUGE_LIB_SCENARIO_INSTANCE_FACTS_H_

#include <span>
#include <string>

#include "lib/instance_types/instance_type.h"
#include "lib/scenario/yaml_document.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

InstanceType ReadInstanceFacts(const YamlNode& facts, const std::string& instance_type,
                               YamlErrors* errors);

// The type that a scenario file describes; an error where it has no facts.
Result<InstanceType> ReadInstanceFactsOf(const std::string& yaml_path);

// C++ that defines InstanceTypes() of lib/instance_types, by name.
std::string InstanceTypeTable(std::span<const InstanceType> types);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_INSTANCE_FACTS_H_
