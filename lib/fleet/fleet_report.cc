#include "lib/fleet/fleet_report.h"

#include <algorithm>
#include <sstream>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/fleet/sentence.h"
#include "lib/report/csv_writer.h"
#include "lib/report/schema.h"
#include "lib/report/text_matrix.h"

namespace railgauge {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kVerdictWidth = 12;
// More than these would hide the others; all are in fleet.csv.
constexpr size_t kShown = 50;

constexpr const char* kColumns[] = {"schema_version",
                                    "run_id",
                                    "host",
                                    "instance_id",
                                    "instance_type",
                                    "platform",
                                    "node",
                                    "nic_pci_address",
                                    "nic_name",
                                    "verdict",
                                    "cause",
                                    "initiator_peer",
                                    "initiator_deviation_fraction",
                                    "initiator_z",
                                    "initiator_adjusted_p_value",
                                    "target_peer",
                                    "target_deviation_fraction",
                                    "target_z",
                                    "target_adjusted_p_value",
                                    "groups",
                                    "confirm_ratio",
                                    "confirm_ratio_low",
                                    "confirm_ratio_high",
                                    "confirm_confidence_fraction",
                                    "confirm_rounds",
                                    "reason"};

std::string Number(double value) { return fmt::format("{:.6g}", value); }

void AddPart(const FleetPlan& plan, const std::optional<PartStanding>& part,
             std::vector<std::string>& fields) {
  fields.push_back(part ? plan.nodes[part->peer].name : "");
  fields.push_back(part ? Number(part->deviation) : "");
  fields.push_back(part ? Number(part->z) : "");
  fields.push_back(part ? Number(part->adjusted_p) : "");
}

void AddConfirmation(const std::optional<PairedRatio>& ratio, std::vector<std::string>& fields) {
  const bool bounded = ratio && ratio->interval;
  fields.push_back(ratio ? Number(ratio->ratio) : "");
  fields.push_back(bounded ? Number(ratio->interval->interval.low) : "");
  fields.push_back(bounded ? Number(ratio->interval->interval.high) : "");
  fields.push_back(bounded ? Number(ratio->interval->confidence) : "");
  fields.push_back(ratio ? std::to_string(ratio->rounds) : "");
}

// "n3 0000:4f:00.0 (rdmap79s0)".
std::string NameOf(const FleetPlan& plan, const FleetRow& row) {
  std::string name = plan.nodes[row.node].name;
  if (row.slot) name += " " + row.slot->ToString();
  if (!row.nic_name.empty()) name += " (" + Printable(row.nic_name) + ")";
  return name;
}

// NICs of a node that were not measured for one reason, or as the whole node, are a line and not
// tens.
bool SayTheSame(const FleetRow& a, const FleetRow& b) {
  return a.verdict == FleetVerdict::kUnmeasured && b.verdict == a.verdict && a.node == b.node &&
         (!a.slot || a.reason == b.reason);
}

int ColorOf(FleetVerdict verdict) {
  switch (verdict) {
    case FleetVerdict::kSlow:
    case FleetVerdict::kMissing:
      return 31;
    case FleetVerdict::kSuspect:
    case FleetVerdict::kUnmeasured:
      return 33;
    case FleetVerdict::kOk:
      break;
  }
  return 32;
}

std::string Counts(const FleetVerdicts& verdicts) {
  std::string line;
  for (const auto& [verdict, count] : verdicts.counts) {
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, ToString(verdict));
  }
  return line.empty() ? "nothing was measured" : line;
}

// In the order in which people are told of them: what has wrong data first.
std::vector<const FleetRow*> WorstFirst(const std::vector<FleetRow>& rows) {
  std::vector<const FleetRow*> ordered;
  for (const FleetRow& row : rows) ordered.push_back(&row);
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const FleetRow* row) { return row->wrong_data; });
  return ordered;
}

