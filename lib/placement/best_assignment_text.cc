#include "lib/placement/best_assignment_text.h"

#include <algorithm>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/quoted.h"
#include "lib/placement/sentences.h"
#include "lib/report/text_matrix.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

constexpr size_t kWidth = 100;

std::string Percent(double gain) { return fmt::format("{:+.0f} %", 100 * gain); }

std::string Line(const std::string& sentence) { return WrapText(sentence, kWidth, 2) + "\n"; }

Relation FarthestOf(const Machine& machine, const Assignment& assignment) {
  Relation farthest = Relation::kSameSwitch;
  for (const NicKey& key : assignment.nics) {
    const Nic* nic = machine.FindNic(key.address);
    if (nic == nullptr) continue;
    farthest = std::max(farthest, RelationOf(machine, *nic, assignment.consumer).relation);
  }
  return farthest;
}

std::string Table(const Machine& machine, const BestAssignment& best) {
  size_t width = 0;
  for (const Assignment& assignment : best.decision.assignments) {
    width = std::max(width, assignment.consumer.ToString().size());
  }
  std::string text;
  for (const Assignment& assignment : best.decision.assignments) {
    const auto at = std::find(best.consumers.begin(), best.consumers.end(), assignment.consumer);
    const auto index = static_cast<size_t>(at - best.consumers.begin());
    const double rate = index < best.value.of_consumer.size() ? best.value.of_consumer[index] : 0;
    const std::string begin =
        fmt::format("  {:<{}}  {:>12}  {:<16}  ", assignment.consumer.ToString(), width,
                    RateOf(rate), ToString(FarthestOf(machine, assignment)));
    std::string nics;
    for (const NicKey& nic : assignment.nics) {
      nics += (nics.empty() ? "" : " ") + (nic.name.empty() ? nic.address.ToString() : nic.name);
    }
    text += begin;
    const size_t rest = kWidth - std::min(begin.size(), kWidth - 20);
    for (const char c : WrapText(nics, rest, 0)) {
      text += c;
      if (c == '\n') text.append(begin.size(), ' ');
    }
    text += '\n';
  }
  return text;
}

std::string Certainty(const BestAssignment& best) {
  if (best.worst_gain_interval) {
    return fmt::format("From the intervals of all medians: {} to {} for the worst consumer.",
                       Percent(best.worst_gain_interval->low),
                       Percent(best.worst_gain_interval->high));
  }
  return fmt::format(
      "It rests on as few as {} of a pair of NIC and consumer and is not proven: check "
      "--placement=FILE with the file of --output measures it.",
      Counted(best.fewest_windows, "window"));
}

// How far from the best an assignment can be that is not proven.
std::string BoundOf(const BestAssignment& best) {
  const double more = best.value.worst > 0 ? best.worst_bound / best.value.worst - 1 : 0;
  if (more < 0.0005) {
    return "No assignment's worst consumer gets more; one of as much may have more in total.";
  }
  return fmt::format("No assignment's worst consumer gets more than {}, which is {:.1f} % more.",
                     RateOf(best.worst_bound), 100 * more);
}

std::string ComparisonText(const BestAssignment& best) {
  if (!best.given) {
    return Line("What the given placement gives is not known: a pair of it was not measured.");
  }
  if (best.kept) {
    return Line("The given placement is as good as any by what was measured: nothing to change.");
  }
  std::string text = Line(fmt::format(
      "Against the given placement: worst consumer {} ({} to {}), in total {} ({} to {}).",
      Percent(best.worst_gain.value_or(0)), RateOf(best.given->worst), RateOf(best.value.worst),
      Percent(best.total_gain.value_or(0)), RateOf(best.given->total), RateOf(best.value.total)));
  return text + Line(Certainty(best));
}

std::string Dimensions(const BestAssignment& best) {
  std::string text;
  for (const Dimension& dimension : best.dimensions) {
    text += (text.empty() ? "" : ", ") + ToString(dimension);
  }
  return text;
}

}  // namespace

std::string AdviceLine(const BestAssignment& best, const JudgeGates& gates,
                       const std::string& directory) {
  if (best.kept || !best.worst_gain) return "";
  const bool total = best.better_in_total_only;
  const double gain = total ? *best.total_gain : *best.worst_gain;
  const bool certain = best.worst_gain_interval && best.worst_gain_interval->low > gates.differs;
  const bool bad = gain / (1 + gain) > gates.bad_placement;
  if (!certain && !bad) return "";
  return Line(fmt::format(
      "{} measured assignment: {} {}, {} against this placement; `railgauge plan {}` writes it",
      best.proven ? "best" : "a better", total ? "in total" : "worst consumer",
      RateOf(total ? best.value.total : best.value.worst), Percent(gain), Printable(directory)));
}

std::string AdviceOf(const Machine& machine, std::span<const CensusRow> census,
                     std::span<const Sample> samples, const Decision& decision,
                     const std::string& directory) {
  const auto best = FindBestAssignment(machine, census, samples, decision, {});
  return best ? AdviceLine(*best, JudgeGates(), directory) : "";
}

std::string FormatBestAssignment(const Machine& machine, const BestAssignment& best) {
  std::string text = Line(fmt::format(
      "best measured assignment: worst consumer {}, in total {}; each consumer's worst of {}",
      RateOf(best.value.worst), RateOf(best.value.total), Dimensions(best)));
  text += Table(machine, best) + ComparisonText(best);
  if (best.shared) text += Line("NICs are fewer than consumers: one of k users gives each 1/k.");
  if (!best.proven) {
    text +=
        Line("Not proven to be the best: the search ended at its limit of steps. " + BoundOf(best));
  }
  for (const KnownCapacity& capacity : best.capacities) {
    text += Line(fmt::format("Bounded by {}: {} ({}).", capacity.resource.ToString(),
                             RateOf(capacity.rate.value), capacity.source));
  }
  if (best.capacities.empty()) {
    text +=
        Line("No capacity of what consumers share is known: all is taken to run at once as alone.");
  }
  for (const std::string& sentence : best.missing) text += Line(sentence);
  return text;
}

std::string DecisionCsv(const RunIdentity& run, const Decision& given, const BestAssignment& best) {
  std::string csv = fmt::format(
      "# best measured assignment of run {} of {} ({})\n# worst consumer {}, in total {}",
      Shortened(run.run_id),
      run.instance_type.empty() ? "unknown instance type" : Shortened(run.instance_type),
      Shortened(run.platform), RateOf(best.value.worst), RateOf(best.value.total));
  if (best.worst_gain) {
    csv += fmt::format("; worst consumer {} against {}", Percent(*best.worst_gain),
                       Printable(given.source));
  }
  csv += "\nconsumer,nic\n";
  for (const Assignment& assignment : best.decision.assignments) {
    for (const NicKey& nic : assignment.nics) {
      csv += fmt::format("{},{}\n", assignment.consumer.ToString(), nic.address.ToString());
    }
  }
  return csv;
}

}  // namespace railgauge
