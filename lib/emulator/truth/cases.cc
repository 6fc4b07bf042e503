#include "lib/emulator/truth/cases.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "fmt/core.h"
#include "lib/scenario/location.h"

namespace railgauge {
namespace {

// "uplink up" of "uplink:0000:44:00.0:up", "numa link" of "numa0->numa1", "numa write" of
// "numa1:write".
std::string SortOf(const std::string& resource) {
  if (resource.find("->") != std::string::npos) return "numa link";
  std::string begin = resource.substr(0, resource.find(':'));
  if (begin.starts_with("numa")) begin = "numa";
  return begin + " " + resource.substr(resource.rfind(':') + 1);
}

void Expect(const EmulatedMachine& machine, TruthCase* truth) {
  std::vector<std::vector<uint32_t>> flows;
  for (const TruthFlow& flow : truth->flows) {
    flows.push_back(machine.PathOf(flow.nic, flow.place, flow.direction).resources);
  }
  std::vector<double> capacities;
  for (const EmulatedResource& resource : machine.resources) {
    capacities.push_back(resource.capacity.value);
  }
  truth->expected = MaxMinRates(flows, capacities);
}

// The cases of one kind, whose pairs are `pairs`.
class KindCases {
 public:
  KindCases(const EmulatedMachine& machine, std::string kind, std::vector<TruthFlow> pairs)
      : machine_(machine), kind_(std::move(kind)), pairs_(std::move(pairs)) {}

  void AppendTo(std::vector<TruthCase>* cases) const {
    std::set<double> seen;
    for (const TruthFlow& pair : pairs_) {
      if (!seen.insert(PathOf(pair).capacity.value).second) continue;
      Append("", {pair}, cases);
    }
    std::set<std::string> sorts;
    for (const TruthFlow& pair : pairs_) {
      for (const uint32_t resource : PathOf(pair).resources) {
        const std::string sort = SortOf(machine_.resources[resource].name);
        if (sorts.contains(sort)) continue;
        std::vector<TruthFlow> sharing = Crossing(resource);
        if (sharing.size() == 1 && sort.starts_with("nic")) sharing.push_back(sharing[0]);
        if (sharing.size() < 2) continue;
        sorts.insert(sort);
        Append(sort, std::move(sharing), cases);
      }
    }
  }

 private:
  const EmulatedPath& PathOf(const TruthFlow& flow) const {
    return machine_.PathOf(flow.nic, flow.place, flow.direction);
  }

  // Every NIC of the kind that crosses `resource` on the way to some place, once.
  std::vector<TruthFlow> Crossing(uint32_t resource) const {
    std::vector<TruthFlow> found;
    std::set<PciAddress> nics;
    for (const TruthFlow& pair : pairs_) {
      const std::vector<uint32_t>& crossed = PathOf(pair).resources;
      if (std::find(crossed.begin(), crossed.end(), resource) == crossed.end()) continue;
      if (nics.insert(pair.nic).second) found.push_back(pair);
    }
    return found;
  }

  void Append(const std::string& shared, std::vector<TruthFlow> flows,
              std::vector<TruthCase>* cases) const {
    TruthCase truth{kind_, shared, std::move(flows), {}};
    Expect(machine_, &truth);
    cases->push_back(std::move(truth));
  }

  const EmulatedMachine& machine_;
  const std::string kind_;
  const std::vector<TruthFlow> pairs_;
};

}  // namespace

std::vector<double> MaxMinRates(std::span<const std::vector<uint32_t>> flows,
                                std::span<const double> capacities) {
  std::vector<double> rates(flows.size(), 0), left(capacities.begin(), capacities.end());
  std::vector<bool> stopped(flows.size(), false);
  for (;;) {
    // All that are not stopped grow alike, until a resource is full.
    std::vector<double> crossings(capacities.size(), 0);
    for (size_t i = 0; i < flows.size(); ++i) {
      for (const uint32_t resource : flows[i]) crossings[resource] += stopped[i] ? 0 : 1;
    }
    double step = std::numeric_limits<double>::infinity();
    size_t full = capacities.size();
    for (size_t i = 0; i < capacities.size(); ++i) {
      if (crossings[i] == 0 || left[i] / crossings[i] >= step) continue;
      step = left[i] / crossings[i];
      full = i;
    }
    if (full == capacities.size()) return rates;
    for (size_t i = 0; i < capacities.size(); ++i) left[i] -= crossings[i] * step;
    for (size_t i = 0; i < flows.size(); ++i) {
      if (stopped[i]) continue;
      rates[i] += step;
      stopped[i] = std::find(flows[i].begin(), flows[i].end(), full) != flows[i].end();
    }
  }
}

std::vector<TruthCase> TruthCasesOf(const EmulatedMachine& machine) {
  const PciLocations locations(machine);
  // Kinds in the order of relation, host or GPU, direction.
  std::map<std::tuple<Relation, bool, Direction>, std::vector<TruthFlow>> kinds;
  for (const auto& [pair, paths] : machine.paths) {
    const auto& [nic, place] = pair;
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      const auto kind = std::tuple(locations.RelationOf(nic, place), place.is_gpu(), direction);
      kinds[kind].push_back({nic, place, direction});
    }
  }
  std::vector<TruthCase> cases;
  for (auto& [kind, pairs] : kinds) {
    const auto& [relation, is_gpu, direction] = kind;
    const std::string name =
        fmt::format("{} {} {}", ToString(relation), is_gpu ? "gpu" : "host", ToString(direction));
    KindCases(machine, name, std::move(pairs)).AppendTo(&cases);
  }
  return cases;
}

}  // namespace railgauge
