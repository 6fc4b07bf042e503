#include "lib/report/openmetrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "fmt/core.h"
#include "lib/report/plain_text.h"

namespace railgauge {
namespace {

constexpr Verdict kVerdicts[] = {
    Verdict::kOk,   Verdict::kSlow,  Verdict::kWrong,   Verdict::kOversubscribed,
    Verdict::kIdle, Verdict::kNoisy, Verdict::kInvalid, Verdict::kUndecided};

// Of help and of label values: backslash, line end, and in the latter the quote.
std::string Escaped(std::string_view text) {
  std::string result;
  for (const char c : PlainUtf8(text)) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::string PointText(const std::string& name, const MetricPoint& point) {
  std::string labels;
  for (const auto& [key, value] : point.labels) {
    labels += fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", key, Escaped(value));
  }
  return labels.empty() ? fmt::format("{} {}\n", name, point.value)
                        : fmt::format("{}{{{}}} {}\n", name, labels, point.value);
}

MetricLabels CellLabels(const Cell& cell, RegistrationWay way) {
  return {{"nic", cell.nic.address.ToString()},
          {"nic_name", cell.nic.name},
          {"place", cell.place.ToString()},
          {"operation", std::string(ToString(cell.operation))},
          {"direction", std::string(ToString(cell.direction))},
          {"size_bytes", std::to_string(cell.size.count)},
          {"depth", std::to_string(cell.depth)},
          {"way", std::string(ToString(way))}};
}

}  // namespace

std::string OpenMetricsText(std::span<const MetricFamily> families) {
  std::string text;
  for (const MetricFamily& family : families) {
    std::string points;
    for (const MetricPoint& point : family.points) {
      if (std::isfinite(point.value)) points += PointText(family.name, point);
    }
    if (points.empty()) continue;
    text += fmt::format("# TYPE {} gauge\n", family.name);
    if (!family.unit.empty()) text += fmt::format("# UNIT {} {}\n", family.name, family.unit);
    text += fmt::format("# HELP {} {}\n{}", family.name, Escaped(family.help), points);
  }
  return text + "# EOF\n";
}

std::vector<MetricFamily> RunMetrics(const RunIdentity& run, const std::string& command,
                                     int exit_status) {
  return {{"railgauge_run_info",
           "",
           "What the metrics of this file are of; always 1.",
           {{{{"run_id", run.run_id},
              {"host", run.host},
              {"instance_id", run.instance_id},
              {"instance_type", run.instance_type},
              {"platform", run.platform},
              {"command", command}},
             1}}},
          {"railgauge_exit_status",
           "",
           "Exit status of the command: 0 all is OK, 1 something is bad, 3 it cannot be told.",
           {{{{"command", command}}, static_cast<double>(exit_status)}}}};
}

std::vector<MetricFamily> PlacementMetrics(const RunIdentity& run, const std::string& command,
                                           int exit_status, std::span<const SummaryRow> summary,
                                           std::span<const PlacementRow> placement,
                                           std::span<const Finding> findings) {
  std::vector<MetricFamily> families = RunMetrics(run, command, exit_status);
  MetricFamily throughput = {"railgauge_throughput_bytes_per_second",
                             "bytes_per_second",
                             "Median throughput of a NIC alone at a memory place.",
                             {}};
  for (const SummaryRow& row : summary) {
    if (!row.throughput_median || row.cell.load != "alone") continue;
    throughput.points.push_back({CellLabels(row.cell, row.way), row.throughput_median->value});
  }
  MetricFamily verdicts = {"railgauge_placement_verdict",
                           "",
                           "1 for a verdict on the consumer's NICs, 0 for each that is not given.",
                           {}};
  MetricFamily regret = {"railgauge_placement_regret_ratio",
                         "ratio",
                         "Share of the best choice's throughput that is lost.",
                         {}};
  // A consumer may have two rows: one of them is of NICs that are idle.
  std::map<std::string, std::set<Verdict>> given;
  std::map<std::string, double> regrets;
  for (const PlacementRow& row : placement) {
    const std::string consumer = row.consumer.ToString();
    given[consumer].insert(row.verdict);
    if (!row.regret) continue;
    const auto [known, is_new] = regrets.try_emplace(consumer, *row.regret);
    if (!is_new) known->second = std::max(known->second, *row.regret);
  }
  for (const auto& [consumer, loss] : regrets) {
    regret.points.push_back({{{"consumer", consumer}}, loss});
  }
  for (const auto& [consumer, some] : given) {
    for (const Verdict verdict : kVerdicts) {
      verdicts.points.push_back(
          {{{"consumer", consumer}, {"verdict", std::string(ToString(verdict))}},
           some.contains(verdict) ? 1.0 : 0.0});
    }
  }
  MetricFamily found = {"railgauge_findings", "", "Findings of the run by kind.", {}};
  std::map<std::pair<std::string, Severity>, double> counts;
  for (const Finding& finding : findings) ++counts[{finding.kind, finding.severity}];
  for (const auto& [key, count] : counts) {
    found.points.push_back(
        {{{"kind", key.first}, {"severity", std::string(ToString(key.second))}}, count});
  }
  for (MetricFamily* family : {&throughput, &verdicts, &regret, &found}) {
    families.push_back(std::move(*family));
  }
  return families;
}

}  // namespace railgauge
