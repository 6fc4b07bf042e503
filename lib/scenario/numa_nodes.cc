#include "lib/scenario/numa_nodes.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "fmt/core.h"

namespace railgauge {
namespace {

constexpr uint32_t kMaxCpu = 4095;

std::optional<uint32_t> ParseCpu(std::string_view text) {
  uint32_t cpu = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, cpu);
  if (text.empty() || error != std::errc() || rest != end || cpu > kMaxCpu) return std::nullopt;
  return cpu;
}

// "0-47,96-143" or "none". Empty result: not of that form.
std::optional<std::set<uint32_t>> ParseCpuList(std::string_view text) {
  std::set<uint32_t> cpus;
  if (text == "none") return cpus;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view range = text.substr(0, comma);
    const size_t dash = range.find('-');
    const auto first = ParseCpu(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseCpu(range.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    for (uint32_t cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
    if (comma == std::string_view::npos) return cpus;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<EmulatedNumaNode> ReadNumaNodes(const YamlNode& node, uint32_t threads_per_core,
                                            YamlErrors* errors) {
  std::vector<EmulatedNumaNode> nodes;
  std::map<uint32_t, uint32_t> node_of_cpu;
  std::set<uint32_t> indexes;
  bool memory = false;
  for (const YamlNode& item : ReadList(node, "numa_nodes", errors)) {
    const YamlMap map(item, "a NUMA node", {"index", "package", "cpus", "memory"}, errors);
    EmulatedNumaNode numa_node;
    numa_node.index = map.Uint("index", 0, 1023);
    numa_node.package = map.Uint("package", 0, 1023);
    numa_node.memory = map.Size("memory");
    memory = memory || numa_node.memory.count > 0;
    const YamlNode& list = map.Required("cpus");
    const auto cpus = ParseCpuList(list.scalar);
    if (!cpus) {
      errors->AddWrong(list, "cpus",
                       fmt::format("CPU numbers up to {}, like \"0-47,96-143\", or none", kMaxCpu));
    }
    if (!errors->ok()) return nodes;
    if (!indexes.insert(numa_node.index).second) {
      errors->Add(item.line, fmt::format("two NUMA nodes have the index {}", numa_node.index),
                  "Give one of them another");
    }
    for (const uint32_t cpu : *cpus) {
      const auto [other, is_new] = node_of_cpu.emplace(cpu, numa_node.index);
      if (is_new) continue;
      errors->Add(list.line,
                  fmt::format("CPU {} is in NUMA node {} and in node {}", cpu, other->second,
                              numa_node.index),
                  "Remove it from one of them");
    }
    if (cpus->size() % threads_per_core != 0) {
      errors->Add(list.line,
                  fmt::format("{} CPUs are no whole number of cores with {} threads", cpus->size(),
                              threads_per_core),
                  "Correct cpus or threads_per_core");
    }
    numa_node.cpus.assign(cpus->begin(), cpus->end());
    nodes.push_back(std::move(numa_node));
  }
  if (node_of_cpu.empty() || !memory) {
    errors->Add(node.line, "the machine has no CPU or no memory",
                "Give at least one NUMA node both");
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const EmulatedNumaNode& a, const EmulatedNumaNode& b) { return a.index < b.index; });
  return nodes;
}

std::vector<EmulatedCache> ReadCaches(const YamlNode& node, YamlErrors* errors) {
  std::vector<EmulatedCache> caches;
  for (const YamlNode& item : ReadList(node, "caches", errors)) {
    const YamlMap map(item, "a cache", {"level", "type", "size", "cores"}, errors);
    EmulatedCache cache;
    const uint32_t last_level = caches.empty() ? 1 : caches.back().level;
    cache.level = map.Uint("level", last_level, 4);
    cache.type = map.Text("type");
    cache.size = map.Size("size");
    cache.cores = map.Uint("cores", 1, kMaxCpu);
    if (!errors->ok()) break;
    if (cache.type != "Data" && cache.type != "Instruction" && cache.type != "Unified") {
      errors->AddWrong(map.Required("type"), "type", "Data, Instruction or Unified");
    }
    if (cache.size.count < 1024) {
      errors->AddWrong(map.Required("size"), "size", "at least 1KiB");
    }
    caches.push_back(std::move(cache));
  }
  return caches;
}

}  // namespace railgauge
