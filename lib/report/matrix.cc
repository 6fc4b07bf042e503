#include "lib/report/matrix.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/rate_unit.h"
#include "lib/base/result.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

using NicPlace = std::pair<PciAddress, MemoryPlace>;

constexpr IcField kFields[] = {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv};

// The census rows of one NIC and place, in all registration ways.
struct CensusEntry {
  const CensusRow* row = nullptr;  // the first that was registered, else the first
  bool ways_differ = false;        // two ways were registered and have other ids
};

std::map<NicPlace, CensusEntry> IndexCensus(std::span<const CensusRow> census) {
  const auto registered = [](const CensusRow& row) {
    return row.status != CensusStatus::kRegistrationFailed &&
           row.status != CensusStatus::kSkipped && row.status != CensusStatus::kNotSupported;
  };
  std::map<NicPlace, CensusEntry> index;
  for (const CensusRow& row : census) {
    CensusEntry& entry = index[{row.nic.address, row.place}];
    if (entry.row == nullptr || (registered(row) && !registered(*entry.row))) {
      entry.row = &row;
    } else if (registered(row) && row.ids != entry.row->ids) {
      entry.ways_differ = true;
    }
  }
  return index;
}

// Letters for the ids of each NIC and field, in the order of the machine's places.
class Letters {
 public:
  Letters(const Machine& machine, const std::map<NicPlace, CensusEntry>& census) {
    for (const Nic& nic : machine.nics) {
      for (const MemoryPlace& place : machine.Places()) {
        const auto entry = census.find({nic.position.address, place});
        if (entry == census.end()) continue;
        for (const IcField field : kFields) {
          const auto& id = entry->second.row->ids.Get(field);
          if (!id) continue;
          auto& known = letters_[{nic.position.address, field}];
          known.try_emplace(*id, LetterOf(known.size()));
        }
      }
    }
  }

  // '?' for an id that the census does not have.
  char Of(const PciAddress& nic, IcField field, uint16_t id) const {
    const auto known = letters_.find({nic, field});
    if (known == letters_.end()) return '?';
    const auto letter = known->second.find(id);
    return letter == known->second.end() ? '?' : letter->second;
  }

 private:
  static char LetterOf(size_t index) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return index < kLetters.size() ? kLetters[index] : '#';
  }
  std::map<std::pair<PciAddress, IcField>, std::map<uint16_t, char>> letters_;
};

// PCI addresses without the domain, where every one on the machine has domain 0.
class Shortener {
 public:
  explicit Shortener(const Machine& machine) {
    for (const Nic& nic : machine.nics) short_ &= nic.position.address.domain == 0;
    for (const Gpu& gpu : machine.gpus) short_ &= gpu.position.address.domain == 0;
    for (const Accelerator& item : machine.accelerators) {
      short_ &= item.position.address.domain == 0;
    }
  }
  std::string Of(const PciAddress& address) const {
    const std::string text = address.ToString();
    return short_ ? text.substr(text.find(':') + 1) : text;
  }

 private:
  bool short_ = true;
};

// The frame of a matrix: those NICs and places of which `has` knows something, and a cell for each.
TextMatrix MakeMatrix(const Machine& machine, std::string title,
                      const std::function<bool(const NicPlace&)>& has,
                      const std::function<MatrixCell(const NicPlace&)>& cell_of) {
  const Shortener shortener(machine);
  TextMatrix matrix;
  matrix.title = std::move(title);
  std::vector<MemoryPlace> places;
  std::vector<MemoryPlace> named = machine.Places();
  const std::vector<MemoryPlace> unsupported = machine.UnsupportedPlaces();
  named.insert(named.end(), unsupported.begin(), unsupported.end());
  for (const MemoryPlace& place : named) {
    const bool any = std::any_of(machine.nics.begin(), machine.nics.end(), [&](const Nic& nic) {
      return has({nic.position.address, place});
    });
    if (!any) continue;
    places.push_back(place);
    matrix.columns.push_back({place.is_host()  ? "host"
                              : place.is_gpu() ? "gpu"
                                               : "accel",
                              place.is_host() ? place.ToString() : shortener.Of(place.gpu)});
  }
  for (const NicGroup& nic_group : GroupNics(machine)) {
    MatrixGroup group{nic_group.name, {}};
    for (const PciAddress& nic : nic_group.nics) {
      MatrixRow row{shortener.Of(nic), {}};
      bool any = false;
      for (const MemoryPlace& place : places) {
        any |= has({nic, place});
        row.cells.push_back(cell_of({nic, place}));
      }
      if (any) group.rows.push_back(std::move(row));
    }
    if (!group.rows.empty()) matrix.groups.push_back(std::move(group));
  }
  return matrix;
}

