#include "lib/placement/policy.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "fmt/core.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

// GPUs, or on a machine without any the NUMA nodes that have memory.
std::vector<MemoryPlace> ConsumersOf(const Machine& machine) {
  std::vector<MemoryPlace> places = machine.Places();
  if (!machine.gpus.empty()) {
    std::erase_if(places, [](const MemoryPlace& place) { return !place.is_gpu(); });
  }
  return places;
}

// How far a NIC is from a consumer; less is nearer.
struct Edge {
  Relation relation;  // the enum's order is nearest first
  int hops;
  size_t consumer;
  size_t nic;
  auto Distance() const { return std::tuple(relation, hops, consumer, nic); }
};

std::vector<Edge> EdgesByDistance(const Machine& machine,
                                  const std::vector<MemoryPlace>& consumers) {
  std::vector<Edge> edges;
  for (size_t c = 0; c < consumers.size(); ++c) {
    for (size_t n = 0; n < machine.nics.size(); ++n) {
      const RelationResult result = RelationOf(machine, machine.nics[n], consumers[c]);
      edges.push_back({result.relation, result.hops, c, n});
    }
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.Distance() < b.Distance(); });
  return edges;
}

// The nearest pairs first, in two passes: until every consumer has `many / few` NICs, and then one
// more for as many as there are NICs left. In a PCI tree, where what is near is near for all below
// one bridge, taking the nearest first is also the best for all together. Where there are more
// consumers than NICs the roles are exchanged: every consumer has one NIC, and every NIC the same
// number of consumers, or one more.
Decision DecideNearest(const Machine& machine) {
  const std::vector<MemoryPlace> consumers = ConsumersOf(machine);
  const size_t nic_count = machine.nics.size();
  const bool share = consumers.size() > nic_count;
  const size_t few = std::min(consumers.size(), nic_count);
  const size_t many = std::max(consumers.size(), nic_count);
  std::vector<size_t> taken_by_few(few, 0);
  std::vector<bool> many_done(many, false);
  std::vector<std::vector<size_t>> nics_of(consumers.size());
  const std::vector<Edge> edges = EdgesByDistance(machine, consumers);
  for (const size_t limit : {many / few, many / few + 1}) {
    for (const Edge& edge : edges) {
      const size_t one_of_few = share ? edge.nic : edge.consumer;
      const size_t one_of_many = share ? edge.consumer : edge.nic;
      if (many_done[one_of_many] || taken_by_few[one_of_few] >= limit) continue;
      many_done[one_of_many] = true;
      ++taken_by_few[one_of_few];
      nics_of[edge.consumer].push_back(edge.nic);
    }
  }
  Decision decision{"policy nearest", {}};
  for (size_t c = 0; c < consumers.size(); ++c) {
    std::sort(nics_of[c].begin(), nics_of[c].end());
    Assignment assignment{consumers[c], {}};
    for (const size_t n : nics_of[c]) assignment.nics.push_back(machine.nics[n].key());
    decision.assignments.push_back(std::move(assignment));
  }
  return decision;
}

constexpr Policy kPolicies[] = {
    {"nearest",
     "Each NIC goes to one GPU, every GPU gets the same number (or one more), the nearest by "
     "common "
     "PCI bridge first, then by NUMA node; without GPUs to NUMA nodes.",
     "The rule that NCCL's and libfabric's users write down as \"use the NICs below the GPU's own "
     "switch\"; an even split because the EFA instance types are built that way.",
     DecideNearest},
};

}  // namespace

std::span<const Policy> Policies() { return kPolicies; }

Result<Decision> DecideByPolicy(std::string_view name, const Machine& machine) {
  for (const Policy& policy : Policies()) {
    if (policy.name != name) continue;
    RAILGAUGE_RETURN_IF_ERROR(machine.CheckHasNics());
    if (ConsumersOf(machine).empty()) {
      return Fail(MakeError("decide by policy", std::string(name),
                            "the topology shows neither a GPU nor a NUMA node with memory",
                            "Give a decision file with --placement=FILE"));
    }
    return policy.decide(machine);
  }
  std::string names;
  for (const Policy& policy : Policies()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", policy.name);
  }
  return Fail(MakeError("decide by policy", fmt::format("'{}'", Printable(name)),
                        fmt::format("there is no such policy; there is: {}", names),
                        "Name one of them, or a decision file that exists"));
}

}  // namespace railgauge
