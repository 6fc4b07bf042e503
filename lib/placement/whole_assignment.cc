#include "lib/placement/whole_assignment.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/placement/sentences.h"

namespace railgauge {
namespace {

constexpr std::array kWorstFirst = {
    Verdict::kWrong,   Verdict::kOversubscribed, Verdict::kSlow,  Verdict::kIdle,
    Verdict::kInvalid, Verdict::kUndecided,      Verdict::kNoisy, Verdict::kOk};

size_t RankOf(Verdict verdict) {
  return static_cast<size_t>(std::find(kWorstFirst.begin(), kWorstFirst.end(), verdict) -
                             kWorstFirst.begin());
}

// What to do about one or several consumers with this verdict.
std::string AdviceFor(Verdict verdict, bool one) {
  const auto say = [&](std::string_view text) {
    return fmt::format(fmt::runtime(text), fmt::arg("it", one ? "it" : "them"),
                       fmt::arg("row", one ? "its row" : "their rows"),
                       fmt::arg("s", one ? "s" : ""));
  };
  switch (verdict) {
    case Verdict::kWrong:
    case Verdict::kOversubscribed:
      return say("give {it} the NICs that {row} name{s} as better");
    case Verdict::kSlow:
      return say("have the NICs checked that {row} name{s}");
    case Verdict::kIdle:
      return say("give {it} the idle NICs too");
    case Verdict::kInvalid:
      return say("find out what spoils the measurement, as {row} say{s}, and run again");
    case Verdict::kUndecided:
      return say("measure what {row} lack{s}");
    default:
      return say("measure {it} again on a quiet machine or for longer");
  }
}

std::string ReasonOf(const AssignmentRow& whole, const std::vector<MemoryPlace>& with_verdict) {
  if (whole.consumer_count == 0) return "No consumer was judged: name one that is measured.";
  if (whole.verdict == Verdict::kOk) {
    return fmt::format("Nothing better was measured for {}: keep it.",
                       whole.consumer_count == 1
                           ? std::string("the consumer")
                           : fmt::format("any of the {} consumers", whole.consumer_count));
  }
  return fmt::format("{} of {} {} {} ({}): {}.", with_verdict.size(),
                     Counted(whole.consumer_count, "consumer"),
                     with_verdict.size() == 1 ? "is" : "are", ToString(whole.verdict),
                     ListOf(with_verdict), AdviceFor(whole.verdict, with_verdict.size() == 1));
}

}  // namespace

AssignmentRow JudgeWhole(const std::string& decision, std::span<const PlacementRow> placement) {
  AssignmentRow whole;
  whole.decision = decision;
  std::map<MemoryPlace, bool> all_ok;
  std::map<MemoryPlace, double> regrets;
  const PlacementRow* worst = nullptr;
  const auto order = [](const PlacementRow& row) {
    return std::tuple(RankOf(row.verdict), -row.regret.value_or(0), row.consumer);
  };
  for (const PlacementRow& row : placement) {
    const auto entry = all_ok.try_emplace(row.consumer, true).first;
    entry->second &= row.verdict == Verdict::kOk;
    if (row.regret) {
      double& regret = regrets.try_emplace(row.consumer, 0).first->second;
      regret = std::max(regret, *row.regret);
    }
    if (worst == nullptr || order(row) < order(*worst)) worst = &row;
  }
  whole.consumer_count = all_ok.size();
  whole.ok_count = static_cast<uint64_t>(
      std::count_if(all_ok.begin(), all_ok.end(), [](const auto& entry) { return entry.second; }));
  std::vector<MemoryPlace> with_verdict;
  if (worst != nullptr) {
    whole.verdict = worst->verdict;
    if (whole.verdict != Verdict::kOk) whole.worst_consumer = worst->consumer;
    for (const PlacementRow& row : placement) {
      if (row.verdict == whole.verdict) with_verdict.push_back(row.consumer);
    }
    std::sort(with_verdict.begin(), with_verdict.end());
    with_verdict.erase(std::unique(with_verdict.begin(), with_verdict.end()), with_verdict.end());
  }
  if (!regrets.empty() && regrets.size() == all_ok.size()) {
    double sum = 0, greatest = 0;
    for (const auto& [consumer, regret] : regrets) {
      sum += regret;
      greatest = std::max(greatest, regret);
    }
    whole.regret_max = greatest;
    whole.regret_mean = sum / static_cast<double>(regrets.size());
  }
  whole.reason = ReasonOf(whole, with_verdict);
  return whole;
}

}  // namespace railgauge
