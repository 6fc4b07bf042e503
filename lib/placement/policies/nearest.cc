#include "lib/placement/policies/nearest.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/placement/policies/consumers.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

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

}  // namespace

// The nearest pairs first, in two passes: until every consumer has `many / few` NICs, and then one
// more for as many as there are NICs left. In a PCI tree, where what is near is near for all below
// one bridge, taking the nearest first is also the best for all together. Where there are more
// consumers than NICs the roles are exchanged: every consumer has one NIC, and every NIC the same
// number of consumers, or one more.
Result<Decision> DecideNearest(const Machine& machine) {
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
  return MakeDecision("nearest", machine, consumers, std::move(nics_of));
}

}  // namespace railgauge
