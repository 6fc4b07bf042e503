#include "cli/output.h"

#include <cstdio>

#include "fmt/core.h"

namespace railgauge {

void PrintMachine(const Session& session) {
  const Machine& machine = session.machine;
  const std::string type =
      machine.instance_type.empty() ? "unknown instance type" : Printable(machine.instance_type);
  fmt::print("{} ({}): {} EFA NICs, {} GPUs, {} NUMA nodes", type, session.run.platform,
             machine.nics.size(), machine.gpus.size(), machine.numa_nodes.size());
  if (!machine.other_rdma_devices.empty()) {
    fmt::print("; {} other RDMA devices, which are no EFA", machine.other_rdma_devices.size());
  }
  if (!machine.gpus.empty() && session.cuda.gpus().empty()) {
    fmt::print("; GPUs cannot be used: {}", session.cuda.absence_reason());
  }
  fmt::print("\n\n");
}

void PrintNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", Printable(note));
}

Status WriteRunInfo(RunDirectory& directory, const Session& session, const CommandLine& line,
                    ExitStatus status, const std::vector<Threshold>& thresholds) {
  RunInfo info = MakeRunInfo(session, line);
  info.end = std::chrono::system_clock::now();
  info.exit_status = status;
  info.thresholds = thresholds;
  return directory.WriteFile("run.json", RunJson(info));
}

}  // namespace railgauge
