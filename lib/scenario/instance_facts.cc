#include "lib/scenario/instance_facts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace railgauge {
namespace {

constexpr std::array kProvenances = {Provenance::kPublished, Provenance::kSeen,
                                     Provenance::kAssumed};
constexpr std::array kPciTrees = {PciTree::kFlat, PciTree::kHostBridges, PciTree::kSwitches};

// Where a fact is from: the one key that names it, and the source as its value.
template <typename T>
void ReadProvenance(const YamlNode& node, const std::string& what, Fact<T>* fact,
                    YamlErrors* errors) {
  size_t count = 0;
  for (const Provenance provenance : kProvenances) {
    const YamlNode* source = node.Find(ToString(provenance));
    if (source == nullptr) continue;
    ++count;
    fact->provenance = provenance;
    fact->source = ReadText(*source, ToString(provenance), errors);
  }
  if (count == 1) return;
  errors->Add(node.line,
              fmt::format("{} says {} where it is from", what, count == 0 ? "not" : "twice"),
              "Write one of published, seen and assumed, with who says so");
}

// `read` makes the value from the node, its name and errors.
template <typename T, typename Read>
std::optional<Fact<T>> ReadFact(const YamlMap& facts, const std::string& key, YamlErrors* errors,
                                Read read) {
  const YamlNode* node = facts.Optional(key);
  if (node == nullptr) return std::nullopt;
  const YamlMap map(*node, key, {"is", "published", "seen", "assumed"}, errors);
  Fact<T> fact;
  fact.value = read(map.Required("is"), key, errors);
  ReadProvenance(*node, key, &fact, errors);
  return fact;
}

uint32_t ReadCount(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  return static_cast<uint32_t>(ReadUint(node, what, 0, 1000, errors));
}

// A word that is the spelling of one of `values`.
template <typename T, size_t N>
T ReadOneOf(const YamlNode& node, std::string_view what, const std::array<T, N>& values,
            YamlErrors* errors) {
  std::vector<std::string> known;
  for (const T value : values) {
    if (node.scalar == ToString(value)) return value;
    known.emplace_back(ToString(value));
  }
  errors->AddWrong(node, what, fmt::format("{}", fmt::join(known, " or ")));
  return values.front();
}

ReportedThroughput ReadReported(const YamlNode& node, YamlErrors* errors) {
  const YamlMap map(node, "reported", {"memory", "operation", "throughput", "source"}, errors);
  ReportedThroughput reported;
  const YamlNode& memory = map.Required("memory");
  if (memory.scalar == "gpus") {
    reported.memory = MemoryPlace::Kind::kGpu;
  } else if (memory.scalar != "host") {
    errors->AddWrong(memory, "memory", "host or gpus");
  }
  reported.operation = ReadOneOf(map.Required("operation"), "operation",
                                 std::array{Operation::kRead, Operation::kWrite}, errors);
  reported.throughput = map.Rate("throughput");
  reported.source = map.Text("source");
  return reported;
}

// As a C++ literal. The texts have no control characters (ReadText).
std::string Literal(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

std::string Literal(uint32_t value) { return fmt::format("{}u", value); }
std::string Literal(bool value) { return value ? "true" : "false"; }
std::string Literal(BytesPerSecond value) {
  return fmt::format("BytesPerSecond{{{:.17g}}}", value.value);
}
std::string Literal(PciTree value) {
  return fmt::format("static_cast<PciTree>({})", static_cast<int>(value));
}
std::string Literal(Provenance value) {
  return fmt::format("static_cast<Provenance>({})", static_cast<int>(value));
}

template <typename T>
std::string Literal(std::string_view type, const std::optional<Fact<T>>& fact) {
  if (!fact) return "std::nullopt";
  return fmt::format("Fact<{}>{{{}, {}, {}}}", type, Literal(fact->value),
                     Literal(fact->provenance), Literal(fact->source));
}

std::string Literal(const ReportedThroughput& reported) {
  return fmt::format("{{static_cast<MemoryPlace::Kind>({}), static_cast<Operation>({}), {}, {}}}",
                     static_cast<int>(reported.memory), static_cast<int>(reported.operation),
                     Literal(reported.throughput), Literal(reported.source));
}

}  // namespace

InstanceType ReadInstanceFacts(const YamlNode& facts, const std::string& instance_type,
                               YamlErrors* errors) {
  InstanceType type;
  type.name = instance_type;
  const YamlMap map(facts, "facts",
                    {"nics", "gpus", "nics_per_group", "gpus_per_group", "pci_tree", "line_rate",
                     "rdma_read", "rdma_write", "reported"},
                    errors);
  type.nics = ReadFact<uint32_t>(map, "nics", errors, ReadCount);
  type.gpus = ReadFact<uint32_t>(map, "gpus", errors, ReadCount);
  type.nics_per_group = ReadFact<uint32_t>(map, "nics_per_group", errors, ReadCount);
  type.gpus_per_group = ReadFact<uint32_t>(map, "gpus_per_group", errors, ReadCount);
  type.pci_tree = ReadFact<PciTree>(map, "pci_tree", errors,
                                    [](const YamlNode& node, std::string_view what, YamlErrors* e) {
                                      return ReadOneOf(node, what, kPciTrees, e);
                                    });
  type.line_rate = ReadFact<BytesPerSecond>(map, "line_rate", errors, ReadRate);
  type.rdma_read = ReadFact<bool>(map, "rdma_read", errors, ReadBool);
  type.rdma_write = ReadFact<bool>(map, "rdma_write", errors, ReadBool);
  if (const YamlNode* reported = map.Optional("reported")) {
    for (const YamlNode& item : ReadList(*reported, "reported", errors)) {
      type.reported.push_back(ReadReported(item, errors));
    }
  }
  return type;
}

Result<InstanceType> ReadInstanceFactsOf(const std::string& yaml_path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const YamlNode root, ReadYamlFile(yaml_path));
  YamlErrors errors(yaml_path);
  const YamlNode* name = root.Find("instance_type");
  const YamlNode* facts = root.Find("facts");
  if (name == nullptr || facts == nullptr) {
    errors.Add(1,
               fmt::format("the scenario has no '{}'", name == nullptr ? "instance_type" : "facts"),
               "Add it");
    return Fail(errors.first());
  }
  InstanceType type = ReadInstanceFacts(*facts, ReadText(*name, "instance_type", &errors), &errors);
  if (!errors.ok()) return Fail(errors.first());
  return type;
}

