// Settings of each process: its environment, or what stands in front of its command.
#include <algorithm>
#include <string>

#include "fmt/core.h"
#include "lib/placement/settings/process.h"
#include "lib/placement/settings/renderers.h"

namespace railgauge {
namespace {

constexpr char kFilterOnly[] =
    "FI_EFA_IFACE hides the other NICs from the process. How it spreads its transfers over those "
    "that it sees is the program's own choice.";

bool Bound(const Process& process) {
  return process.numa_node != nullptr && !process.numa_node->cpus.empty();
}

std::string LibfabricVariables(const Process& process) {
  return fmt::format("FI_PROVIDER=efa FI_EFA_IFACE={}", JoinNames(process.nics));
}

}  // namespace

Settings RenderHwloc(const Machine& machine, const Decision& decision) {
  Settings settings;
  const auto processes = ProcessesOf(machine, decision);
  for (const Process& process : processes) {
    if (!Bound(process)) continue;
    settings.text +=
        CommentOf(process) +
        fmt::format("hwloc-bind --physical --cpubind {} --membind node:{} -- COMMAND\n",
                    MaskOf(process.numa_node->cpus), process.numa_node->os_index);
  }
  AddUnknownNodes(processes, settings.limits);
  settings.limits.push_back("hwloc-bind binds processors and memory; it chooses no NIC.");
  return settings;
}

Settings RenderCuda(const Machine& machine, const Decision& decision) {
  Settings settings;
  for (const Process& process : ProcessesOf(machine, decision)) {
    if (!process.gpu) continue;
    std::string variables = CudaVariables(process);
    variables.pop_back();
    settings.text += CommentOf(process) + variables + "\n";
  }
  settings.limits.push_back(
      settings.text.empty()
          ? "No consumer is a GPU."
          : "CUDA chooses no NIC. The numbers hold with CUDA_DEVICE_ORDER=PCI_BUS_ID alone: CUDA's "
            "own order is by speed.");
  return settings;
}

Settings RenderLibfabric(const Machine& machine, const Decision& decision) {
  Settings settings;
  for (const Process& process : ProcessesOf(machine, decision)) {
    settings.text +=
        CommentOf(process) + CudaVariables(process) + LibfabricVariables(process) + "\n";
  }
  settings.limits.push_back(kFilterOnly);
  return settings;
}

Settings RenderUcx(const Machine& machine, const Decision& decision) {
  Settings settings;
  for (const Process& process : ProcessesOf(machine, decision)) {
    // An empty line between processes, as the importer reads it.
    settings.text +=
        fmt::format("{}{}{}UCX_NET_DEVICES={}\n", settings.text.empty() ? "" : "\n",
                    CommentOf(process), CudaVariables(process), JoinNames(process.nics, ",", ":1"));
  }
  settings.limits.push_back(
      "UCX takes as many of these devices as UCX_MAX_RNDV_RAILS and UCX_MAX_EAGER_RAILS say, by "
      "its "
      "own order of distance.");
  return settings;
}

Settings RenderNixl(const Machine& machine, const Decision& decision) {
  Settings settings;
  for (const Process& process : ProcessesOf(machine, decision)) {
    settings.text += CommentOf(process);
    settings.text +=
        fmt::format("UCX backend: device_list = \"{}\"\n", JoinNames(process.nics, ", "));
    settings.text += fmt::format("LIBFABRIC backend: {}{}\n", CudaVariables(process),
                                 LibfabricVariables(process));
  }
  settings.limits.push_back(
      "NIXL's UCX backend spreads one transfer over two of its devices at most (MAX_RMA_RAILS).");
  settings.limits.push_back(
      "NIXL's LIBFABRIC backend has no parameter that names NICs: it groups by its own rule those "
      "that libfabric shows it.");
  return settings;
}

Settings RenderOpenMpi(const Machine& machine, const Decision& decision) {
  Settings settings;
  const auto processes = ProcessesOf(machine, decision);
  for (const Process& process : processes) {
    std::string command = Bound(process) ? fmt::format("hwloc-bind --cpubind {} -- COMMAND",
                                                       MaskOf(process.numa_node->cpus))
                                         : "COMMAND";
    const std::string cuda =
        process.gpu ? fmt::format("-x CUDA_DEVICE_ORDER=PCI_BUS_ID -x CUDA_VISIBLE_DEVICES={} ",
                                  *process.gpu)
                    : "";
    settings.text +=
        fmt::format("{}-n 1 {}-x FI_EFA_IFACE={} {}",
                    settings.text.empty() ? "mpirun --bind-to none --mca pml cm --mca mtl ofi "
                                            "--mca mtl_ofi_provider_include efa \\\n  "
                                          : " : \\\n  ",
                    cuda, JoinNames(process.nics), command);
  }
  settings.text += "\n";
  AddUnknownNodes(processes, settings.limits);
  const bool several = std::any_of(processes.begin(), processes.end(),
                                   [](const Process& process) { return process.nics.size() > 1; });
  if (several) {
    settings.limits.push_back(
        "A rank of Open MPI opens one of the NICs that it sees (of equally near ones by its rank): "
        "several NICs of one rank are not used together.");
  }
  return settings;
}

Settings RenderSlurm(const Machine& machine, const Decision& decision) {
  Settings settings;
  const auto processes = ProcessesOf(machine, decision);
  std::vector<std::string> gpus, masks, nodes;
  std::string cases;
  for (size_t task = 0; task < processes.size(); ++task) {
    const Process& process = processes[task];
    if (process.gpu) gpus.push_back(std::to_string(*process.gpu));
    if (Bound(process)) {
      masks.push_back(MaskOf(process.numa_node->cpus));
      nodes.push_back(std::to_string(process.numa_node->os_index));
    }
    cases += fmt::format("  {}) export {} ;;  # {}\n", task,
                         "FI_EFA_IFACE=" + JoinNames(process.nics), process.consumer.ToString());
  }
  std::string srun = fmt::format("srun --ntasks-per-node={}", processes.size());
  if (gpus.size() == processes.size()) srun += " --gpu-bind=map_gpu:" + JoinNames(gpus);
  if (masks.size() == processes.size()) {
    srun += " --cpu-bind=mask_cpu:" + JoinNames(masks) + " --mem-bind=map_mem:" + JoinNames(nodes);
  }
  settings.text = "#!/bin/sh\n# " + srun +
                  " THIS_FILE COMMAND\nexport FI_PROVIDER=efa\ncase \"$SLURM_LOCALID\" in\n" +
                  cases + "esac\nexec \"$@\"\n";
  AddUnknownNodes(processes, settings.limits);
  settings.limits.push_back(
      "Slurm binds tasks to GPUs, processors and memory, and to no NIC; its numbers of GPUs are "
      "those of gres.conf, taken to be in PCI order, and explicit binding needs the whole node.");
  return settings;
}

}  // namespace railgauge
