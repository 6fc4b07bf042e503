#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/fleet/fleet_report.h"

namespace railgauge {
namespace {

using NodeSlot = std::pair<size_t, uint32_t>;

std::string Percent(double deviation) { return fmt::format("{:.1f} %", -100 * deviation); }

class FleetJudge {
 public:
  FleetJudge(const FleetPlan& plan, const FleetTable& table, const FleetAnalysis& analysis,
             std::span<const ConfirmationOutcome> confirmations)
      : plan_(plan), table_(table), analysis_(analysis), confirmations_(confirmations) {
    RAILGAUGE_CHECK(confirmations.size() == analysis.suspicions.size());
  }

  std::map<NodeSlot, FleetRow> Rows() {
    AddStandings();
    for (size_t i = 0; i < analysis_.suspicions.size(); ++i) {
      const Suspicion& suspicion = analysis_.suspicions[i];
      for (const uint32_t slot : suspicion.slots) {
        Blame(suspicion, confirmations_[i], Row(suspicion.node, slot));
        if (suspicion.kind == SuspectKind::kPath) {
          Blame(suspicion, confirmations_[i], Row(*suspicion.peer, slot));
        }
      }
    }
    for (const MissingNic& missing : analysis_.missing) {
      FleetRow& row = Row(missing.node, missing.slot);
      row.verdict = FleetVerdict::kMissing;
      row.cause = "nic";
      row.reason = "Most machines of this type have a NIC in this slot, and this one shows none";
    }
    for (const Renumbered& renumbered : analysis_.renumbered) {
      for (const uint32_t slot : renumbered.slots) {
        FleetRow& row = Row(renumbered.node, slot);
        if (row.verdict != FleetVerdict::kUnmeasured) continue;
        row.reason =
            "Few machines of this type have a NIC at this PCI address, and this one lacks others: "
            "its PCI buses are numbered in another way, so it is held against none";
      }
    }
    AddInvalid();
    return std::move(rows_);
  }

 private:
  const std::string& Name(size_t node) const { return plan_.nodes[node].name; }

  FleetRow& Row(size_t node, uint32_t slot) {
    FleetRow& row = rows_[{node, slot}];
    row.node = node;
    row.slot = table_.slots()[slot];
    row.nic_name = table_.NameOf(slot);
    return row;
  }

  void AddStandings() {
    // A NIC that a run has and that was not measured there has a row, too.
    std::set<NodeSlot> lost;  // by no fault of the other end, or held against no others
    for (const FleetRun& run : table_.runs()) {
      for (const uint32_t slot : run.slots) {
        const auto why = run.no_evidence.find(slot);
        FleetRow& row = Row(run.pair.initiator, slot);
        row.reason = why == run.no_evidence.end() ? "" : why->second.why;
        if (why == run.no_evidence.end() || why->second.cause == NoEvidence::Cause::kPeer) {
          continue;
        }
        lost.insert({run.pair.initiator, slot});
        row.reason = fmt::format("In its run with {}: {}", Name(run.pair.target), row.reason);
      }
    }
    for (const size_t run : analysis_.too_few) {
      for (const FleetRun::Value& value : table_.runs()[run].values) {
        lost.insert({table_.runs()[run].pair.initiator, table_.SlotOf(value.group)});
      }
    }
    for (const SlotStanding& standing : analysis_.standings) {
      const PlannedPair& pair = table_.runs()[standing.run].pair;
      FleetRow& row = Row(pair.initiator, standing.slot);
      row.verdict = FleetVerdict::kOk;
      row.reason.clear();
      Worst(row.as_initiator, standing, pair.target);
      Worst(Row(pair.target, standing.slot).as_target, standing, pair.initiator);
    }
    for (auto& [key, row] : rows_) {
      if (row.as_initiator || !row.as_target || lost.contains(key)) continue;
      row.verdict = FleetVerdict::kOk;
      row.reason = "Measured as the target alone, without its memory places";
    }
    for (auto& [key, row] : rows_) {
      if (row.verdict == FleetVerdict::kOk || !row.reason.empty()) continue;
      row.reason = "Too few machines of this type were measured for one to stand out";
    }
  }

