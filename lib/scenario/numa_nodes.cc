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
constexpr uint32_t kMaxNode = 1023;

std::optional<uint32_t> ParseNumber(std::string_view text) {
  uint32_t cpu = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, cpu);
  if (text.empty() || error != std::errc() || rest != end || cpu > kMaxCpu) return std::nullopt;
  return cpu;
}

// "0-47,96-143". Empty result: not of that form.
std::optional<std::set<uint32_t>> ParseNumbers(std::string_view text) {
  std::set<uint32_t> numbers;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view range = text.substr(0, comma);
    const size_t dash = range.find('-');
    const auto first = ParseNumber(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseNumber(range.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    for (uint32_t number = *first; number <= *last; ++number) numbers.insert(number);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

// As above, or "none".
std::optional<std::set<uint32_t>> ParseCpuList(std::string_view text) {
  if (text == "none") return std::set<uint32_t>();
  return ParseNumbers(text);
}

// "0", or "2-33" where an item stands for several nodes. Not empty unless there is an error.
std::set<uint32_t> ReadIndexes(const YamlMap& map, YamlErrors* errors) {
  const YamlNode& node = map.Required("index");
  const auto indexes = ParseNumbers(node.scalar);
  if (indexes && *indexes->rbegin() <= kMaxNode) return *indexes;
  errors->AddWrong(node, "index",
                   fmt::format("a number up to {}, or of several empty nodes \"2-33\"", kMaxNode));
  return {};
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
    const std::set<uint32_t> own = ReadIndexes(map, errors);
    if (own.size() > 1 && (!cpus->empty() || numa_node.memory.count > 0)) {
      errors->Add(item.line, "several NUMA nodes at once have CPUs or memory",
                  "Give every node that has any an item of its own");
    }
    if (!errors->ok()) return nodes;
    for (const uint32_t index : own) {
      if (indexes.insert(index).second) continue;
      errors->Add(item.line, fmt::format("two NUMA nodes have the index {}", index),
                  "Give one of them another");
    }
    for (const uint32_t cpu : *cpus) {
      const auto [other, is_new] = node_of_cpu.emplace(cpu, *own.begin());
      if (is_new) continue;
      errors->Add(
          list.line,
          fmt::format("CPU {} is in NUMA node {} and in node {}", cpu, other->second, *own.begin()),
          "Remove it from one of them");
    }
    if (cpus->size() % threads_per_core != 0) {
      errors->Add(list.line,
                  fmt::format("{} CPUs are no whole number of cores with {} threads", cpus->size(),
                              threads_per_core),
                  "Correct cpus or threads_per_core");
    }
    numa_node.cpus.assign(cpus->begin(), cpus->end());
    for (const uint32_t index : own) {
      nodes.push_back(numa_node);
      nodes.back().index = index;
    }
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
