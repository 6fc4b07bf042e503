#include "lib/scenario/ids.h"

#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "fmt/core.h"
#include "lib/scenario/selector.h"

namespace railgauge {
namespace {

constexpr uint32_t kMaxId = 255;  // ids have 8 bits on the device's admin wire

// What one rule says of one field.
struct IdRule {
  bool given = false;
  std::optional<uint32_t> base;  // empty: none
  bool add_nic_index = false;
  int line = 0;
};

IdRule ReadIdRule(const YamlMap& rule, std::string_view field, YamlErrors* errors) {
  IdRule id;
  const YamlNode* node = rule.Optional(field);
  if (node == nullptr) return id;
  id.given = true;
  id.line = node->line;
  std::string_view text = node->scalar;
  if (text == "none") return id;
  constexpr std::string_view kIndex = " + nic_index";
  id.add_nic_index = text.ends_with(kIndex);
  if (id.add_nic_index) text.remove_suffix(kIndex.size());
  uint32_t base = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, base);
  if (text.empty() || error != std::errc() || rest != end || base > kMaxId) {
    errors->AddWrong(*node, field, "an id from 0 to 255, 'N + nic_index', or none");
  }
  id.base = base;
  return id;
}

std::set<RegistrationWay> ReadWays(const YamlMap& rule, YamlErrors* errors) {
  const YamlNode* node = rule.Optional("way");
  if (node == nullptr) {
    return {RegistrationWay::kHost, RegistrationWay::kDmabuf, RegistrationWay::kPeerMemory};
  }
  std::set<RegistrationWay> ways;
  for (const YamlNode* word : ReadOneOrMore(*node, "way", errors)) {
    if (const auto way = ParseRegistrationWay(word->scalar)) {
      ways.insert(*way);
    } else {
      errors->AddWrong(*word, "way", "host, dmabuf or peer_memory");
    }
  }
  return ways;
}

class IdBuilder {
 public:
  IdBuilder(EmulatedMachine* machine, YamlErrors* errors) : machine_(machine), errors_(errors) {
    uint32_t index = 0;
    for (const EmulatedNic& nic : machine->nics) {
      nic_index_[nic.address] = index++;
      for (const MemoryPlace& place : machine->Places()) {
        machine->host_and_dmabuf_ids[{nic.address, place}] = {};
        if (place.is_gpu()) machine->peer_memory_ids[{nic.address, place}] = {};
      }
    }
  }

  void Apply(const std::array<IdRule, 3>& fields, const std::set<RegistrationWay>& ways,
             const EmulatedMachine::NicPlace& pair) {
    const RegistrationWay first =
        pair.second.is_gpu() ? RegistrationWay::kDmabuf : RegistrationWay::kHost;
    if (ways.count(first) != 0) {
      Set(fields, pair.first, &machine_->host_and_dmabuf_ids[pair]);
      applied_ = true;
    }
    if (pair.second.is_gpu() && ways.count(RegistrationWay::kPeerMemory) != 0) {
      Set(fields, pair.first, &machine_->peer_memory_ids[pair]);
      applied_ = true;
    }
  }

  // Whether any Apply since the last call changed anything.
  bool TakeApplied() { return std::exchange(applied_, false); }

 private:
  void Set(const std::array<IdRule, 3>& fields, const PciAddress& nic, InterconnectIds* ids) {
    const std::array<std::optional<uint16_t>*, 3> targets = {&ids->recv, &ids->rdma_read,
                                                             &ids->rdma_recv};
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].given) continue;
      if (!fields[i].base) {
        *targets[i] = std::nullopt;
        continue;
      }
      const uint32_t id = *fields[i].base + (fields[i].add_nic_index ? nic_index_[nic] : 0);
      if (id > kMaxId) {
        errors_->Add(
            fields[i].line,
            fmt::format("with nic_index added, the id of NIC {} is {}", nic.ToString(), id),
            "Keep it at or below 255");
        return;
      }
      *targets[i] = static_cast<uint16_t>(id);
    }
  }

  EmulatedMachine* machine_;
  YamlErrors* errors_;
  std::map<PciAddress, uint32_t> nic_index_;
  bool applied_ = false;
};

}  // namespace

void ReadInterconnectIds(const YamlNode& rules, const PciLocations& locations,
                         EmulatedMachine* machine, YamlErrors* errors) {
  IdBuilder builder(machine, errors);
  for (const YamlNode& item : ReadList(rules, "interconnect_ids", errors)) {
    const YamlMap rule(item, "an id rule",
                       {"nics", "places", "relation", "way", "recv", "rdma_read", "rdma_recv"},
                       errors);
    const std::array<IdRule, 3> fields = {ReadIdRule(rule, "recv", errors),
                                          ReadIdRule(rule, "rdma_read", errors),
                                          ReadIdRule(rule, "rdma_recv", errors)};
    if (!fields[0].given && !fields[1].given && !fields[2].given) {
      errors->Add(rule.line(), "an id rule has none of recv, rdma_read and rdma_recv",
                  "Add one, or remove the rule");
    }
    const std::set<RegistrationWay> ways = ReadWays(rule, errors);
    for (const auto& pair : SelectNicPlaces(rule, *machine, locations, errors)) {
      if (!errors->ok()) return;
      builder.Apply(fields, ways, pair);
    }
    if (!errors->ok()) return;
    if (!builder.TakeApplied()) {
      errors->Add(rule.line(), "the rule's ways go with none of its places",
                  "host goes with NUMA nodes, dmabuf and peer_memory with GPUs");
    }
  }
}

}  // namespace railgauge
