#include "cli/output.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/quoted.h"
#include "lib/report/text_matrix.h"
#include "lib/topology/load.h"

namespace railgauge {
void PrintMachine(const Session& session) {
  const Machine& machine = session.machine;
  const std::string type =
      machine.instance_type.empty() ? "unknown instance type" : Shortened(machine.instance_type);
  std::string line = fmt::format(
      "{} ({}): {}, {}, {}", type, session.run.platform, Counted(machine.nics.size(), "EFA NIC"),
      Counted(machine.gpus.size(), "GPU"), Counted(machine.numa_nodes.size(), "NUMA node"));
  const auto empty = std::count_if(machine.numa_nodes.begin(), machine.numa_nodes.end(),
                                   [](const NumaNode& node) { return node.memory.count == 0; });
  if (empty > 0) line += fmt::format(" ({} without memory)", empty);
  if (machine.flat) line += "; the PCI tree is flat, so who is near whom is unknown";
  if (!machine.other_rdma_devices.empty()) {
    line += fmt::format("; left out, because no EFA: {}",
                        Counted(machine.other_rdma_devices.size(), "other RDMA device"));
    for (const PciAddress& address : machine.other_rdma_devices) line += " " + address.ToString();
  }
  if (!machine.accelerators.empty()) {
    line += fmt::format("; memory place not supported yet: {}",
                        Counted(machine.accelerators.size(), "accelerator"));
  }
  if (!machine.gpus.empty() && session.cuda.gpus().empty()) {
    line += fmt::format("; GPUs cannot be used: {}", session.cuda.absence_reason());
  }
  if (session.peer) {
    line += fmt::format("; measured with {} ({})", session.peer->host,
                        session.peer->instance_type.empty() ? "unknown instance type"
                                                            : session.peer->instance_type);
  }
  constexpr size_t kWidth = 100;
  fmt::print("{}\n\n", WrapText(line, kWidth, 2));
}

std::vector<Threshold> Thresholds(const JudgeGates& gates) {
  std::vector<Threshold> thresholds;
  for (const NamedGate& gate : Describe(gates)) {
    thresholds.push_back({std::string(gate.name), gate.value, std::string(gate.reason)});
  }
  return thresholds;
}

Status WriteTopology(const MachineOptions& options, RunDirectory& directory) {
  const std::string& file = options.hwloc_xml;
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string xml,
                             file.empty() ? ExportLiveTopology() : ReadFile(file));
  return directory.WriteFile("topology.xml", xml);
}

Status WriteRunInfo(RunDirectory& directory, const Session& session, std::string command,
                    const CommandLine& line, std::optional<ExitStatus> status,
                    const std::vector<Threshold>& thresholds) {
  RunInfo info = MakeRunInfo(session, line);
  info.command = std::move(command);
  if (status) info.end = std::chrono::system_clock::now();
  info.exit_status = status;
  info.thresholds = thresholds;
  return directory.WriteFile("run.json", RunJson(info));
}

}  // namespace railgauge
