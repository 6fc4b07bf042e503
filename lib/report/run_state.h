// RunState: what judging a recorded run needs of its run.json: whether the run ended, and the order
// in which CUDA numbered its GPUs.
#ifndef RAILGAUGE_LIB_REPORT_RUN_STATE_H_
#define RAILGAUGE_LIB_REPORT_RUN_STATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"

namespace railgauge {

struct RunState {
  std::string run_id;
  bool ended = false;  // it wrote its end
  // What "gpu3" meant in the run: its GPUs by CUDA's ordinals. Empty: the run did not know it.
  std::vector<PciAddress> cuda_order;
};

// Of the content of a run.json; `path` is for messages. An Error where it is no run.json.
Result<RunState> ParseRunState(std::string_view content, const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_RUN_STATE_H_
