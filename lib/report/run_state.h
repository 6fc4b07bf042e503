// RunState: what reading a recorded run needs of its run.json: whose it is and where it was
// written, whether it ended, the order in which CUDA numbered its GPUs, with how many queue pairs
// it was measured, and which NICs its machine has.
#ifndef RAILGAUGE_LIB_REPORT_RUN_STATE_H_
#define RAILGAUGE_LIB_REPORT_RUN_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/record/records.h"

namespace railgauge {

struct RunState {
  RunIdentity run;      // what it does not say is empty
  std::string command;  // "check", "load", "census"; empty in files of older versions
  bool ended = false;   // false where it says that the run goes on
  std::string peer;     // the host name of the other end; empty: loopback, or not known
  std::string output;   // --output of its command line, as it stands there; empty: not known
  // What "gpu3" meant in the run: its GPUs by CUDA's ordinals. Empty: the run did not know it. Of
  // older versions, by the ordinals of the machine's GPUs, where these leave none out.
  std::vector<PciAddress> cuda_order;
  std::optional<uint32_t> queue_pairs;   // per NIC; empty: not known
  std::vector<PciAddress> machine_nics;  // the NICs of its machine; empty: not known
  // Those that its census has, too; empty: not known, as of a recording without a command line,
  // that somebody cut down to what matters. With --nics on the command line the census has those
  // alone that the flag chose, and so `selected_nics`.
  std::vector<PciAddress> nics;
  bool selected_nics = false;
};

// That the run.json at `path` lists NICs of the machine with `nics`, which `source` shows; all of
// them where that is the run's own record of it. What it does not say is not held against it.
Status CheckIsOfMachine(const RunState& state, const std::vector<PciAddress>& nics,
                        const std::string& path, const std::string& source, bool is_own);

// Of the content of a run.json; `path` is for messages. An Error where it is no run.json.
Result<RunState> ParseRunState(std::string_view content, const std::string& path);

// That the run.json at `path` is that of `run`, whose rows lie beside it. What it does not say is
// not held against it.
Status CheckIsOfRun(const RunState& state, const RunIdentity& run, const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_RUN_STATE_H_