char MarkOf(Relation relation) {
  switch (relation) {
    case Relation::kSameSwitch:
      return 'S';
    case Relation::kSameHostBridge:
      return 'H';
    case Relation::kSameNumaNode:
      return 'N';
    case Relation::kOtherNumaNode:
      return 'F';
    case Relation::kUnknown:
      return 'U';
  }
  return 'U';
}

MatrixCell CensusCell(const CensusEntry& entry, const Letters& letters) {
  const CensusRow& row = *entry.row;
  std::string text(1, MarkOf(row.relation));
  text += ' ';
  if (row.status == CensusStatus::kRegistrationFailed) return {{}, text + "err"};
  if (row.status == CensusStatus::kSkipped) return {{}, text + "..."};
  if (row.status == CensusStatus::kNotSupported) return {{}, text + "n/s"};
  for (const IcField field : kFields) {
    const auto& id = row.ids.Get(field);
    text += id                                        ? letters.Of(row.nic.address, field, *id)
            : row.status == CensusStatus::kCannotTell ? '?'
                                                      : '-';
  }
  if (entry.ways_differ) text += '!';
  return {{}, text};
}

constexpr const char* kCensusLegend =
    "S same switch, H same host bridge, N same NUMA node, F other NUMA node, U unknown; then the "
    "interconnect ids recv, rdma_read, rdma_recv: equal letter = equal id within one NIC and field "
    "(numbers are in census.csv), - no id, ? cannot tell, ! registration ways differ, err not "
    "registered, ... not tried. Rows and columns that are equal are folded.";

constexpr const char* kNotSupportedLegend =
    " n/s: the memory of accelerators that are no CUDA GPU is not supported yet.";

constexpr const char* kThroughputLegend =
    "Medians; the letter is the interconnect id that the transfer is attributed to (- no "
    "id; "
    "none exists for from_memory); none: not measured, and inval: not valid, for the reason in "
    "summary.csv; . not asked for. Rows and columns within {:.0f} % are folded and their median is "
    "shown.";

constexpr const char* kDisturbedLegend =
    " ~: the measuring thread was kept from its CPU in every window of the cell.";

struct Section {
  Operation operation;
  Direction direction;
  std::map<NicPlace, const SummaryRow*> rows;
  Bytes size;
  bool several_sizes = false;
  bool measured = false;
  std::string reason;  // of the first row that was not measured
};

// The rows of one operation and direction at the largest measured size; of several depths or ways
// the fastest.
Section SectionOf(Operation operation, Direction direction, std::span<const SummaryRow> summary) {
  Section section{operation, direction, {}, {}, false, false, ""};
  std::set<Bytes> sizes;
  std::vector<const SummaryRow*> rows;
  for (const SummaryRow& row : summary) {
    if (row.cell.operation != operation || row.cell.direction != direction) continue;
    if (row.cell.load != "alone") continue;
    rows.push_back(&row);
    if (row.throughput_median) {
      section.measured = true;
      sizes.insert(row.cell.size);
    } else if (section.reason.empty()) {
      section.reason = row.reason;
    }
  }
  if (!sizes.empty()) section.size = *sizes.rbegin();
  section.several_sizes = sizes.size() > 1;
  for (const SummaryRow* row : rows) {
    if (row->throughput_median && row->cell.size != section.size) continue;
    const SummaryRow*& best = section.rows[{row->cell.nic.address, row->cell.place}];
    // An empty median is below every other.
    if (best == nullptr || row->throughput_median > best->throughput_median) best = row;
  }
  return section;
}

MatrixCell ThroughputCell(const SummaryRow& row, const RateUnit& unit, const Letters& letters) {
  if (!row.throughput_median) {
    return {{}, row.verdict == Verdict::kInvalid ? "inval" : "none"};
  }
  std::string mark;
  if (const auto field = AttributingField(row.cell.operation, row.cell.direction)) {
    mark = row.interconnect_id
               ? std::string(1, letters.Of(row.cell.nic.address, *field, *row.interconnect_id))
               : "-";
  }
  if (HasFinding(row, kDisturbedFinding)) mark += '~';
  return {row.throughput_median->value / unit.factor, mark};
}

// That of the fastest cell, as small messages are slow everywhere.
RateUnit UnitOf(const Section& section) {
  BytesPerSecond fastest;
  for (const auto& [at, row] : section.rows) {
    fastest = std::max(fastest, row->throughput_median.value_or(BytesPerSecond{}));
  }
  return UnitFor(fastest);
}

std::string TitleOf(const Section& section) {
  return fmt::format("{} {}", section.operation == Operation::kRead ? "READ" : "WRITE",
                     ToString(section.direction));
}

}  // namespace

