// The one table of instance types: the `facts` of scenarios/instances/*.yaml, made into C++ when
// this is built, so that a new type is one file there and no tool reads YAML.
#ifndef RAILGAUGE_LIB_INSTANCE_TYPES_INSTANCE_TYPES_H_
#define RAILGAUGE_LIB_INSTANCE_TYPES_INSTANCE_TYPES_H_

#include <string_view>
#include <vector>

#include "lib/instance_types/instance_type.h"

namespace railgauge {

// By name.
const std::vector<InstanceType>& InstanceTypes();

// The type of that DMI product name. Null: nothing is known of it.
const InstanceType* FindInstanceType(std::string_view name);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_INSTANCE_TYPES_INSTANCE_TYPES_H_
