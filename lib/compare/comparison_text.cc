#include "lib/compare/comparison_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/report/text_matrix.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kSlotWidth = 26;
constexpr size_t kDimensions = 4;  // two operations, two directions
constexpr const char* kDimensionNames[kDimensions] = {"READ to", "READ from", "WRITE to",
                                                      "WRITE from"};

// From what hides nothing to what must be seen.
constexpr CompareVerdict kByWeight[] = {CompareVerdict::kNew,     CompareVerdict::kSame,
                                        CompareVerdict::kFaster,  CompareVerdict::kNoisy,
                                        CompareVerdict::kMissing, CompareVerdict::kSlower};
size_t WeightOf(CompareVerdict verdict) {
  return static_cast<size_t>(std::find(std::begin(kByWeight), std::end(kByWeight), verdict) -
                             std::begin(kByWeight));
}

size_t DimensionOf(const SlotCell& cell) {
  return (cell.operation == Operation::kWrite ? 2u : 0u) +
         (cell.direction == Direction::kFromMemory ? 1u : 0u);
}

// More than the margin is won, and not for certain (the reason says why): the baseline may be of a
// bad machine.
bool MayBeFaster(const ComparisonRow& row) {
  return row.verdict == CompareVerdict::kSame && row.ratio && *row.ratio > 1 && !row.reason.empty();
}

// What is told of one NIC, or of many alike, in an operation and direction.
struct Tally {
  // The weightiest; MISSING only where nothing was measured: what a run left out is told once,
  // below.
  std::optional<CompareVerdict> verdict;
  std::vector<double> ratios;
  std::map<CompareVerdict, double> farthest;  // the ratio that is farthest out, where not SAME
  size_t won = 0;                             // rows that MayBeFaster

  void Add(CompareVerdict other) {
    const bool missing = verdict == CompareVerdict::kMissing;
    if (!verdict || (missing && other != CompareVerdict::kMissing) ||
        (other != CompareVerdict::kMissing && WeightOf(other) > WeightOf(*verdict))) {
      verdict = other;
    }
  }
  void Add(const ComparisonRow& row) {
    Add(row.verdict);
    won += MayBeFaster(row) ? 1 : 0;
    if (!row.ratio) return;
    ratios.push_back(*row.ratio);
    if (row.verdict == CompareVerdict::kSame) return;
    const auto [far, is_new] = farthest.emplace(row.verdict, *row.ratio);
    const bool faster = row.verdict == CompareVerdict::kFaster;
    if (!is_new) {
      far->second = faster ? std::max(far->second, *row.ratio) : std::min(far->second, *row.ratio);
    }
  }
  void Add(const Tally& other) {
    if (!other.verdict) return;
    Add(*other.verdict);
    ratios.insert(ratios.end(), other.ratios.begin(), other.ratios.end());
  }
  // Not single windows: one of many cells is always fast by chance.
  bool may_be_faster() const { return 2 * won > ratios.size(); }
  std::string Text() const {
    if (!verdict) return "";
    // A median over many places would hide the few where a NIC is slow.
    const auto far = farthest.find(*verdict);
    const std::optional<double> ratio = far == farthest.end() ? Median(ratios) : far->second;
    return (ratio ? fmt::format("{:.2f} ", *ratio) : "   - ") + std::string(ToString(*verdict));
  }
};

struct NicLine {
  std::optional<NicKey> nic;
  std::array<Tally, kDimensions> tallies;

  bool unremarkable() const {
    return std::all_of(tallies.begin(), tallies.end(), [](const Tally& tally) {
      return !tally.verdict || (WeightOf(*tally.verdict) <= WeightOf(CompareVerdict::kSame) &&
                                !tally.may_be_faster());
    });
  }
  bool is_all(CompareVerdict verdict) const {
    return std::all_of(tallies.begin(), tallies.end(), [verdict](const Tally& tally) {
      return !tally.verdict || tally.verdict == verdict;
    });
  }
};