  // What is not valid is not OK, whatever the other windows say.
  void AddInvalid() {
    for (const FleetRun& run : table_.runs()) {
      for (const auto& [slot, how_much] : run.wrong_data) {
        AddWrongData(Row(run.pair.initiator, slot), run.pair.target, how_much);
      }
      for (const auto& [slot, why] : run.invalid) {
        FleetRow& row = Row(run.pair.initiator, slot);
        if (row.verdict != FleetVerdict::kOk && row.verdict != FleetVerdict::kUnmeasured) continue;
        row.verdict = FleetVerdict::kUnmeasured;
        row.reason = fmt::format("With {}: {}", Name(run.pair.target), why);
      }
    }
  }

  // Either end or the way between them may be the cause; the machine under test is told of it.
  void AddWrongData(FleetRow& row, size_t peer, const std::string& how_much) const {
    std::string reason = fmt::format("WRONG DATA: with {} other data arrived than was sent, {}",
                                     Name(peer), how_much);
    const bool is_worse =
        row.verdict == FleetVerdict::kSlow || row.verdict == FleetVerdict::kMissing;
    if (is_worse || row.verdict == FleetVerdict::kSuspect) reason += "; and: " + row.reason;
    row.reason = std::move(reason);
    row.wrong_data = true;
    if (is_worse) return;
    row.verdict = FleetVerdict::kSuspect;
    if (row.cause.empty()) row.cause = "nic";
  }

  static void Worst(std::optional<PartStanding>& kept, const SlotStanding& standing, size_t peer) {
    if (kept && kept->deviation <= standing.deviation) return;
    kept = PartStanding{peer, standing.deviation, standing.z, standing.adjusted_p};
  }

  std::string GroupsOf(const Suspicion& suspicion) const {
    std::string text;
    for (const uint32_t number : suspicion.groups) {
      const FleetGroup& group = table_.groups()[number];
      text += fmt::format("{}{} {} {} {}", text.empty() ? "" : ";", ToString(group.operation),
                          ToString(group.direction), PlaceClass(group), FormatBytes(group.size));
    }
    return text;
  }

  // What stood out, with whom, and by how much. The median rests on other machines and other nights
  // than the paired ratio, so that it is named for what it is.
  std::string Seen(const Suspicion& suspicion) const {
    const std::string others = suspicion.two_speeds ? "the faster machines'" : "all machines'";
    const std::string peer = suspicion.peer ? Name(*suspicion.peer) : "";
    const std::string medians = fmt::format("{} below {}", Percent(suspicion.deviation), others);
    switch (suspicion.kind) {
      case SuspectKind::kMachine:
        return fmt::format("with every peer the medians of {} of this machine lie up to {}",
                           Counted(suspicion.slots.size(), "NIC"), medians);
      case SuspectKind::kPath:
        return fmt::format(
            "the median of {} and {} with each other lies {}, and that of neither with another "
            "peer",
            Name(suspicion.node), peer, medians);
      case SuspectKind::kPlace:
        return fmt::format("in {} alone (see groups) the medians lie up to {}",
                           Counted(suspicion.groups.size(), "group"), medians);
      case SuspectKind::kNic:
        break;
    }
    return suspicion.could_be_peer
               ? fmt::format(
                     "with {} its median over groups lies {}; what would clear one of the two was "
                     "not "
                     "measured",
                     peer, medians)
               : fmt::format("with every peer its median over groups lies {}", medians);
  }

  // The figure to go by, where there is one, comes first.
  std::string ReasonOf(const Suspicion& suspicion, const ConfirmationOutcome& outcome) const {
    std::string seen = Seen(suspicion);
    if (suspicion.two_speeds) {
      seen += ": machines of this type have two speeds here, and the faster is of no majority";
    }
    if (!outcome.ratio) {
      seen.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(seen.front())));
      return seen + "; no paired rounds were measured: railgauge fleet run does";
    }
    std::string paired =
        fmt::format("{:.3f} times as fast in turn with a healthy reference", outcome.ratio->ratio);
    if (outcome.ratio->interval) {
      paired += fmt::format(", {:.3f} to {:.3f}", outcome.ratio->interval->interval.low,
                            outcome.ratio->interval->interval.high);
    }
    paired += " in " + Counted(outcome.ratio->rounds, "round");
    if (outcome.confirmed == Confirmed::kNot) paired += ", so not confirmed";
    return paired + "; " + seen;
  }