std::string InstanceTypeTable(std::span<const InstanceType> types) {
  std::vector<InstanceType> sorted(types.begin(), types.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const InstanceType& a, const InstanceType& b) { return a.name < b.name; });
  std::string text =
      "// Generated from scenarios/instances/*.yaml: change those.\n"
      "#include \"lib/instance_types/instance_types.h\"\n\n"
      "namespace railgauge {\n\n"
      "const std::vector<InstanceType>& InstanceTypes() {\n"
      "  static const std::vector<InstanceType> types = {\n";
  for (const InstanceType& type : sorted) {
    std::vector<std::string> reported;
    for (const ReportedThroughput& one : type.reported) reported.push_back(Literal(one));
    text += fmt::format(
        "    {{{},\n     {},\n     {},\n     {},\n     {},\n     {},\n     {},\n     {},\n     "
        "{},\n"
        "     {{{}}}}},\n",
        Literal(type.name), Literal("uint32_t", type.nics), Literal("uint32_t", type.gpus),
        Literal("uint32_t", type.nics_per_group), Literal("uint32_t", type.gpus_per_group),
        Literal("PciTree", type.pci_tree), Literal("BytesPerSecond", type.line_rate),
        Literal("bool", type.rdma_read), Literal("bool", type.rdma_write),
        fmt::join(reported, ",\n      "));
  }
  return text + "  };\n  return types;\n}\n\n}  // namespace railgauge\n";
}

}  // namespace railgauge
