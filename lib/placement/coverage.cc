#include "lib/placement/coverage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/placement/sentences.h"

namespace railgauge {
namespace {

struct Missing {
  std::string what;
  const MeasuredCell* cell = nullptr;  // that says why; null: it was never planned
};

// ": " and what to do, or empty.
std::string AdviceOn(const MeasuredCell* cell) {
  if (cell == nullptr) return "";
  if (!cell->skip_cause) return cell->failed > 0 ? ": see why that failed, and run again" : "";
  switch (*cell->skip_cause) {
    case SkipCause::kNotPossible:
      return "";
    case SkipCause::kNoTime:
      return ": raise --time-budget or select less (--nics, --places)";
    case SkipCause::kInterrupted:
      return ": let the run end";
    case SkipCause::kPeerGone:
      return ": see why the peer ended, and run again";
  }
  return "";
}

std::string ReasonOf(const MeasuredCell* cell) {
  return cell == nullptr || cell->reason.empty() ? std::string() : ": " + cell->reason;
}

template <typename Condition>
const Missing* First(const std::vector<Missing>& missing, Condition condition) {
  const auto found = std::find_if(missing.begin(), missing.end(), condition);
  return found == missing.end() ? nullptr : &*found;
}

std::string UnmeasuredSentence(const Missing& told, size_t count) {
  const std::string more = count > 1 ? fmt::format(" (and {} more)", count - 1) : "";
  return fmt::format(
      "{} was not measured{}{}; a verdict needs both directions of every chosen NIC{}.", told.what,
      more, ReasonOf(told.cell), AdviceOn(told.cell));
}

}  // namespace

Coverage CoverageOfChosen(const Evidence& evidence, const Assignment& assignment,
                          Operation operation) {
  Coverage coverage;
  std::vector<Missing> missing;
  for (const NicKey& nic : assignment.nics) {
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      const Dimension dimension{operation, direction};
      const MeasuredCell* cell = evidence.table().Find(nic.address, assignment.consumer, dimension);
      if (cell != nullptr && cell->measured()) {
        coverage.measured = true;
      } else {
        missing.push_back({fmt::format("{} of {}", ToString(dimension), NameOf(nic)), cell});
      }
    }
  }
  if (missing.empty()) return coverage;
  if (const Missing* invalid = First(
          missing, [](const Missing& m) { return m.cell != nullptr && m.cell->invalid > 0; })) {
    coverage.verdict = Verdict::kInvalid;
    coverage.sentence =
        fmt::format("The measurement of {} is not valid: {}; remove what spoils it, and run again.",
                    invalid->what, invalid->cell->reason);
    return coverage;
  }
  const Missing* failed =
      First(missing, [](const Missing& m) { return m.cell != nullptr && m.cell->failed > 0; });
  const Missing* possible =
      First(missing, [](const Missing& m) { return m.cell == nullptr || !m.cell->not_possible(); });
  if (!coverage.measured && possible == nullptr) {
    coverage.sentence =
        fmt::format("{} was not judged{}.", operation == Operation::kRead ? "READ" : "WRITE",
                    ReasonOf(missing.front().cell));
    return coverage;
  }
  const Missing* told = failed != nullptr     ? failed
                        : possible != nullptr ? possible
                                              : &missing.front();
  coverage.verdict = Verdict::kUndecided;
  coverage.sentence = UnmeasuredSentence(*told, missing.size());
  return coverage;
}

Coverage CoverageOfOthers(const Evidence& evidence, const Assignment& assignment) {
  const std::vector<Dimension> judged = evidence.JudgedDimensions(assignment);
  size_t others = 0, measured = 0, missed = 0;
  const MeasuredCell* told = nullptr;
  for (const Nic& nic : evidence.machine().nics) {
    const PciAddress& address = nic.position.address;
    if (assignment.Uses(address)) continue;
    ++others;
    bool some = false, all = true;
    for (const Dimension& dimension : kDimensions) {
      const MeasuredCell* cell = evidence.table().Find(address, assignment.consumer, dimension);
      if (cell == nullptr) continue;
      some |= cell->measured();
      if (!cell->missed() || std::find(judged.begin(), judged.end(), dimension) == judged.end()) {
        continue;
      }
      all = false;
      if (told == nullptr) told = cell;
    }
    measured += some ? 1 : 0;
    missed += all ? 0 : 1;
  }
  Coverage coverage;
  coverage.measured = measured > 0;
  const std::string place = assignment.consumer.ToString();
  if (others > 0 && measured == 0) {
    coverage.verdict = Verdict::kUndecided;
    coverage.sentence = fmt::format(
        "None of the {} other NICs was measured at {}{}, so a better one cannot be excluded{}.",
        others, place, ReasonOf(told), AdviceOn(told));
  } else if (missed > 0) {
    coverage.verdict = Verdict::kUndecided;
    coverage.sentence = fmt::format(
        "{} of {} other NICs were not measured at {} ({}){}, so a better one cannot be excluded{}.",
        missed, others, place, MeasureOf(*told), ReasonOf(told), AdviceOn(told));
  } else if (measured < others) {
    coverage.sentence = fmt::format("Only {} of {} other NICs were measured.", measured, others);
  }
  return coverage;
}

}  // namespace railgauge