  void Blame(const Suspicion& suspicion, const ConfirmationOutcome& outcome, FleetRow& row) const {
    const bool cleared = outcome.confirmed == Confirmed::kNot;
    const FleetVerdict verdict = outcome.confirmed == Confirmed::kSlow ? FleetVerdict::kSlow
                                 : !cleared || suspicion.could_be_peer ? FleetVerdict::kSuspect
                                                                       : FleetVerdict::kOk;
    // The worse of two stays.
    if (row.verdict == FleetVerdict::kSlow ||
        (row.verdict == FleetVerdict::kSuspect && verdict == FleetVerdict::kOk)) {
      return;
    }
    row.verdict = verdict;
    row.cause = verdict == FleetVerdict::kOk ? "" : ToString(suspicion.kind);
    row.groups = verdict == FleetVerdict::kOk ? "" : GroupsOf(suspicion);
    row.confirmed = outcome.ratio;
    row.reason = ReasonOf(suspicion, outcome);
  }

  const FleetPlan& plan_;
  const FleetTable& table_;
  const FleetAnalysis& analysis_;
  std::span<const ConfirmationOutcome> confirmations_;
  std::map<NodeSlot, FleetRow> rows_;
};

}  // namespace

std::string_view ToString(FleetVerdict verdict) {
  switch (verdict) {
    case FleetVerdict::kOk:
      return "OK";
    case FleetVerdict::kSlow:
      return "SLOW";
    case FleetVerdict::kMissing:
      return "MISSING";
    case FleetVerdict::kSuspect:
      return "SUSPECT";
    case FleetVerdict::kUnmeasured:
      return "UNMEASURED";
  }
  return "";
}

// Of a node's run that has no window which counts: why. It is said of the whole node once, and not
// of each of its NICs.
std::string WhyNothingCounts(const FleetPlan& plan, const FleetRun& run) {
  std::string why = "it has no NIC";
  if (!run.invalid.empty()) {
    why = run.invalid.begin()->second;
  } else if (!run.no_evidence.empty()) {
    why = run.no_evidence.begin()->second.why;
  }
  return fmt::format("Its run with {} has no window that counts: {}",
                     plan.nodes[run.pair.target].name, why);
}

FleetVerdicts JudgeFleet(const FleetPlan& plan, const FleetTable& table,
                         const FleetAnalysis& analysis,
                         std::span<const ConfirmationOutcome> confirmations,
                         const std::map<size_t, std::string>& why_unmeasured) {
  std::map<NodeSlot, FleetRow> rows = FleetJudge(plan, table, analysis, confirmations).Rows();
  std::map<size_t, const FleetRun*> own_run;  // one with windows, where there is one
  for (const FleetRun& run : table.runs()) {
    const FleetRun*& own = own_run[run.pair.initiator];
    if (own == nullptr || (own->values.empty() && !run.values.empty())) own = &run;
  }
  FleetVerdicts verdicts;
  auto next = rows.begin();
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    const auto own = own_run.find(node);
    const FleetRun* run = own == own_run.end() ? nullptr : own->second;
    const bool measured = run != nullptr && !run->values.empty();
    if (!measured) {
      FleetRow row;
      row.node = node;
      const auto why = why_unmeasured.find(node);
      if (run != nullptr) {
        row.run = &run->run;
        row.reason = WhyNothingCounts(plan, *run);
      } else {
        row.reason = why == why_unmeasured.end() ? "It has no run as initiator" : why->second;
      }
      verdicts.rows.push_back(std::move(row));
    }
    // The table is by slot number, which is the order of appearance; people want addresses.
    std::vector<FleetRow> of_node;
    for (; next != rows.end() && next->first.first == node; ++next) {
      FleetRow& row = next->second;
      // Of a node without a window of its own, what its peers saw is kept.
      if (!measured && row.verdict == FleetVerdict::kUnmeasured && !row.as_target) continue;
      if (run != nullptr) row.run = &run->run;
      of_node.push_back(std::move(row));
    }
    rows.erase(rows.begin(), next);  // a large fleet has hundreds of thousands
    std::sort(of_node.begin(), of_node.end(),
              [](const FleetRow& a, const FleetRow& b) { return a.slot < b.slot; });
    std::move(of_node.begin(), of_node.end(), std::back_inserter(verdicts.rows));
  }
  for (const FleetRow& row : verdicts.rows) ++verdicts.counts[row.verdict];
  return verdicts;
}

int ExitStatusOf(const FleetVerdicts& verdicts) {
  const auto has = [&](FleetVerdict verdict) { return verdicts.counts.count(verdict) != 0; };
  if (has(FleetVerdict::kSlow) || has(FleetVerdict::kMissing)) return 1;
  if (has(FleetVerdict::kSuspect) || has(FleetVerdict::kUnmeasured) || verdicts.rows.empty()) {
    return 3;
  }
  return 0;
}

}  // namespace railgauge
