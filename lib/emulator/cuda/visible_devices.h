// CUDA_VISIBLE_DEVICES, as the CUDA programming guide defines it for indexes.
#ifndef RAILGAUGE_LIB_EMULATOR_CUDA_VISIBLE_DEVICES_H_
#define RAILGAUGE_LIB_EMULATOR_CUDA_VISIBLE_DEVICES_H_

#include <vector>

namespace railgauge {

// The GPUs that a process sees, in its order, of `count` that there are. `value` is the variable's
// (null: not set, all are seen). The list ends at the first entry that is no index of a GPU: "-1"
// and "" hide all. UUIDs are not known here and end the list too, as does an index given twice.
std::vector<int> VisibleDevices(const char* value, int count);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_CUDA_VISIBLE_DEVICES_H_
