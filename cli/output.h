// What the commands of railgauge print and write alike.
#ifndef RAILGAUGE_CLI_OUTPUT_H_
#define RAILGAUGE_CLI_OUTPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/machine_options.h"
#include "cli/session.h"
#include "lib/base/result.h"
#include "lib/placement/gates.h"
#include "lib/report/run_directory.h"

namespace railgauge {

// "p5.48xlarge (emulated): 32 EFA NICs, 8 GPUs, 2 NUMA nodes", and what there is that the command
// leaves out, and why.
void PrintMachine(const Session& session);

// The gates of verdicts, as run.json has them.
std::vector<Threshold> Thresholds(const JudgeGates& gates);

// Writes topology.xml, so that the run can be judged again where its machine is not at hand.
Status WriteTopology(const MachineOptions& options, RunDirectory& directory);

// Writes run.json of a run of `command` that ends with `status`, or of one that goes on (empty), so
// that what is left of a killed run says so.
Status WriteRunInfo(RunDirectory& directory, const Session& session, std::string command,
                    const CommandLine& line, std::optional<ExitStatus> status,
                    const std::vector<Threshold>& thresholds = {});

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_OUTPUT_H_