// As text and nothing else: a cell ends at '|', and names and messages are of other programs.
std::string MarkdownCell(const std::string& text) {
  std::string cell;
  for (const char c : Printable(text)) {
    switch (c) {
      case '<':
        cell += "&lt;";
        break;
      case '>':
        cell += "&gt;";
        break;
      case '&':
        cell += "&amp;";
        break;
      default:
        if (std::string_view("\\|[]`*_~").find(c) != std::string_view::npos) cell += '\\';
        cell += c;
    }
  }
  return cell;
}

}  // namespace

std::string FleetCsv(const FleetPlan& plan, const FleetVerdicts& verdicts) {
  std::string csv = CsvLine(std::vector<std::string>(std::begin(kColumns), std::end(kColumns)));
  const RunIdentity none;
  for (const FleetRow& row : verdicts.rows) {
    const RunIdentity& run = row.run != nullptr ? *row.run : none;
    std::vector<std::string> fields = {std::to_string(kSchemaVersion),
                                       run.run_id,
                                       run.host,
                                       run.instance_id,
                                       run.instance_type,
                                       run.platform,
                                       plan.nodes[row.node].name,
                                       row.slot ? row.slot->ToString() : "",
                                       row.nic_name,
                                       std::string(ToString(row.verdict)),
                                       row.cause};
    AddPart(plan, row.as_initiator, fields);
    AddPart(plan, row.as_target, fields);
    fields.push_back(row.groups);
    AddConfirmation(row.confirmed, fields);
    fields.push_back(row.reason);
    csv += CsvLine(fields);
  }
  return csv;
}

std::string FleetText(const FleetPlan& plan, const FleetVerdicts& verdicts, bool color) {
  std::string out;
  size_t shown = 0, bad = 0;
  const std::vector<const FleetRow*> rows = WorstFirst(verdicts.rows);
  for (size_t i = 0, next = 0; i < rows.size(); i = next) {
    const FleetRow& row = *rows[i];
    for (next = i + 1; next < rows.size() && SayTheSame(row, *rows[next]);) ++next;
    if (row.verdict == FleetVerdict::kOk || ++bad > kShown) continue;
    ++shown;
    std::string verdict(ToString(row.verdict));
    const std::string padding(kVerdictWidth - verdict.size(), ' ');
    if (color) verdict = fmt::format("\x1b[{}m{}\x1b[0m", ColorOf(row.verdict), verdict);
    out += verdict + padding + NameOf(plan, row);
    if (row.slot && next > i + 1) out += fmt::format(" and {} more of its NICs", next - i - 1);
    out += "\n";
    std::istringstream lines(WrapText(Printable(WithoutStop(row.reason)) + ".", kWidth - 4, 0));
    for (std::string line; std::getline(lines, line);) out += "    " + line + "\n";
  }
  if (bad > shown) out += fmt::format("and {} more: see fleet.csv\n", bad - shown);
  return out + Counts(verdicts) + "\n";
}

std::string FleetMarkdown(const FleetPlan& plan, const FleetVerdicts& verdicts) {
  std::string platform;
  for (const FleetRow& row : verdicts.rows) {
    if (row.run != nullptr && !row.run->platform.empty()) platform = row.run->platform;
  }
  std::string out = fmt::format(
      "# Fleet of {}{}\n\n{}\n", Counted(plan.nodes.size(), "node"),
      platform.empty() || platform == "hardware" ? "" : " (" + MarkdownCell(platform) + ")",
      Counts(verdicts));
  std::string table;
  for (const FleetRow* one : WorstFirst(verdicts.rows)) {
    const FleetRow& row = *one;
    if (row.verdict == FleetVerdict::kOk) continue;
    table +=
        fmt::format("| {} | {} | {} | {} | {} |\n", ToString(row.verdict),
                    MarkdownCell(plan.nodes[row.node].name), row.slot ? row.slot->ToString() : "",
                    MarkdownCell(row.cause), MarkdownCell(row.reason));
  }
  if (table.empty()) return out;
  return out + "\n| verdict | node | NIC | cause | why |\n|-|-|-|-|-|\n" + table;
}

}  // namespace railgauge
