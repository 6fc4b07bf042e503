#include "lib/placement/policy_cost.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/base/units.h"
#include "lib/placement/judge.h"
#include "lib/placement/policy_text.h"
#include "lib/report/csv_writer.h"
#include "lib/report/schema.h"
#include "lib/report/text_matrix.h"

namespace railgauge {
namespace {

constexpr Verdict kVerdicts[] = {
    Verdict::kOk,   Verdict::kSlow,  Verdict::kWrong,   Verdict::kOversubscribed,
    Verdict::kIdle, Verdict::kNoisy, Verdict::kInvalid, Verdict::kUndecided};

bool Contains(std::span<const MemoryPlace> places, const MemoryPlace& place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

// The dimensions in which anything was measured at `place`.
std::vector<Dimension> DimensionsAt(const CellTable& table, const MemoryPlace& place) {
  std::set<Dimension> dimensions;
  for (const MeasuredCell& cell : table.cells()) {
    if (cell.measured() && cell.cell.load == "alone" && cell.cell.place == place) {
      dimensions.insert({cell.cell.operation, cell.cell.direction});
    }
  }
  return {dimensions.begin(), dimensions.end()};
}

std::optional<ConsumerRate> RateOf(const CellTable& table, const Decision& decision,
                                   const Assignment& assignment) {
  std::optional<ConsumerRate> worst;
  for (const Dimension& dimension : DimensionsAt(table, assignment.consumer)) {
    double rate = 0;
    for (const NicKey& nic : assignment.nics) {
      const auto alone = table.Throughput(nic.address, assignment.consumer, dimension);
      if (!alone) return std::nullopt;
      rate += *alone / static_cast<double>(UsersOf(decision, nic.address).size());
    }
    if (!worst || rate < worst->rate) worst = ConsumerRate{assignment.consumer, dimension, rate};
  }
  return worst;
}

std::string VerdictsText(const std::map<Verdict, size_t>& verdicts) {
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : verdicts) {
    parts.push_back(fmt::format("{} {}", count, ToString(verdict)));
  }
  return parts.empty() ? "none of its consumers was measured"
                       : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> Lines(const std::string& text, size_t width, size_t indent) {
  std::vector<std::string> lines;
  std::istringstream stream(WrapText(text, width, indent));
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

std::vector<MemoryPlace> PlacesOf(std::span<const CensusRow> census) {
  std::set<MemoryPlace> places;
  for (const CensusRow& row : census) places.insert(row.place);
  return {places.begin(), places.end()};
}

}  // namespace

std::optional<ConsumerRate> WorstConsumer(const CellTable& table, const Decision& decision,
                                          std::span<const MemoryPlace> places) {
  std::optional<ConsumerRate> worst;
  for (const Assignment& assignment : decision.assignments) {
    if (!Contains(places, assignment.consumer)) continue;
    const auto rate = RateOf(table, decision, assignment);
    if (!rate) return std::nullopt;
    if (!worst || rate->rate < worst->rate) worst = rate;
  }
  return worst;
}

std::vector<PolicyCost> CostsOfPolicies(const Machine& machine, std::span<const CensusRow> census,
                                        std::span<const Sample> samples, const JudgeGates& gates) {
  const CellTable table(samples);
  const std::vector<MemoryPlace> places = PlacesOf(census);
  std::vector<PolicyCost> costs;
  for (const PolicyGroup& group : GroupChoices(ChoicesOf(machine))) {
    PolicyCost cost{group.policies, "", {}, {}, {}};
    if (!group.decision) {
      cost.why_not = group.decision.error().reason;
    } else {
      const Judgement judgement = Judge(machine, census, samples, *group.decision, gates);
      for (const PlacementRow& row : judgement.placement) {
        if (Contains(places, row.consumer)) ++cost.verdicts[row.verdict];
      }
      cost.worst = WorstConsumer(table, *group.decision, places);
    }
    costs.push_back(std::move(cost));
  }
  double best = 0;
  for (const PolicyCost& cost : costs) best = std::max(best, cost.worst ? cost.worst->rate : 0);
  for (PolicyCost& cost : costs) {
    if (cost.worst && best > 0) cost.loss = 1 - cost.worst->rate / best;
  }
  return costs;
}

std::string FormatPolicyCosts(std::span<const PolicyCost> costs) {
  constexpr size_t kPoliciesWidth = 19, kVerdictsWidth = 23, kIndent = 2, kWidth = 100;
  static constexpr char kRow[] = "{:<19}  {:<23}  {:<16}  {:>11}  {:<17} {}\n";
  std::string text =
      fmt::format(kRow, "policies", "verdicts", "worst consumer", "gets", "in", "loss");
  for (const PolicyCost& cost : costs) {
    const auto names =
        Lines(fmt::format("{}", fmt::join(cost.policies, ", ")), kPoliciesWidth, kIndent);
    if (!cost.why_not.empty()) {
      text +=
          WrapText(fmt::format("{}: not decided: {}", fmt::join(cost.policies, ", "), cost.why_not),
                   kWidth, kIndent) +
          "\n";
      continue;
    }
    const auto verdicts = Lines(VerdictsText(cost.verdicts), kVerdictsWidth, 0);
    for (size_t i = 0; i < std::max(names.size(), verdicts.size()); ++i) {
      const bool tell = i == 0 && cost.worst;
      std::string line = fmt::format(
          kRow, i < names.size() ? names[i] : "", i < verdicts.size() ? verdicts[i] : "",
          tell     ? cost.worst->consumer.ToString()
          : i == 0 ? "not measured"
                   : "",
          tell ? FormatBytesPerSecond({cost.worst->rate}) : "",
          tell ? ToString(cost.worst->dimension) : "",
          tell && cost.loss ? fmt::format("{:.0f} %", *cost.loss * 100) : "");
      line.erase(line.find_last_not_of(" \n") + 1);
      text += line + "\n";
    }
  }
  return text;
}

std::string PolicyCostsHeader() {
  std::vector<std::string> fields = {"schema_version"};
  for (const auto& column : ColumnsOf<RunIdentity>()) fields.emplace_back(column.name);
  fields.emplace_back("policy");
  for (const Verdict verdict : kVerdicts) {
    std::string name(ToString(verdict));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    fields.push_back(name + "_count");
  }
  for (const char* name : {"worst_consumer", "worst_operation", "worst_direction",
                           "worst_throughput_bytes_per_second", "loss_fraction", "reason"}) {
    fields.emplace_back(name);
  }
  return CsvLine(fields);
}

std::string PolicyCostsCsv(const RunIdentity& run, std::span<const PolicyCost> costs) {
  std::string csv;
  for (const PolicyCost& cost : costs) {
    for (const std::string_view policy : cost.policies) {
      std::vector<std::string> fields = {std::to_string(kSchemaVersion)};
      for (const auto& column : ColumnsOf<RunIdentity>()) fields.push_back(column.print(run));
      fields.emplace_back(policy);
      for (const Verdict verdict : kVerdicts) {
        const auto count = cost.verdicts.find(verdict);
        fields.push_back(cost.why_not.empty()
                             ? std::to_string(count == cost.verdicts.end() ? 0 : count->second)
                             : "");
      }
      const std::optional<ConsumerRate>& worst = cost.worst;
      fields.push_back(worst ? worst->consumer.ToString() : "");
      fields.emplace_back(worst ? ToString(worst->dimension.operation) : "");
      fields.emplace_back(worst ? ToString(worst->dimension.direction) : "");
      fields.push_back(worst ? fmt::format("{}", worst->rate) : "");
      fields.push_back(cost.loss ? fmt::format("{}", *cost.loss) : "");
      fields.push_back(!cost.why_not.empty() ? cost.why_not : worst ? "" : "not measured");
      csv += CsvLine(fields);
    }
  }
  return csv;
}

}  // namespace railgauge
