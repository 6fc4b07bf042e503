// Settings of the whole host: files that name all consumers.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/placement/settings/process.h"
#include "lib/placement/settings/renderers.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

// Consumers that share the same NICs, and nobody else does: what can stand below one switch.
struct Block {
  std::vector<const Assignment*> assignments;
  std::vector<NicKey> nics;
};

// Empty where NICs are shared in another way.
std::vector<Block> BlocksOf(const Decision& decision) {
  std::vector<Block> blocks;
  std::map<PciAddress, size_t> block_of;
  for (const Assignment& assignment : decision.assignments) {
    std::set<NicKey> nics(assignment.nics.begin(), assignment.nics.end());
    const auto same = std::find_if(blocks.begin(), blocks.end(), [&](const Block& block) {
      return std::set<NicKey>(block.nics.begin(), block.nics.end()) == nics;
    });
    if (same != blocks.end()) {
      same->assignments.push_back(&assignment);
      continue;
    }
    for (const NicKey& nic : assignment.nics) {
      if (!block_of.try_emplace(nic.address, blocks.size()).second) return {};
    }
    blocks.push_back({{&assignment}, assignment.nics});
  }
  return blocks;
}

std::string PciLine(const PciAddress& address, std::string_view class_code) {
  return fmt::format(
      "      <pci busid=\"{}\" class=\"{}\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"/>\n",
      address.ToString(), class_code);
}

}  // namespace

Settings RenderNccl(const Machine& machine, const Decision& decision) {
  Settings settings;
  const bool gpus = std::all_of(decision.assignments.begin(), decision.assignments.end(),
                                [](auto& assignment) { return assignment.consumer.is_gpu(); });
  if (!gpus) {
    settings.limits.push_back("NCCL serves GPUs, and a consumer is none.");
    return settings;
  }
  const std::vector<Block> blocks = BlocksOf(decision);
  if (blocks.empty()) {
    settings.limits.push_back(
        "GPUs share NICs only in part, which no tree of switches expresses: NCCL chooses by "
        "distance in its topology, and has no variable that names the NICs of a GPU.");
    return settings;
  }
  std::map<uint32_t, std::string> of_node;
  size_t number = 0;
  for (const Process& process : ProcessesOf(machine, decision)) {
    const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const Block& one) {
      return one.assignments.front()->consumer == process.consumer;
    });
    if (block == blocks.end()) continue;
    std::string& text = of_node[process.numa_node == nullptr ? 0 : process.numa_node->os_index];
    text += fmt::format(
        "    <pci busid=\"ffff:ff:{:02x}.0\" class=\"0x060400\" link_speed=\"32.0 GT/s PCIe\" "
        "link_width=\"16\">\n",
        ++number);
    for (const Assignment* assignment : block->assignments) {
      text += PciLine(assignment->consumer.gpu, "0x030200");
    }
    for (const NicKey& nic : block->nics) text += PciLine(nic.address, "0x020000");
    text += "    </pci>\n";
  }
  settings.text = "<system version=\"1\">\n";
  for (const auto& [node, text] : of_node) {
    settings.text += fmt::format("  <cpu numaid=\"{}\">\n{}  </cpu>\n", node, text);
  }
  settings.text += "</system>\n";
  settings.limits.push_back(
      "The switches of this file are made up, as are those of the files that aws-ofi-nccl ships: "
      "each GPU stands next to its NICs, so that NCCL's rule of the nearest takes them.");
  settings.limits.push_back(
      "aws-ofi-nccl makes groups of NICs by the real topology and shows NCCL the first of each: a "
      "group goes to one GPU as a whole, whatever this file says of its others. NCCL_IB_HCA is not "
      "for it, since that is read by NCCL's own InfiniBand transport.");
  return settings;
}

Settings RenderMooncake(const Machine& machine, const Decision& decision) {
  Settings settings;
  nlohmann::ordered_json root;
  bool gpus = false;
  for (const Process& process : ProcessesOf(machine, decision)) {
    gpus = gpus || process.gpu;
    const std::string key = process.gpu ? fmt::format("cuda:{}", *process.gpu)
                                        : fmt::format("cpu:{}", process.consumer.numa_node);
    root[key] = {process.nics, nlohmann::json::array()};
  }
  // Host memory needs NICs, too: those of its node.
  for (const NumaNode& node : machine.numa_nodes) {
    std::vector<std::string> near;
    for (const Nic& nic : machine.nics) {
      if (nic.position.numa_node == node.os_index && !nic.name.empty()) near.push_back(nic.name);
    }
    if (gpus && !near.empty()) {
      root[fmt::format("cpu:{}", node.os_index)] = {near, nlohmann::json::array()};
    }
  }
  settings.text = root.dump(2) + "\n";
  settings.limits.push_back(
      "cuda:N is CUDA's number; it holds with CUDA_DEVICE_ORDER=PCI_BUS_ID and all GPUs visible.");
  return settings;
}

Settings RenderKubernetes(const Machine& machine, const Decision& decision) {
  Settings settings;
  const auto processes = ProcessesOf(machine, decision);
  std::set<std::string> nics;
  size_t gpus = 0;
  for (const Process& process : processes) {
    nics.insert(process.nics.begin(), process.nics.end());
    gpus += process.gpu ? 1 : 0;
  }
  settings.text =
      "# KubeletConfiguration: processors, GPUs and NICs of one container from one NUMA node\n"
      "cpuManagerPolicy: static\n"
      "topologyManagerPolicy: best-effort\n"
      "topologyManagerScope: container\n"
      "# One container with all of it, whose processes take the settings of libfabric or ucx:\n"
      "resources:\n"
      "  limits:\n";
  if (gpus > 0) settings.text += fmt::format("    nvidia.com/gpu: {}\n", gpus);
  settings.text += fmt::format("    vpc.amazonaws.com/efa: {}\n", nics.size());
  settings.limits.push_back(
      "A pod asks for a number of devices and cannot name them: which NIC goes with which GPU can "
      "only be set inside a container that has them all.");
  settings.limits.push_back(
      "The topology manager aligns what device plugins report a NUMA node of; it knows no "
      "switches.");
  return settings;
}

}  // namespace railgauge
