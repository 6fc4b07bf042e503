#include "lib/placement/correlation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "lib/placement/cell_table.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

// What is known of one id.
struct IdEntry {
  NicKey nic;
  std::set<MemoryPlace> places;
  std::vector<double> medians;  // one per measured place
  uint64_t sample_count = 0;
};
using IdMap = std::map<std::tuple<PciAddress, IcField, uint16_t>, IdEntry>;

IdMap EntriesOf(std::span<const CensusRow> census) {
  IdMap entries;
  for (const CensusRow& row : census) {
    for (const IcField field : {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv}) {
      const std::optional<uint16_t>& id = row.ids.Get(field);
      if (!id) continue;
      IdEntry& entry = entries[{row.nic.address, field, *id}];
      entry.nic = row.nic;
      entry.places.insert(row.place);
    }
  }
  return entries;
}

// Adds to each id the places at which it was measured.
void AddThroughput(const CellTable& table, IdMap& entries) {
  for (auto& [key, entry] : entries) {
    const auto& [nic, field, id] = key;
    for (const Dimension& dimension : kDimensions) {
      if (AttributingField(dimension.operation, dimension.direction) != field) continue;
      for (const MemoryPlace& place : entry.places) {
        const MeasuredCell* cell = table.Find(nic, place, dimension);
        if (cell == nullptr || !cell->measured() || cell->interconnect_id != id) continue;
        entry.medians.push_back(*cell->median);
        entry.sample_count += cell->windows.size();
      }
    }
  }
}

InterconnectRow RowOf(IcField field, uint16_t id, const IdEntry& entry) {
  InterconnectRow row;
  row.nic = entry.nic;
  row.field = field;
  row.id = id;
  row.places.assign(entry.places.begin(), entry.places.end());
  row.sample_count = entry.sample_count;
  if (const auto median = Median(entry.medians)) {
    const auto [low, high] = std::minmax_element(entry.medians.begin(), entry.medians.end());
    row.throughput_median = BytesPerSecond{*median};
    row.throughput_min = BytesPerSecond{*low};
    row.throughput_max = BytesPerSecond{*high};
  }
  return row;
}

bool DifferentSpeed(const InterconnectRow& row, double margin) {
  return row.throughput_max && row.throughput_min->value < (1 - margin) * row.throughput_max->value;
}

bool AsFastAs(const InterconnectRow& a, const InterconnectRow& b, double margin) {
  const double fast = std::max(a.throughput_median->value, b.throughput_median->value);
  const double slow = std::min(a.throughput_median->value, b.throughput_median->value);
  return slow >= (1 - margin) * fast;
}

void AddFinding(std::string_view finding, InterconnectRow& row) {
  if (!row.findings.empty()) row.findings += ';';
  row.findings += finding;
}

}  // namespace

std::vector<InterconnectRow> Correlate(std::span<const CensusRow> census,
                                       std::span<const Sample> samples, const JudgeGates& gates) {
  IdMap entries = EntriesOf(census);
  AddThroughput(CellTable(samples), entries);
  std::vector<InterconnectRow> rows;
  for (const auto& [key, entry] : entries) {
    rows.push_back(RowOf(std::get<IcField>(key), std::get<uint16_t>(key), entry));
  }
  for (InterconnectRow& row : rows) {
    if (DifferentSpeed(row, gates.bad_placement)) AddFinding(kSameIdDifferentSpeed, row);
    const bool as_fast = std::any_of(rows.begin(), rows.end(), [&](const InterconnectRow& other) {
      return other.nic == row.nic && other.field == row.field && other.id != row.id &&
             row.throughput_median && other.throughput_median &&
             AsFastAs(row, other, gates.differs);
    });
    if (as_fast) AddFinding(kDifferentIdSameSpeed, row);
  }
  return rows;
}

}  // namespace railgauge
