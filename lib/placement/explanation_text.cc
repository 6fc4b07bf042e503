#include "lib/placement/explanation_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/quoted.h"
#include "lib/base/result.h"
#include "lib/placement/sentences.h"
#include "lib/report/text_matrix.h"
#include "lib/topology/spelling.h"

namespace railgauge {
namespace {

constexpr size_t kWidth = 100;
constexpr IcField kFields[] = {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv};

// `text` wrapped, with `indent` blanks in front and two more before what does not fit.
std::string Line(const std::string& text, size_t indent = 2) {
  const std::string blanks(indent, ' ');
  return blanks + WrapText(text, kWidth - indent, indent + 2) + "\n";
}

// "  relation    same_switch".
std::string Entry(std::string_view name, const std::string& value) {
  constexpr size_t kNameWidth = 12;
  const std::string head = fmt::format("  {:<{}}", name, kNameWidth);
  return head + WrapText(value, kWidth - head.size(), head.size()) + "\n";
}

std::string Rate(const std::optional<BytesPerSecond>& rate) {
  return rate ? FormatBytesPerSecond(*rate) : "unknown";
}

std::string Id(const CensusRow& row, IcField field) {
  const std::optional<uint16_t>& id = row.ids.Get(field);
  if (id) return std::to_string(*id);
  const bool can_tell = row.status == CensusStatus::kOk || row.status == CensusStatus::kNoId;
  return can_tell ? "-" : "?";
}

// Where a function sits, as far as the machine shows it.
std::string Whereabouts(const Machine& machine, const PciPosition& position) {
  if (machine.flat) return "the PCI tree is flat and tells nothing of what is near";
  std::vector<std::string> parts;
  if (!position.bridges.empty()) {
    parts.push_back("switch " + position.bridges.front().ToString());
  }
  parts.push_back(position.host_bridge.empty() ? "host bridge unknown"
                                               : "host bridge " + position.host_bridge);
  parts.push_back(position.numa_node ? fmt::format("numa{}", *position.numa_node)
                                     : "NUMA node unknown");
  parts.push_back(position.link_speed ? "PCI link " + FormatBytesPerSecond(*position.link_speed) +
                                            " as sysfs shows it, which is advice only"
                                      : "PCI link speed unknown");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string WhatPlaceIs(const Machine& machine, const MemoryPlace& place) {
  if (place.is_host()) {
    const NumaNode* node = machine.FindNumaNode(place.numa_node);
    if (node == nullptr) return "a NUMA node that the topology does not show";
    return fmt::format("host memory, {:.1f} GiB, {}",
                       static_cast<double>(node->memory.count) / (1 << 30),
                       Counted(node->cpus.size(), "CPU"));
  }
  const Gpu* gpu = place.is_gpu() ? machine.FindGpu(place.gpu) : nullptr;
  const Accelerator* item = place.is_gpu() ? nullptr : machine.FindAccelerator(place.gpu);
  const PciPosition* position = gpu != nullptr    ? &gpu->position
                                : item != nullptr ? &item->position
                                                  : nullptr;
  if (position == nullptr) return "not shown by the PCI topology";
  const std::string model = gpu != nullptr ? gpu->model : item->model;
  return (model.empty() ? "" : Printable(model) + "; ") + Whereabouts(machine, *position);
}

// "gpu:0000:53:00.0 (CUDA's gpu3)", as the run counted.
std::string NameOfPlace(const RunRecords& records, const MemoryPlace& place) {
  std::string name = place.ToString();
  const auto& order = records.cuda_order;
  const auto at = std::find(order.begin(), order.end(), place.gpu);
  if (!place.is_gpu() || at == order.end()) return name;
  return name + fmt::format(" (CUDA's gpu{})", at - order.begin());
}

std::string Heading(const RunRecords& records, const std::string& what) {
  const RunIdentity& run = records.run;
  std::string text = fmt::format(
      "run {} of {} ({}), host {}\n", run.run_id.empty() ? "unknown" : Shortened(run.run_id),
      run.instance_type.empty() ? "an unknown instance type" : Shortened(run.instance_type),
      run.platform.empty() ? "unknown" : Shortened(run.platform),
      run.host.empty() ? "unknown" : Shortened(run.host));
  text += Line(what, 0);
  if (!records.missing.empty()) {
    text += Line("not in this run directory: " + JoinWithAnd(records.missing), 0);
  }
  return text;
}

std::string TopologyPart(const RunRecords& records, const PairExplanation& pair) {
  std::string text = "\nTopology\n";
  const RelationResult& relation = pair.relation;
  const bool known = relation.relation != Relation::kUnknown;
  std::string why(ToString(relation.relation));
  if (known) why += ", " + Counted(static_cast<uint64_t>(relation.hops), "bridge") + " crossed";
  text += Entry("relation", why);
  text += Entry("path", known ? relation.pci_path : "unknown: the topology does not show it");
  text += Entry("NIC", Whereabouts(records.machine, pair.nic.position));
  text += Entry("place", WhatPlaceIs(records.machine, pair.place));
  for (const CensusRow& row : pair.ways) {
    if (row.relation == relation.relation) continue;
    text += Line(fmt::format("census.csv says {}: it is of another topology than this",
                             ToString(row.relation)));
    break;
  }
  return text;
}

std::string IdsPart(const PairExplanation& pair) {
  std::string text = "\nInterconnect ids, of the NIC writing to the place\n";
  if (pair.ways.empty()) return text + Line("not asked: the census has no row of this pair");
  for (const CensusRow& row : pair.ways) {
    std::string line(ToString(row.status));
    if (row.status == CensusStatus::kOk || row.status == CensusStatus::kNoId) {
      line += ":";
      for (const IcField field : kFields) {
        line += fmt::format("{} {} {}", field == IcField::kRecv ? "" : ",", ToString(field),
                            Id(row, field));
      }
    }
    if (!row.reason.empty()) line += ": " + Printable(row.reason);
    text += Entry(ToString(row.way), line);
  }
  for (const SharedId& shared : pair.shared_ids) {
    const std::string others =
        shared.others.empty() ? "no other place" : "also " + ListOf(shared.others, 12);
    text += Line(fmt::format("{} {}: {}", ToString(shared.field), shared.id, others));
  }
  return text;
}

std::string NameOfCell(const ExplainedCell& cell) {
  const Cell& id = cell.summary.cell;
  std::string text =
      fmt::format("{}, {}", ToString(Dimension{id.operation, id.direction}), FormatBytes(id.size));
  if (id.depth > 0) text += fmt::format(", {} in flight", id.depth);
  text += fmt::format(", {}", ToString(cell.summary.way));
  for (const Sample& partner : cell.partners) {
    text +=
        fmt::format(", with {} at {}", NameOf(partner.partner), partner.partner_place.ToString());
    text += partner.peer == "loopback" ? " in loopback" : " of " + Printable(partner.peer);
  }
  return text;
}

std::string Windows(const ExplainedCell& cell) {
  const SummaryRow& row = cell.summary;
  if (!row.throughput_median) return "";
  std::string text = FormatBytesPerSecond(*row.throughput_median);
  if (row.sample_count == 1) return text + " in one window, so its spread is unknown";
  text += fmt::format(" is the median of {} windows, {} to {}", row.sample_count, Rate(cell.least),
                      Rate(cell.most));
  if (row.throughput_mad) text += ", MAD " + FormatBytesPerSecond(*row.throughput_mad);
  if (row.throughput_low && row.interval_confidence) {
    text += fmt::format("; between {} and {} with {:.1f} % confidence", Rate(row.throughput_low),
                        Rate(row.throughput_high), *row.interval_confidence * 100);
  } else {
    text += "; too few for an interval";
  }
  return text;
}

std::string StandingOf(const SpeedClasses::Standing& standing, const SummaryRow& row) {
  return fmt::format(
      "class: {} cells of {} and this size with a median of {}, MAD {}; this one's robust z is "
      "{:.1f}, with a chance of {:.2g} among equals",
      standing.members, ToString(row.relation), FormatBytesPerSecond({standing.median}),
      FormatBytesPerSecond({standing.mad}), standing.z, standing.adjusted_p_value);
}

std::string Ratio(const InTurn& in_turn) {
  const Comparison& comparison = in_turn.comparison;
  std::string text =
      fmt::format("in turn with {} at {}: {:.3f} times as fast", NameOf(in_turn.other.nic),
                  in_turn.other.place.ToString(), comparison.ratio);
  if (comparison.interval) {
    const auto& [low, high] = comparison.interval->interval;
    text += fmt::format(", {:.3f} to {:.3f}", low, high);
  }
  text += " in " + Counted(comparison.rounds, "round");
  if (!comparison.interval) text += ", too few for an interval";
  if (comparison.p_value) {
    text += fmt::format("; by themselves a chance of {:.2g} if not slower", *comparison.p_value);
  }
  return text;
}

std::string CellPart(const ExplainedCell& cell) {
  constexpr size_t kIndent = 4;
  const SummaryRow& row = cell.summary;
  std::string text = Line(NameOfCell(cell));
  if (const std::string windows = Windows(cell); !windows.empty()) text += Line(windows, kIndent);
  for (const LostWindows& lost : cell.lost) {
    std::string line = fmt::format("{} {}", Counted(lost.count, "window"), ToString(lost.status));
    if (lost.skip_cause) line += fmt::format(" ({})", ToString(*lost.skip_cause));
    text += Line(line + (lost.reason.empty() ? "" : ": " + Printable(lost.reason)), kIndent);
  }
  if (cell.disturbed > 0) {
    text += Line(fmt::format("{} disturbed: the measuring thread was kept from its CPU",
                             Counted(cell.disturbed, "window")),
                 kIndent);
  }
  text += Line(fmt::format("by itself {}{}", ToString(row.verdict),
                           row.reason.empty() ? "" : ": " + Printable(row.reason)),
               kIndent);
  if (cell.standing) text += Line(StandingOf(*cell.standing, row), kIndent);
  for (const InTurn& in_turn : cell.in_turn) text += Line(Ratio(in_turn), kIndent);
  if (cell.line_rate && row.throughput_median) {
    const double percent = 100 * row.throughput_median->value / cell.line_rate->value;
    // What a window bears before it is kAboveCeiling: lib/measure/proof.h.
    const char* const above = ": what was in flight when a window opened counts in it, too";
    text += Line(fmt::format("{:.0f} % of the most that the line rate can be, {}{}", percent,
                             FormatBytesPerSecond(*cell.line_rate), percent > 100.5 ? above : ""),
                 kIndent);
  }
  return text;
}

std::string MeasuredPart(const PairExplanation& pair) {
  if (pair.cells.empty()) return "\nMeasured alone\n" + Line("nothing of this pair");
  std::string text = "\nMeasured alone; what verdicts rest on\n";
  std::string others;
  for (const ExplainedCell& cell : pair.cells) (cell.judged ? text : others) += CellPart(cell);
  if (!others.empty()) text += "\nMeasured besides; other sizes, depths or ways\n" + others;
  return text;
}

// Where a ceiling is from, and what that is worth.
std::string_view ProvenanceOf(Ceiling::Basis basis) {
  switch (basis) {
    case Ceiling::Basis::kPublished:
      return "published: nothing real is faster";
    case Ceiling::Basis::kAssumed:
      return "assumed: nobody published it";
    case Ceiling::Basis::kPort:
      return "what the port reports, which may be below the line rate";
    case Ceiling::Basis::kPciLink:
      return "as sysfs shows the link, which is advice only";
    case Ceiling::Basis::kReported:
      return "a node's share of what others reached with all NICs at once";
  }
  return "unknown";
}

std::string LimitLine(const PairResource::Limit& limit) {
  const Ceiling& ceiling = limit.ceiling;
  std::string text = fmt::format("{}: {}", ceiling.resource, ProvenanceOf(ceiling.basis));
  if (ceiling.basis == Ceiling::Basis::kReported) {
    for (size_t i = 0; i < limit.operations.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? ", by " : " and ",
                          limit.operations[i] == Operation::kRead ? "READ" : "WRITE");
    }
  }
  return Entry(FormatBytesPerSecond(ceiling.capacity), text);
}

std::string CeilingsPart(const PairExplanation& pair) {
  std::string text = "\nCeilings, of what transfers of this pair cross, partners included\n";
  if (pair.crossed.empty()) return text + Line("unknown: the topology does not show it");
  std::vector<std::string> unknown, redirected;
  for (const PairResource& crossed : pair.crossed) {
    // An id names no resource, and is told above.
    if (crossed.resource.kind == Resource::Kind::kInterconnect) continue;
    if (crossed.resource.kind == Resource::Kind::kOtherHost) {
      unknown.push_back("what lies at the other host, " + Printable(crossed.resource.name));
    } else if (!crossed.certain) {
      redirected.push_back(crossed.resource.ToString());
    } else if (crossed.limits.empty()) {
      unknown.push_back(crossed.resource.ToString());
    }
    if (!crossed.certain) continue;
    for (const PairResource::Limit& limit : crossed.limits) text += LimitLine(limit);
  }
  if (!unknown.empty()) text += Entry("unknown", JoinWithAnd(unknown));
  if (!redirected.empty()) {
    text += Entry("perhaps", JoinWithAnd(redirected) +
                                 ": only where bridges send up what goes below one switch (ACS)");
  }
  return text;
}

std::string VerdictLine(const PlacementRow& row) {
  std::string text = fmt::format("{} {}", ToString(row.verdict), row.consumer.ToString());
  if (!row.chosen.empty()) text += " with " + ListOf(row.chosen, 8);
  return Line(text) + Line(Printable(row.reason), 4);
}

std::string PairVerdicts(const RunRecords& records, const PairExplanation& pair) {
  std::string text = "\nVerdicts\n";
  if (records.placement.empty()) return text + Line("none recorded: no placement was judged");
  if (pair.verdicts.empty()) text += Line("the run judged no NICs for this place");
  const auto has_it = [&](const std::vector<NicKey>& nics) {
    return std::any_of(nics.begin(), nics.end(),
                       [&](const NicKey& key) { return key.address == pair.nic.position.address; });
  };
  bool chosen = false, better = false;
  for (const PlacementRow& row : pair.verdicts) {
    text += VerdictLine(row);
    chosen |= has_it(row.chosen);
    better |= has_it(row.best);
  }
  if (!pair.verdicts.empty() && !chosen) {
    text += Line(std::string("this NIC is not among those chosen for it") +
                 (better ? ", but among those that should be" : ""));
  }
  for (const PlacementRow& row : pair.other_uses) {
    text += Line("the NIC is named for another consumer:") + VerdictLine(row);
  }
  return text;
}

std::string FindingsPart(const std::vector<Finding>& findings) {
  if (findings.empty()) return "\nFindings\n" + Line("none that names it");
  std::string text = "\nFindings\n";
  for (const Finding& finding : findings) {
    text += Line(fmt::format("{} {}{}", ToString(finding.severity), finding.kind,
                             finding.nic ? " of " + NameOf(*finding.nic) : ""));
    text += Line(Printable(finding.sentence), 4);
    if (!finding.evidence.empty()) text += Line(Printable(finding.evidence), 4);
  }
  return text;
}

std::string GroupsPart(const std::vector<GroupRow>& groups) {
  if (groups.empty()) return "\nUnder load\n" + Line("not measured (railgauge load does)");
  std::string text = "\nUnder load\n";
  for (const GroupRow& row : groups) {
    std::string line = fmt::format(
        "{}: {} of {} {}, {}", Printable(row.load),
        row.operation == Operation::kRead ? "READ" : "WRITE", Counted(row.nic_count, "NIC"),
        row.direction ? std::string(ToString(*row.direction)) : "both ways", FormatBytes(row.size));
    line += row.throughput_sum ? fmt::format(": {} together, {} alone", Rate(row.throughput_sum),
                                             Rate(row.alone_throughput_sum))
                               : std::string(": not measured");
    if (row.sharing_factor) line += fmt::format(", factor {:.3f}", *row.sharing_factor);
    text += Line(fmt::format("{}: {}", line, ToString(row.sharing)));
    if (!row.reason.empty()) text += Line(Printable(row.reason), 4);
  }
  return text;
}

// ---- one line per pair ----

using Table = std::vector<std::vector<std::string>>;

// Columns as wide as they need, two blanks between; of the first line's, those after `left` to the
// right.
std::string FormatTable(const Table& table, size_t left) {
  std::vector<size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += i < left ? fmt::format("  {:<{}}", row[i], widths[i])
                       : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// "7,7,7", of the first way that was registered; "!" where another way answers otherwise.
std::string IdsOf(const PairLine& line) {
  const CensusRow* first = nullptr;
  bool differ = false;
  for (const CensusRow& row : line.ways) {
    const bool told = row.status == CensusStatus::kOk || row.status == CensusStatus::kNoId;
    if (!told) continue;
    if (first == nullptr) first = &row;
    differ |= row.ids != first->ids;
  }
  if (first == nullptr) {
    return line.ways.empty() ? "." : std::string(ToString(line.ways.front().status));
  }
  std::string text;
  for (const IcField field : kFields) text += (text.empty() ? "" : ",") + Id(*first, field);
  return text + (differ ? "!" : "");
}

std::string RateOf(const std::optional<SummaryRow>& row) {
  if (!row) return ".";
  if (!row->throughput_median) return row->verdict == Verdict::kInvalid ? "inval" : "none";
  // Beside a rate of 12.50, the hundredths of a small one tell nothing.
  const double value = row->throughput_median->value / 1e9;
  return value < 0.1 ? fmt::format("{:.2g}", value) : fmt::format("{:.2f}", value);
}

std::string TableOf(const Overview& overview, bool of_nics) {
  Table table = {
      {of_nics ? "NIC" : "place", "", "relation", "ids", "READ to", "from", "WRITE to", "from"}};
  for (const PairLine& line : overview.lines) {
    std::vector<std::string> row = {of_nics ? NameOf(line.nic) : line.place.ToString(),
                                    line.chosen ? "*" : "", std::string(ToString(line.relation)),
                                    IdsOf(line)};
    for (const auto& dimension : line.dimensions) row.push_back(RateOf(dimension));
    table.push_back(std::move(row));
  }
  constexpr const char* kLegend =
      "Medians in GB/s, to and from memory, of the largest size measured alone; none: not "
      "measured, inval: contradicted, . not asked for. ids: recv, rdma_read, rdma_recv (equal or "
      "different within one NIC and field, - no id, ? cannot tell, ! registration ways differ). "
      "* chosen by the placement that the run judged.";
  return "\n" + FormatTable(table, 4) + Line(kLegend, 0);
}

std::string VerdictsPart(const RunRecords& records, const std::vector<PlacementRow>& verdicts,
                         const std::string& none) {
  std::string text = "\nVerdicts\n";
  if (records.placement.empty()) return text + Line("none recorded: no placement was judged");
  if (verdicts.empty()) return text + Line(none);
  for (const PlacementRow& row : verdicts) text += VerdictLine(row);
  return text;
}

}  // namespace

std::string FormatPair(const RunRecords& records, const PairExplanation& explanation) {
  return Heading(records, fmt::format("{} at {}", NameOf(explanation.nic.key()),
                                      NameOfPlace(records, explanation.place))) +
         TopologyPart(records, explanation) + IdsPart(explanation) + MeasuredPart(explanation) +
         CeilingsPart(explanation) + PairVerdicts(records, explanation) +
         FindingsPart(explanation.findings) + GroupsPart(explanation.groups);
}

std::string FormatNic(const RunRecords& records, const Nic& nic, const Overview& overview) {
  return Heading(records, fmt::format("{}: {}", NameOf(nic.key()),
                                      Whereabouts(records.machine, nic.position))) +
         TableOf(overview, false) +
         VerdictsPart(records, overview.verdicts, "the placement that was judged does not use it") +
         FindingsPart(overview.findings) + GroupsPart(overview.groups);
}

std::string FormatPlace(const RunRecords& records, const MemoryPlace& place,
                        const Overview& overview) {
  return Heading(records, fmt::format("{}: {}", NameOfPlace(records, place),
                                      WhatPlaceIs(records.machine, place))) +
         TableOf(overview, true) +
         VerdictsPart(records, overview.verdicts, "the run judged no NICs for it") +
         FindingsPart(overview.findings) + GroupsPart(overview.groups);
}

}  // namespace railgauge
