#include "lib/placement/cell_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/stats/median.h"

namespace railgauge {
namespace {

void Add(const Sample& sample, MeasuredCell& cell) {
  SampleStatus status = sample.status;
  std::string reason = sample.reason;
  const double value = sample.throughput ? sample.throughput->value : std::nan("");
  if (IsMeasured(status) && (!std::isfinite(value) || value < 0)) {
    status = SampleStatus::kInvalid;
    reason = "the sample has no throughput";
  }
  if (IsMeasured(status)) {
    const bool disturbed = sample.disturbed == true;
    cell.windows.push_back({sample.round, sample.start_offset, value, disturbed});
    if (disturbed) ++cell.disturbed;
    if (sample.interconnect_id) cell.interconnect_id = sample.interconnect_id;
    if (sample.cpu_bound == true) ++cell.cpu_bound;
    if (status == SampleStatus::kNoCounters) ++cell.unproven;
    return;
  }
  if (status == SampleStatus::kSkipped) {
    ++cell.skipped;
    if (!cell.skip_cause) cell.skip_cause = sample.skip_cause;
  } else if (status == SampleStatus::kFailed) {
    ++cell.failed;
  } else {
    ++cell.invalid;
  }
  if (cell.reason.empty()) cell.reason = std::move(reason);
}

Dimension DimensionOf(const Cell& cell) { return {cell.operation, cell.direction}; }

}  // namespace

std::vector<double> MeasuredCell::Values() const {
  std::vector<double> values;
  const bool all = disturbed == windows.size();
  for (const Window& window : windows) {
    if (all || !window.disturbed) values.push_back(window.value);
  }
  return values;
}

std::string ToString(const Dimension& dimension) {
  return std::string(dimension.operation == Operation::kRead ? "READ " : "WRITE ") +
         std::string(ToString(dimension.direction));
}

CellTable::CellTable(std::span<const Sample> samples) {
  std::map<std::pair<Cell, RegistrationWay>, MeasuredCell> cells;
  for (const Sample& sample : samples) {
    MeasuredCell& cell = cells[{sample.cell, sample.way}];
    cell.cell = sample.cell;
    cell.way = sample.way;
    Add(sample, cell);
  }
  for (auto& [key, cell] : cells) {
    cell.median = Median(cell.Values());
    cells_.push_back(std::move(cell));
  }
  ChooseCells();
}

void CellTable::ChooseCells() {
  std::map<std::pair<MemoryPlace, Dimension>, Bytes> largest;
  for (const MeasuredCell& cell : cells_) {
    if (!(cell.measured() || cell.missed()) || cell.cell.load != "alone") continue;
    Bytes& size = largest[{cell.cell.place, DimensionOf(cell.cell)}];
    size = std::max(size, cell.cell.size);
  }
  for (size_t i = 0; i < cells_.size(); ++i) {
    const MeasuredCell& cell = cells_[i];
    const Dimension dimension = DimensionOf(cell.cell);
    if (cell.cell.load != "alone") continue;
    if (cell.measured() && cell.cell.size != largest[{cell.cell.place, dimension}]) continue;
    const auto [entry, is_new] =
        chosen_.try_emplace({cell.cell.nic.address, cell.cell.place, dimension}, i);
    const MeasuredCell& before = cells_[entry->second];
    // An empty median is below every other.
    if (!is_new && cell.median > before.median) entry->second = i;
  }
}

const MeasuredCell* CellTable::Find(const PciAddress& nic, const MemoryPlace& place,
                                    const Dimension& dimension) const {
  const auto entry = chosen_.find({nic, place, dimension});
  return entry == chosen_.end() ? nullptr : &cells_[entry->second];
}

std::optional<double> CellTable::Throughput(const PciAddress& nic, const MemoryPlace& place,
                                            const Dimension& dimension) const {
  const MeasuredCell* cell = Find(nic, place, dimension);
  return cell == nullptr ? std::nullopt : cell->median;
}

}  // namespace railgauge
