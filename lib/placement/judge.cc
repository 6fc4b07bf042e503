#include "lib/placement/judge.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/placement/consumer_judge.h"
#include "lib/placement/idle.h"
#include "lib/placement/sentences.h"
#include "lib/placement/summary.h"

namespace railgauge {
namespace {

// The row for NICs that should serve the consumer and serve nobody. IDLE needs one that is proven
// to be as good: by single windows, of which one was disturbed, the next run would say otherwise.
std::optional<PlacementRow> IdleRow(const Evidence& evidence, const Assignment& assignment) {
  std::vector<NicKey> proven, unproven;
  for (const NicKey& nic : IdleNicsFor(evidence, assignment)) {
    const IdleProof proof = ProofOf(evidence, assignment, nic);
    if (proof == IdleProof::kWorse) continue;
    (proof == IdleProof::kAsGood ? proven : unproven).push_back(nic);
  }
  if (proven.empty() && unproven.empty()) return std::nullopt;
  const std::string consumer = assignment.consumer.ToString();
  PlacementRow row;
  row.consumer = assignment.consumer;
  if (proven.empty()) {
    row.verdict = Verdict::kUndecided;
    row.reason = fmt::format(
        "Nobody uses {}, which {} as good for {} as its own in single windows, but {} not measured "
        "in turn with them often enough: allow more time (--time-budget).",
        ListOf(unproven), unproven.size() == 1 ? "looks" : "look", consumer,
        unproven.size() == 1 ? "was" : "were");
    return row;
  }
  row.verdict = Verdict::kIdle;
  row.best = proven;
  row.best.insert(row.best.end(), unproven.begin(), unproven.end());
  row.reason = fmt::format(
      "Nobody uses {}, measured to serve {} as well as its own{}: give {} to {}.", ListOf(proven),
      consumer,
      unproven.empty() ? ""
                       : fmt::format(", nor {}, which {} as good in single "
                                     "windows",
                                     ListOf(unproven), unproven.size() == 1 ? "looks" : "look"),
      row.best.size() == 1 ? "it" : "them", consumer);
  return row;
}

// Consumers whose own row already names better NICs need no second one, and where a consumer's own
// NICs could not be judged, nothing can be said to be as good as them.
std::vector<PlacementRow> IdleRows(const Evidence& evidence,
                                   std::span<const PlacementRow> consumer_rows) {
  const std::vector<Assignment>& assignments = evidence.decision().assignments;
  RAILGAUGE_CHECK(consumer_rows.size() == assignments.size());
  std::vector<PlacementRow> rows;
  for (size_t i = 0; i < assignments.size(); ++i) {
    if (consumer_rows[i].verdict != Verdict::kOk || !consumer_rows[i].best.empty()) continue;
    if (auto row = IdleRow(evidence, assignments[i])) rows.push_back(*std::move(row));
  }
  return rows;
}

// `rows` of one kind in the decision's order, and with their chosen NICs in its order.
void AddInOrderOf(const Decision& decision, const std::vector<PlacementRow>& rows,
                  std::vector<PlacementRow>& placement) {
  for (const Assignment& assignment : decision.assignments) {
    for (const PlacementRow& row : rows) {
      if (row.consumer != assignment.consumer) continue;
      placement.push_back(row);
      if (!row.chosen.empty()) placement.back().chosen = assignment.nics;
    }
  }
}

}  // namespace

Decision InOrderOfAddresses(Decision decision) {
  for (Assignment& assignment : decision.assignments) {
    std::sort(assignment.nics.begin(), assignment.nics.end());
  }
  std::sort(decision.assignments.begin(), decision.assignments.end(),
            [](const Assignment& a, const Assignment& b) { return a.consumer < b.consumer; });
  return decision;
}

Judgement Judge(const Machine& machine, std::span<const CensusRow> census,
                std::span<const Sample> samples, const Decision& decision,
                const JudgeGates& gates) {
  const Decision in_order = InOrderOfAddresses(decision);
  return Judge(Evidence(machine, census, samples, in_order, gates), decision);
}

Judgement Judge(const Evidence& evidence, const Decision& decision) {
  Judgement judgement;
  judgement.summary = Summarize(evidence);
  std::set<PciAddress> promised;
  std::vector<PlacementRow> rows;
  for (const Assignment& assignment : evidence.decision().assignments) {
    rows.push_back(JudgeConsumer(evidence, assignment, promised));
  }
  AddInOrderOf(decision, rows, judgement.placement);
  AddInOrderOf(decision, IdleRows(evidence, rows), judgement.placement);
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
