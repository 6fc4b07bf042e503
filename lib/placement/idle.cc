#include "lib/placement/idle.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "lib/placement/comparison.h"

namespace railgauge {
namespace {

// The consumer that an idle NIC is nearest to; null when that is none of the decision's business.
const Assignment* NearestConsumer(const Evidence& evidence, const PciAddress& nic) {
  const std::vector<Assignment>& assignments = evidence.decision().assignments;
  const Assignment* best = nullptr;
  Relation nearest = Relation::kUnknown;
  for (const Assignment& assignment : assignments) {
    const Relation relation = evidence.relations().Of(nic, assignment.consumer);
    const auto key = [](Relation r, const Assignment& a) {
      return std::tuple(r, a.nics.size(), a.consumer);
    };
    if (best == nullptr || key(relation, assignment) < key(nearest, *best)) {
      best = &assignment;
      nearest = relation;
    }
  }
  if (best == nullptr) return nullptr;
  for (const MemoryPlace& place : evidence.machine().Places()) {
    const bool decided = std::any_of(assignments.begin(), assignments.end(),
                                     [&](const Assignment& a) { return a.consumer == place; });
    if (!decided && place.kind == best->consumer.kind &&
        evidence.relations().Of(nic, place) <= nearest) {
      return nullptr;
    }
  }
  return best;
}

bool LooksAsGood(const Evidence& evidence, const Assignment& assignment, const PciAddress& nic) {
  const std::vector<Dimension> dimensions = evidence.JudgedDimensions(assignment);
  const auto idle = evidence.Worst(nic, assignment.consumer, dimensions);
  std::optional<double> slowest;
  for (const NicKey& chosen : assignment.nics) {
    const auto value = evidence.Worst(chosen.address, assignment.consumer, dimensions);
    if (value && (!slowest || *value < *slowest)) slowest = value;
  }
  return idle && slowest && *idle >= (1 - evidence.gates().bad_placement) * *slowest;
}

}  // namespace

std::vector<NicKey> IdleNicsFor(const Evidence& evidence, const Assignment& assignment) {
  std::vector<NicKey> nics;
  for (const Nic& nic : evidence.machine().nics) {
    const PciAddress& address = nic.position.address;
    if (!evidence.Idle(address) || NearestConsumer(evidence, address) != &assignment) continue;
    if (LooksAsGood(evidence, assignment, address)) nics.push_back(nic.key());
  }
  return nics;
}

IdleProof ProofOf(const Evidence& evidence, const Assignment& assignment, const NicKey& idle) {
  const JudgeGates& gates = evidence.gates();
  IdleProof proof = IdleProof::kAsGood;
  for (const Dimension& dimension : evidence.JudgedDimensions(assignment)) {
    const MeasuredCell* cell = evidence.table().Find(idle.address, assignment.consumer, dimension);
    bool as_good = false;
    for (const NicKey& chosen : assignment.nics) {
      const MeasuredCell* other =
          evidence.table().Find(chosen.address, assignment.consumer, dimension);
      const Outcome outcome = Compare(*cell, *other, gates.bad_placement, gates).outcome;
      if (outcome == Outcome::kWorse) return IdleProof::kWorse;
      as_good |= outcome == Outcome::kNotWorse || outcome == Outcome::kDiffers;
    }
    if (!as_good) proof = IdleProof::kUnproven;
  }
  return proof;
}

const MeasuredCell* SlowestChosen(const Evidence& evidence, const Assignment& assignment,
                                  const Dimension& dimension) {
  const MeasuredCell* slowest = nullptr;
  for (const NicKey& nic : assignment.nics) {
    const MeasuredCell* cell = evidence.table().Find(nic.address, assignment.consumer, dimension);
    if (cell == nullptr || !cell->measured()) continue;
    if (slowest == nullptr || *cell->median < *slowest->median) slowest = cell;
  }
  return slowest;
}

}  // namespace railgauge