std::string Line(const std::string& nic, const std::array<Tally, kDimensions>& tallies,
                 std::string slot) {
  // The end of a long path tells slots apart.
  if (slot.size() > kSlotWidth) slot = "..." + slot.substr(slot.size() - kSlotWidth + 3);
  std::string line = fmt::format("{:<12}", nic);
  for (const Tally& tally : tallies) line += fmt::format("  {:<12}", tally.Text());
  line += "  " + slot;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table(const std::map<std::string, NicLine>& nics) {
  std::string text = fmt::format("{:<12}", "NIC");
  for (const char* name : kDimensionNames) text += fmt::format("  {:<12}", name);
  text += "  slot\n";
  std::array<Tally, kDimensions> rest;
  size_t rest_count = 0, missing_count = 0, new_count = 0;
  for (const auto& [slot, one] : nics) {
    if (one.is_all(CompareVerdict::kMissing)) {
      ++missing_count;
    } else if (one.is_all(CompareVerdict::kNew)) {
      ++new_count;
    } else if (!one.unremarkable()) {
      text += Line(one.nic ? one.nic->address.ToString() : "none", one.tallies, slot);
    } else {
      ++rest_count;
      for (size_t i = 0; i < kDimensions; ++i) rest[i].Add(one.tallies[i]);
    }
  }
  const bool all = rest_count == nics.size();
  if (rest_count > 0) {
    text += Line(all ? Counted(rest_count, "NIC") : Counted(rest_count, "other"), rest, "");
  }
  if (missing_count > 0) text += fmt::format("{:<12}  MISSING\n", Counted(missing_count, "NIC"));
  if (new_count > 0) text += fmt::format("{:<12}  NEW\n", Counted(new_count, "NIC"));
  return text;
}

std::string CellText(const ComparisonRow& row) {
  const std::string place =
      row.place ? row.place->ToString()
                : fmt::format("{} {}", row.cell.place_kind, ToString(row.cell.relation));
  return fmt::format("{} {} {} {}", place,
                     row.cell.operation == Operation::kRead ? "READ" : "WRITE",
                     ToString(row.cell.direction), FormatBytes(row.cell.size));
}

// One paragraph per NIC and verdict, with the cell that differs most; of what is missing one per
// reason.
std::string Sentences(const std::vector<ComparisonRow>& rows,
                      const std::map<std::string, NicLine>& nics) {
  struct Several {
    const ComparisonRow* worst = nullptr;
    size_t count = 0;
    std::set<std::string> slots;
  };
  std::map<std::pair<size_t, std::string>, Several> groups;
  for (const ComparisonRow& row : rows) {
    const size_t weight = WeightOf(row.verdict);
    if (weight <= WeightOf(CompareVerdict::kSame) &&
        !(MayBeFaster(row) &&
          nics.at(row.cell.nic_slot).tallies[DimensionOf(row.cell)].may_be_faster())) {
      continue;
    }
    const bool missing = row.verdict == CompareVerdict::kMissing;
    Several& several =
        groups[{std::size(kByWeight) - weight, missing ? row.reason : row.cell.nic_slot}];
    ++several.count;
    several.slots.insert(row.cell.nic_slot);
    const bool faster = row.verdict == CompareVerdict::kFaster || MayBeFaster(row);
    if (several.worst == nullptr ||
        (row.ratio && several.worst->ratio &&
         (faster ? *row.ratio > *several.worst->ratio : *row.ratio < *several.worst->ratio))) {
      several.worst = &row;
    }
  }
  std::string text;
  for (const auto& [key, several] : groups) {
    const ComparisonRow& row = *several.worst;
    const NicLine& nic = nics.at(row.cell.nic_slot);
    std::string name =
        nic.nic ? fmt::format("{} ({})", nic.nic->address.ToString(), Printable(nic.nic->name))
                : "slot " + Printable(row.cell.nic_slot);
    if (several.slots.size() > 1) {
      name = fmt::format("{}, the first {}", Counted(several.slots.size(), "NIC"), name);
    }
    text +=
        WrapText(fmt::format("{} {}, {}: {}: {}", ToString(row.verdict), name,
                             Counted(several.count, "cell"), CellText(row), Printable(row.reason)),
                 kWidth, 8) +
        "\n";
  }
  return text;
}

}  // namespace

std::string WholeOf(const RunComparison& comparison) {
  std::string counts;
  for (auto verdict = std::rbegin(kByWeight); verdict != std::rend(kByWeight); ++verdict) {
    const auto found = comparison.counts.find(*verdict);
    if (found == comparison.counts.end()) continue;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", found->second, ToString(*verdict));
  }
  return fmt::format("{}: of {}, {}", ToString(comparison.whole),
                     Counted(comparison.rows.size(), "cell"), counts);
}

std::string FormatComparison(const RunComparison& comparison) {
  std::map<std::string, NicLine> nics;
  for (const ComparisonRow& row : comparison.rows) {
    NicLine& line = nics[row.cell.nic_slot];
    if (row.nic) line.nic = row.nic;
    line.tallies[DimensionOf(row.cell)].Add(row);
  }
  return Table(nics) + Sentences(comparison.rows, nics) + WholeOf(comparison) + "\n";
}

}  // namespace railgauge
