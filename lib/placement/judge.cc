#include "lib/placement/judge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "fmt/core.h"
#include "lib/placement/consumer_judge.h"
#include "lib/placement/evidence.h"
#include "lib/placement/sentences.h"
#include "lib/placement/summary.h"

namespace railgauge {
namespace {

// The consumer that an idle NIC should serve: of those whose own NICs are no nearer, the one it is
// nearest to, unless a place outside the decision is as near (its NICs are not the decision's
// business). Empty: it cannot serve anybody as well as what is used now.
const Assignment* ServableBy(const Evidence& evidence, const Nic& nic) {
  const PciAddress& address = nic.position.address;
  const std::vector<Assignment>& assignments = evidence.decision().assignments;
  const Assignment* best = nullptr;
  Relation nearest = Relation::kUnknown;
  for (const Assignment& assignment : assignments) {
    const Relation relation = evidence.relations().Of(address, assignment.consumer);
    // Among equally near ones, the consumer with the fewest NICs.
    const auto key = [](Relation r, const Assignment& a) { return std::pair(r, a.nics.size()); };
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
        evidence.relations().Of(address, place) <= nearest) {
      return nullptr;
    }
  }
  const std::vector<Dimension> dimensions = evidence.JudgedDimensions(*best);
  const auto idle = evidence.Worst(address, best->consumer, dimensions);
  std::optional<double> slowest;
  for (const NicKey& chosen : best->nics) {
    const auto value = evidence.Worst(chosen.address, best->consumer, dimensions);
    if (value && (!slowest || *value < *slowest)) slowest = value;
  }
  const bool as_good = idle && slowest && *idle >= (1 - evidence.gates().bad_placement) * *slowest;
  return as_good ? best : nullptr;
}

// One row per consumer for the NICs that should serve it and serve nobody. Consumers whose own row
// already names better NICs need no second one, and where a consumer's own NICs could not be
// judged, nothing can be said to be as good as them.
std::vector<PlacementRow> IdleRows(const Evidence& evidence,
                                   std::span<const PlacementRow> consumer_rows) {
  std::vector<PlacementRow> rows;
  for (const PlacementRow& consumer : consumer_rows) {
    if (consumer.verdict != Verdict::kOk || !consumer.best.empty()) continue;
    PlacementRow row;
    row.consumer = consumer.consumer;
    row.verdict = Verdict::kIdle;
    for (const Nic& nic : evidence.machine().nics) {
      if (!evidence.Idle(nic.position.address)) continue;
      const Assignment* servable = ServableBy(evidence, nic);
      if (servable != nullptr && servable->consumer == consumer.consumer) {
        row.best.push_back(nic.key());
      }
    }
    if (row.best.empty()) continue;
    row.reason =
        fmt::format("Nobody uses {}, measured to serve {} as well as its own: give {} to {}.",
                    ListOf(row.best), consumer.consumer.ToString(),
                    row.best.size() == 1 ? "it" : "them", consumer.consumer.ToString());
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Judgement Judge(const Machine& machine, std::span<const CensusRow> census,
                std::span<const Sample> samples, const Decision& decision,
                const JudgeGates& gates) {
  const Evidence evidence(machine, census, samples, decision, gates);
  Judgement judgement;
  judgement.summary = Summarize(evidence);
  std::set<PciAddress> promised;
  for (const Assignment& assignment : decision.assignments) {
    judgement.placement.push_back(JudgeConsumer(evidence, assignment, promised));
  }
  for (PlacementRow& row : IdleRows(evidence, judgement.placement)) {
    judgement.placement.push_back(std::move(row));
  }
  return judgement;
}

int ExitStatusOf(std::span<const PlacementRow> placement) {
  const auto any = [&](std::initializer_list<Verdict> verdicts) {
    return std::any_of(placement.begin(), placement.end(), [&](const PlacementRow& row) {
      return std::find(verdicts.begin(), verdicts.end(), row.verdict) != verdicts.end();
    });
  };
  if (any({Verdict::kSlow, Verdict::kWrong, Verdict::kOversubscribed, Verdict::kIdle})) return 1;
  if (any({Verdict::kNoisy, Verdict::kInvalid, Verdict::kUndecided})) return 3;
  return any({Verdict::kOk}) ? 0 : 3;
}

}  // namespace railgauge
