#include "lib/fleet/fleet_plan.h"

#include <map>
#include <set>
#include <utility>

#include "fmt/core.h"
#include "lib/report/bounded_json.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

// The pairs of a ring of these nodes in the order of the initiators.
std::vector<PlannedPair> Ring(const std::vector<size_t>& nodes) {
  std::vector<PlannedPair> pairs;
  if (nodes.size() < 2) return pairs;
  for (size_t i = 0; i < nodes.size(); ++i) {
    pairs.push_back({nodes[i], nodes[(i + 1) % nodes.size()]});
  }
  return pairs;
}

Error PlanError(const std::string& path, std::string reason) {
  return MakeError("read the plan", path, std::move(reason),
                   "Make a new one in another folder with: railgauge fleet plan");
}

// The member of `object` that is a string; empty for none.
std::string TextOf(const Json& object, const char* name) {
  const auto member = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && member != object.end() && member->is_string()
             ? member->get<std::string>()
             : std::string();
}

Result<std::vector<FleetNode>> ParseNodes(const Json& list, const std::string& path) {
  std::string hosts;
  if (!list.is_array()) return Fail(PlanError(path, "it has no list of nodes"));
  for (const Json& entry : list) {
    const std::string name = TextOf(entry, "name"), address = TextOf(entry, "address");
    if (!IsNodeName(name) || address.empty() || address.find(',') != std::string::npos) {
      return Fail(PlanError(path, "a node has no proper name and address"));
    }
    hosts += fmt::format("{}{}={}", hosts.empty() ? "" : ",", name, address);
  }
  return ParseHosts(hosts, path);
}

class PairReader {
 public:
  PairReader(const std::vector<FleetNode>& nodes, const std::string& path) : path_(path) {
    for (size_t i = 0; i < nodes.size(); ++i) index_[nodes[i].name] = i;
  }

  Result<std::vector<PlannedPair>> ReadRound(const Json& list) {
    if (!list.is_array()) return Fail(PlanError(path_, "a round is no list of pairs"));
    std::vector<PlannedPair> round;
    std::set<size_t> busy;
    for (const Json& entry : list) {
      const auto initiator = index_.find(TextOf(entry, "initiator"));
      const auto target = index_.find(TextOf(entry, "target"));
      if (initiator == index_.end() || target == index_.end()) {
        return Fail(PlanError(path_, "a pair is not of two of its nodes"));
      }
      const PlannedPair pair{initiator->second, target->second};
      if (!busy.insert(pair.initiator).second || !busy.insert(pair.target).second) {
        return Fail(PlanError(path_, "a node is in two pairs of one round"));
      }
      if (!pairs_.insert(pair).second) return Fail(PlanError(path_, "a pair is there twice"));
      round.push_back(pair);
    }
    return round;
  }

 private:
  const std::string& path_;
  std::map<std::string, size_t> index_;
  std::set<PlannedPair> pairs_;
};

}  // namespace

std::vector<std::vector<PlannedPair>> RingRounds(size_t nodes) {
  RAILGAUGE_CHECK(nodes >= 2);
  std::vector<std::vector<PlannedPair>> rounds(2);
  for (size_t i = 0; i + 1 < nodes; ++i) rounds[i % 2].push_back({i, i + 1});
  if (nodes % 2 == 1) rounds.emplace_back();
  rounds.back().push_back({nodes - 1, 0});
  return rounds;
}

std::vector<PlannedPair> BridgingPairs(size_t nodes, const std::vector<bool>& gone) {
  RAILGAUGE_CHECK(gone.size() == nodes);
  std::vector<size_t> left;
  for (size_t i = 0; i < nodes; ++i) {
    if (!gone[i]) left.push_back(i);
  }
  std::vector<PlannedPair> bridging;
  for (const PlannedPair& pair : Ring(left)) {
    if (pair.target != (pair.initiator + 1) % nodes) bridging.push_back(pair);
  }
  return bridging;
}

Result<FleetPlan> MakePlan(std::vector<FleetNode> nodes, std::vector<std::string> check_flags) {
  if (nodes.size() < 2) {
    return Fail(MakeError("plan the fleet", "", "one node has nobody to be measured with",
                          "Name two or more; what one machine shows alone: railgauge check"));
  }
  FleetPlan plan;
  plan.rounds = RingRounds(nodes.size());
  plan.nodes = std::move(nodes);
  plan.check_flags = std::move(check_flags);
  return plan;
}

std::string ToJson(const FleetPlan& plan) {
  Json nodes = Json::array(), rounds = Json::array();
  for (const FleetNode& node : plan.nodes) {
    nodes.push_back({{"name", node.name}, {"address", node.address}});
  }
  for (const std::vector<PlannedPair>& round : plan.rounds) {
    Json pairs = Json::array();
    for (const PlannedPair& pair : round) {
      pairs.push_back({{"initiator", plan.nodes[pair.initiator].name},
                       {"target", plan.nodes[pair.target].name}});
    }
    rounds.push_back(std::move(pairs));
  }
  const Json json = {{"schema_version", kSchema},
                     {"nodes", std::move(nodes)},
                     {"rounds", std::move(rounds)},
                     {"check_flags", plan.check_flags}};
  return json.dump(1) + "\n";
}

Result<FleetPlan> ParsePlan(std::string_view json, const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const Json root,
                             ParseBoundedJson<Json>(json, path, PlanError(path, "").advice));
  if (!root.is_object()) return Fail(PlanError(path, "it is no JSON object"));
  if (root.value("schema_version", Json()) != kSchema) {
    return Fail(PlanError(path, fmt::format("its schema_version is not {}", kSchema)));
  }
  FleetPlan plan;
  RAILGAUGE_ASSIGN_OR_RETURN(plan.nodes, ParseNodes(root.value("nodes", Json()), path));
  if (plan.nodes.size() < 2) return Fail(PlanError(path, "it has fewer than two nodes"));
  const Json rounds = root.value("rounds", Json()), flags = root.value("check_flags", Json());
  if (!rounds.is_array()) return Fail(PlanError(path, "it has no list of rounds"));
  PairReader reader(plan.nodes, path);
  for (const Json& list : rounds) {
    RAILGAUGE_ASSIGN_OR_RETURN(auto round, reader.ReadRound(list));
    plan.rounds.push_back(std::move(round));
  }
  if (!flags.is_array()) return Fail(PlanError(path, "it has no list of check_flags"));
  for (const Json& flag : flags) {
    if (!flag.is_string() || !flag.get_ref<const std::string&>().starts_with("--")) {
      return Fail(PlanError(path, "what is among check_flags is no flag"));
    }
    plan.check_flags.push_back(flag.get<std::string>());
  }
  return plan;
}

}  // namespace railgauge
