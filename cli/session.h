// Session: what every command and benchmark binary needs first: the machine, its GPUs, the
// selection that the flags make of them, and the identity that every row of the run carries.
#ifndef RAILGAUGE_CLI_SESSION_H_
#define RAILGAUGE_CLI_SESSION_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/machine_facts.h"
#include "cli/machine_options.h"
#include "lib/base/result.h"
#include "lib/memory/cuda_driver.h"
#include "lib/peer/messages.h"
#include "lib/record/records.h"
#include "lib/report/run_json.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Session {
  std::chrono::system_clock::time_point start;
  Machine machine;
  CudaDriver cuda;
  std::vector<PciAddress> cuda_order;  // GPUs in CUDA's order: what "gpu3" means here
  MachineFacts facts;
  RunIdentity run;
  std::vector<NicFacts> nic_facts;  // of the NICs that could be opened
  // Of these, the ones that have neither RDMA read nor RDMA write (c5n): nothing can be measured
  // with them.
  std::vector<PciAddress> nics_without_rdma;
  std::vector<PciAddress> nics;     // selected
  std::vector<MemoryPlace> places;  // selected
  // What the census names: the selected places, and where all are selected the unsupported ones.
  std::vector<MemoryPlace> census_places;
  std::vector<std::string> notes;    // warnings for the user and run.json
  std::vector<BufferFacts> buffers;  // what was measured with
  std::optional<PeerIdentity> peer;  // the other host of a two-host run
};

// Loads the machine and resolves the selection. Errors: no topology, no EFA device, a name in the
// selection that the machine lacks. A NIC that cannot be opened is no error here: its rows say why.
Result<Session> OpenSession(const MachineOptions& options);

// Empty, or why no selected NIC can be measured: one sentence.
std::string WhyNothingIsMeasurable(const Session& session);

// Whether the NIC's attributes say that it can do this; true where it could not be asked, so that
// its rows say why.
bool CanDo(const Session& session, const PciAddress& nic, Operation operation);

// run.json's content so far; the caller fills in what it adds (end, exit status, thresholds).
RunInfo MakeRunInfo(const Session& session, const std::vector<std::string>& command_line);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_SESSION_H_
