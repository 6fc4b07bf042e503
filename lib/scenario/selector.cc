#include "lib/scenario/selector.h"

#include <optional>
#include <set>
#include <string>

#include "fmt/core.h"

namespace railgauge {
namespace {

std::vector<PciAddress> SelectNics(const YamlNode* node, const EmulatedMachine& machine,
                                   YamlErrors* errors) {
  std::set<PciAddress> chosen;
  const auto add = [&](const std::string& word) {
    const size_t before = chosen.size();
    bool known = false;
    for (const EmulatedNic& nic : machine.nics) {
      if (word != "all" && word != nic.name && word != nic.address.ToString()) continue;
      chosen.insert(nic.address);
      known = true;
    }
    return known || chosen.size() > before;
  };
  if (node == nullptr) {
    add("all");
    return {chosen.begin(), chosen.end()};
  }
  for (const YamlNode* word : ReadOneOrMore(*node, "nics", errors)) {
    if (add(word->scalar)) continue;
    std::vector<std::string> known = {"all"};
    for (const EmulatedNic& nic : machine.nics) known.push_back(nic.name);
    errors->Add(word->line, fmt::format("there is no NIC '{}'", Printable(word->scalar)),
                AdviceAmong(word->scalar, known));
  }
  return {chosen.begin(), chosen.end()};
}

// Whether `word` names `place`, which is the `gpu_ordinal`-th GPU where it is one.
bool Names(const std::string& word, const MemoryPlace& place, size_t gpu_ordinal) {
  if (word == "all" || word == place.ToString()) return true;
  if (!place.is_gpu()) return word == "host";
  return word == "gpus" || word == fmt::format("gpu{}", gpu_ordinal);
}

std::vector<MemoryPlace> SelectPlaces(const YamlNode* node, const EmulatedMachine& machine,
                                      YamlErrors* errors) {
  const std::vector<MemoryPlace> places = machine.Places();
  if (node == nullptr) return places;
  std::set<MemoryPlace> chosen;
  for (const YamlNode* word : ReadOneOrMore(*node, "places", errors)) {
    bool known = false;
    size_t gpu_ordinal = 0;
    for (const MemoryPlace& place : places) {
      if (Names(word->scalar, place, gpu_ordinal)) {
        chosen.insert(place);
        known = true;
      }
      if (place.is_gpu()) ++gpu_ordinal;
    }
    if (known) continue;
    std::vector<std::string> names = {"all", "host", "gpus"};
    for (const MemoryPlace& place : places) names.push_back(place.ToString());
    errors->Add(word->line, fmt::format("there is no place '{}'", Printable(word->scalar)),
                AdviceAmong(word->scalar, names));
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace

std::vector<EmulatedMachine::NicPlace> SelectNicPlaces(const YamlMap& rule,
                                                       const EmulatedMachine& machine,
                                                       const PciLocations& locations,
                                                       YamlErrors* errors) {
  std::optional<Relation> relation;
  if (const YamlNode* node = rule.Optional("relation")) {
    relation = ParseRelation(node->scalar);
    if (!relation) {
      errors->AddWrong(*node, "relation",
                       "same_switch, same_host_bridge, same_numa_node, other_numa_node or unknown");
    }
  }
  const std::vector<PciAddress> nics = SelectNics(rule.Optional("nics"), machine, errors);
  const std::vector<MemoryPlace> places = SelectPlaces(rule.Optional("places"), machine, errors);
  std::vector<EmulatedMachine::NicPlace> pairs;
  for (const PciAddress& nic : nics) {
    for (const MemoryPlace& place : places) {
      if (!relation || locations.RelationOf(nic, place) == *relation) pairs.push_back({nic, place});
    }
  }
  if (pairs.empty()) {
    errors->Add(rule.line(), "the rule matches no NIC and place of this machine",
                "Correct nics, places or relation, or remove the rule");
  }
  return pairs;
}

}  // namespace railgauge