std::string FormatCensus(const Machine& machine, std::span<const CensusRow> census,
                         const MatrixOptions& options) {
  const std::map<NicPlace, CensusEntry> index = IndexCensus(census);
  if (index.empty()) return "Census: no NIC was asked.\n";
  const Letters letters(machine, index);
  const TextMatrix matrix = MakeMatrix(
      machine, "Census: relation and interconnect ids",
      [&](const NicPlace& at) { return index.contains(at); },
      [&](const NicPlace& at) {
        const auto entry = index.find(at);
        return entry == index.end() ? MatrixCell{{}, "."} : CensusCell(entry->second, letters);
      });
  const bool unsupported = std::any_of(census.begin(), census.end(), [](const CensusRow& row) {
    return row.status == CensusStatus::kNotSupported;
  });
  const std::string legend = std::string(kCensusLegend) + (unsupported ? kNotSupportedLegend : "");
  return FormatMatrix(matrix, options) + WrapText(legend, options.width, 0) + "\n";
}

std::string FormatThroughput(const Machine& machine, std::span<const CensusRow> census,
                             std::span<const SummaryRow> summary, const MatrixOptions& options) {
  const std::map<NicPlace, CensusEntry> index = IndexCensus(census);
  const Letters letters(machine, index);
  std::string out;
  bool any = false, disturbed = false;
  for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      const Section section = SectionOf(operation, direction, summary);
      std::string title = TitleOf(section);
      if (!section.measured) {
        title += ": not measured";
        if (!section.reason.empty()) title += ": " + Printable(section.reason);
        out += WrapText(title, options.width, 2) + "\n\n";
        continue;
      }
      any = true;
      for (const auto& [at, row] : section.rows) {
        disturbed |= row->throughput_median && HasFinding(*row, kDisturbedFinding);
      }
      const RateUnit unit = UnitOf(section);
      title += fmt::format(", {}, in {}", FormatBytes(section.size), unit.name);
      if (section.several_sizes) title += " (the largest size; the others are in summary.csv)";
      const TextMatrix matrix = MakeMatrix(
          machine, title, [&](const NicPlace& at) { return section.rows.contains(at); },
          [&](const NicPlace& at) {
            const auto row = section.rows.find(at);
            return row == section.rows.end() ? MatrixCell{{}, "."}
                                             : ThroughputCell(*row->second, unit, letters);
          });
      out += FormatMatrix(matrix, options) + "\n";
    }
  }
  if (any) {
    const std::string legend = fmt::format(kThroughputLegend, options.fold_within * 100) +
                               (disturbed ? kDisturbedLegend : "");
    out += WrapText(legend, options.width, 0) + "\n";
  }
  return out;
}

std::string FormatVerdictRows(std::span<const PlacementRow> placement,
                              const MatrixOptions& options) {
  constexpr size_t kVerdictWidth = 15;  // "OVERSUBSCRIBED" and a blank
  constexpr std::string_view kIndent = "    ";
  RAILGAUGE_CHECK(options.width > kIndent.size());
  std::string out;
  for (const PlacementRow& row : placement) {
    std::string verdict(ToString(row.verdict));
    const size_t padding = kVerdictWidth - std::min(kVerdictWidth, verdict.size());
    if (options.color) {
      const int color = row.verdict == Verdict::kOk                                            ? 32
                        : row.verdict == Verdict::kNoisy || row.verdict == Verdict::kUndecided ? 33
                                                                                               : 31;
      verdict = fmt::format("\x1b[{}m{}\x1b[0m", color, verdict);
    }
    out += verdict + std::string(padding, ' ') + row.consumer.ToString() + "\n";
    std::istringstream lines(WrapText(Printable(row.reason), options.width - kIndent.size(), 0));
    for (std::string line; std::getline(lines, line);) out += std::string(kIndent) + line + "\n";
  }
  return out;
}

VerdictCounts CountVerdicts(std::span<const PlacementRow> placement) {
  VerdictCounts counts;
  for (const PlacementRow& row : placement) ++counts[row.verdict];
  return counts;
}

std::string FormatCounts(const VerdictCounts& counts) {
  std::string line;
  for (const auto& [verdict, count] : counts) {
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, ToString(verdict));
  }
  return line.empty() ? "No consumer was judged." : line;
}

std::string FormatVerdicts(std::span<const PlacementRow> placement, const MatrixOptions& options) {
  return FormatVerdictRows(placement, options) + FormatCounts(CountVerdicts(placement)) + "\n";
}

std::string FormatWhole(const AssignmentRow& whole, const MatrixOptions& options) {
  std::string line = fmt::format("the whole placement is {}", ToString(whole.verdict));
  if (whole.regret_max && *whole.regret_max > 0) {
    line += fmt::format(", {:.0f} % lost by the worst-off and {:.0f} % on average",
                        *whole.regret_max * 100, *whole.regret_mean * 100);
  }
  return WrapText(line + ": " + Printable(whole.reason), options.width, 2) + "\n";
}

}  // namespace railgauge
