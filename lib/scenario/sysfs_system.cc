#include "lib/scenario/sysfs_system.h"

#include <algorithm>
#include <map>

#include "fmt/core.h"

namespace railgauge {
namespace {

constexpr char kCpus[] = "sys/devices/system/cpu";

struct Core {
  uint32_t id = 0;  // within its package
  uint32_t package = 0;
  std::vector<uint32_t> threads;
};

// The cores of a NUMA node: its CPUs in order are the first threads of all its cores, then the
// second ones. `next_id` counts the cores of each package.
std::vector<Core> CoresOf(const EmulatedNumaNode& node, uint32_t threads_per_core,
                          std::map<uint32_t, uint32_t>* next_id) {
  std::vector<Core> cores(node.cpus.size() / threads_per_core);
  for (size_t i = 0; i < cores.size(); ++i) {
    cores[i].id = (*next_id)[node.package]++;
    cores[i].package = node.package;
    for (uint32_t thread = 0; thread < threads_per_core; ++thread) {
      cores[i].threads.push_back(node.cpus[i + thread * cores.size()]);
    }
  }
  return cores;
}

std::vector<Core> AllCores(const EmulatedMachine& machine) {
  std::vector<Core> cores;
  std::map<uint32_t, uint32_t> next_id;
  for (const EmulatedNumaNode& node : machine.numa_nodes) {
    const auto more = CoresOf(node, machine.threads_per_core, &next_id);
    cores.insert(cores.end(), more.begin(), more.end());
  }
  return cores;
}

std::vector<uint32_t> CpusOfPackage(const EmulatedMachine& machine, uint32_t package) {
  std::vector<uint32_t> cpus;
  for (const EmulatedNumaNode& node : machine.numa_nodes) {
    if (node.package == package) cpus.insert(cpus.end(), node.cpus.begin(), node.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::vector<uint32_t> NodesThat(const EmulatedMachine& machine,
                                bool (*holds)(const EmulatedNumaNode&)) {
  std::vector<uint32_t> indexes;
  for (const EmulatedNumaNode& node : machine.numa_nodes) {
    if (holds(node)) indexes.push_back(node.index);
  }
  return indexes;
}

// Nothing is reserved: who wants huge pages is told so, as on a fresh instance.
void WriteHugePages(const std::string& folder, FileTree* tree) {
  for (const char* size : {"2048kB", "1048576kB"}) {
    for (const char* name : {"nr_hugepages", "free_hugepages", "surplus_hugepages"}) {
      tree->Attribute(fmt::format("{}/hugepages-{}/{}", folder, size, name), "0");
    }
  }
}

void WriteTopology(const EmulatedMachine& machine, const Core& core, const std::string& folder,
                   const std::vector<uint32_t>& package_cpus, FileTree* tree) {
  tree->Attribute(folder + "/core_id", std::to_string(core.id));
  tree->Attribute(folder + "/physical_package_id", std::to_string(core.package));
  tree->Attribute(folder + "/die_id", "0");
  const std::string threads = FormatCpuMask(machine, core.threads);
  const std::string package = FormatCpuMask(machine, package_cpus);
  // Each set under its old and its new name; the kernel has both.
  for (const char* name : {"thread_siblings", "core_cpus"}) {
    tree->Attribute(fmt::format("{}/{}", folder, name), threads);
    tree->Attribute(fmt::format("{}/{}_list", folder, name), FormatCpuList(core.threads));
  }
  for (const char* name : {"core_siblings", "package_cpus"}) {
    tree->Attribute(fmt::format("{}/{}", folder, name), package);
    tree->Attribute(fmt::format("{}/{}_list", folder, name), FormatCpuList(package_cpus));
  }
}

// The caches of `core`, which is in the same package as `mates` (all of it, in order). Those that
// several cores share are written at the first one; the others link to it.
void WriteCaches(const EmulatedMachine& machine, const std::vector<const Core*>& mates,
                 const Core& core, FileTree* tree) {
  const auto folder_of = [](const Core& owner, size_t index) {
    return fmt::format("{}/cpu{}/cache/index{}", kCpus, owner.threads[0], index);
  };
  for (size_t index = 0; index < machine.caches.size(); ++index) {
    const EmulatedCache& cache = machine.caches[index];
    const size_t first = core.id - core.id % cache.cores;
    if (core.id != first) {
      tree->Link(folder_of(core, index), folder_of(*mates[first], index));
      continue;
    }
    std::vector<uint32_t> sharing;
    for (size_t i = first; i < std::min(first + cache.cores, mates.size()); ++i) {
      sharing.insert(sharing.end(), mates[i]->threads.begin(), mates[i]->threads.end());
    }
    const std::string folder = folder_of(core, index);
    tree->Attribute(folder + "/level", std::to_string(cache.level));
    tree->Attribute(folder + "/type", cache.type);
    tree->Attribute(folder + "/size", fmt::format("{}K", cache.size.count / 1024));
    tree->Attribute(folder + "/shared_cpu_map", FormatCpuMask(machine, sharing));
  }
}

}  // namespace

std::vector<uint32_t> CpusOfNode(const EmulatedMachine& machine,
                                 std::optional<uint32_t> numa_node) {
  std::vector<uint32_t> cpus;
  for (const EmulatedNumaNode& node : machine.numa_nodes) {
    if (numa_node && node.index != *numa_node) continue;
    cpus.insert(cpus.end(), node.cpus.begin(), node.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::string FormatCpuMask(const EmulatedMachine& machine, const std::vector<uint32_t>& cpus) {
  const std::vector<uint32_t> all = CpusOfNode(machine, std::nullopt);
  std::vector<uint32_t> words(all.empty() ? 1 : all.back() / 32 + 1);
  for (const uint32_t cpu : cpus) words[cpu / 32] |= 1u << (cpu % 32);
  std::string text;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    text += fmt::format("{}{:08x}", text.empty() ? "" : ",", *word);
  }
  return text;
}

std::string FormatCpuList(const std::vector<uint32_t>& cpus) {
  std::string text;
  for (size_t i = 0; i < cpus.size();) {
    size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

void WriteCpus(const EmulatedMachine& machine, FileTree* tree) {
  const std::vector<uint32_t> all = CpusOfNode(machine, std::nullopt);
  for (const char* name : {"online", "possible", "present"}) {
    tree->Attribute(fmt::format("{}/{}", kCpus, name), FormatCpuList(all));
  }
  tree->Attribute(fmt::format("{}/offline", kCpus), "");
  tree->Attribute(fmt::format("{}/isolated", kCpus), "");
  tree->Attribute(fmt::format("{}/kernel_max", kCpus), "8191");

  const std::vector<Core> cores = AllCores(machine);
  std::map<uint32_t, std::vector<const Core*>> packages;  // their cores by id
  for (const Core& core : cores) packages[core.package].push_back(&core);
  for (const auto& [package, mates] : packages) {
    const std::vector<uint32_t> package_cpus = CpusOfPackage(machine, package);
    for (const Core* core : mates) {
      const std::string first = fmt::format("{}/cpu{}", kCpus, core->threads[0]);
      WriteTopology(machine, *core, first + "/topology", package_cpus, tree);
      WriteCaches(machine, mates, *core, tree);
      // All of this is the same for the other threads of the core, whose folders are links.
      for (size_t i = 1; i < core->threads.size(); ++i) {
        for (const char* folder : {"topology", "cache"}) {
          tree->Link(fmt::format("{}/cpu{}/{}", kCpus, core->threads[i], folder),
                     fmt::format("{}/{}", first, folder));
        }
      }
    }
  }
}

void WriteNumaNodes(const EmulatedMachine& machine, FileTree* tree) {
  const std::string folder = "sys/devices/system/node";
  const auto any = [](const EmulatedNumaNode&) { return true; };
  const auto cpu = [](const EmulatedNumaNode& node) { return !node.cpus.empty(); };
  const auto memory = [](const EmulatedNumaNode& node) { return node.memory.count > 0; };
  tree->Attribute(folder + "/online", FormatCpuList(NodesThat(machine, any)));
  tree->Attribute(folder + "/possible", FormatCpuList(NodesThat(machine, any)));
  tree->Attribute(folder + "/has_cpu", FormatCpuList(NodesThat(machine, cpu)));
  tree->Attribute(folder + "/has_memory", FormatCpuList(NodesThat(machine, memory)));
  tree->Attribute(folder + "/has_normal_memory", FormatCpuList(NodesThat(machine, memory)));
  for (const EmulatedNumaNode& node : machine.numa_nodes) {
    const std::string path = fmt::format("{}/node{}", folder, node.index);
    tree->Attribute(path + "/cpumap", FormatCpuMask(machine, node.cpus));
    tree->Attribute(path + "/cpulist", FormatCpuList(node.cpus));
    const uint64_t kib = node.memory.count / 1024;
    tree->File(path + "/meminfo",
               fmt::format("Node {0} MemTotal:       {1} kB\nNode {0} MemFree:        {1} kB\n"
                           "Node {0} MemUsed:        0 kB\nNode {0} HugePages_Total:     0\n"
                           "Node {0} HugePages_Free:      0\nNode {0} HugePages_Surp:      0\n",
                           node.index, kib));
    std::string distances;
    for (const EmulatedNumaNode& other : machine.numa_nodes) {
      // The kernel's defaults for the node itself and for any other.
      distances +=
          fmt::format("{}{}", distances.empty() ? "" : " ", other.index == node.index ? 10 : 20);
    }
    tree->Attribute(path + "/distance", distances);
    WriteHugePages(path + "/hugepages", tree);
  }
}

void WriteMachineName(const EmulatedMachine& machine, FileTree* tree) {
  const std::string folder = "sys/devices/virtual/dmi/id";
  tree->Attribute(folder + "/sys_vendor", "Amazon EC2");
  tree->Attribute(folder + "/product_name", machine.instance_type);
  tree->Attribute(folder + "/product_version", "emulated");
  tree->Attribute(folder + "/board_vendor", "Amazon EC2");
  tree->Attribute(folder + "/board_asset_tag", "emulated");  // a real one is the instance's id
  tree->Attribute(folder + "/chassis_vendor", "Amazon EC2");
  tree->Attribute(folder + "/bios_vendor", "Amazon EC2");
  tree->Attribute(folder + "/bios_version", "emulated");
  tree->Link("sys/class/dmi/id", folder);
  tree->Attribute("sys/module/efa/version", "emulated");
  WriteHugePages("sys/kernel/mm/hugepages", tree);
  tree->Attribute("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  tree->Attribute("sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152");
  tree->Folder("sys/fs/cgroup");
}

namespace {

// What one CPU has in /proc/cpuinfo of an x86-64 kernel.
std::string X86CpuInfo(const EmulatedMachine& machine, const Core& core, uint32_t cpu,
                       size_t siblings) {
  const bool amd = machine.cpu_model.starts_with("AMD");
  return fmt::format(
      "processor\t: {}\nvendor_id\t: {}\nmodel name\t: {}\ncpu MHz\t\t: {}.000\n"
      "physical id\t: {}\nsiblings\t: {}\ncore id\t\t: {}\ncpu cores\t: {}\n\n",
      cpu, amd ? "AuthenticAMD" : "GenuineIntel", machine.cpu_model, machine.cpu_mhz, core.package,
      siblings, core.id, siblings / machine.threads_per_core);
}

// The same of an aarch64 kernel, which knows neither a model's name nor a clock.
std::string ArmCpuInfo(const EmulatedMachine& machine, uint32_t cpu) {
  constexpr char kTimer[] = "2000.00";  // twice the 1 GHz of the architecture's timer
  return fmt::format(
      "processor\t: {}\nBogoMIPS\t: {}\nCPU implementer\t: 0x{}\nCPU architecture: 8\n"
      "CPU variant\t: 0x0\nCPU part\t: 0x{}\nCPU revision\t: 0\n\n",
      cpu, kTimer, machine.arm_cpu.substr(0, 2), machine.arm_cpu.substr(3));
}

}  // namespace

void WriteCpuInfo(const EmulatedMachine& machine, FileTree* tree) {
  std::map<uint32_t, std::string> by_cpu;
  for (const Core& core : AllCores(machine)) {
    const size_t siblings = CpusOfPackage(machine, core.package).size();
    for (const uint32_t cpu : core.threads) {
      by_cpu[cpu] = machine.arm_cpu.empty() ? X86CpuInfo(machine, core, cpu, siblings)
                                            : ArmCpuInfo(machine, cpu);
    }
  }
  std::string text;
  for (const auto& [cpu, block] : by_cpu) text += block;
  tree->File("proc/cpuinfo", text);
}

}  // namespace railgauge
