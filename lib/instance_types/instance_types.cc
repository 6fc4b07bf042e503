#include "lib/instance_types/instance_types.h"

#include <algorithm>

namespace railgauge {

const InstanceType* FindInstanceType(std::string_view name) {
  const std::vector<InstanceType>& types = InstanceTypes();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const InstanceType& type) { return type.name == name; });
  return found == types.end() ? nullptr : &*found;
}

}  // namespace railgauge
