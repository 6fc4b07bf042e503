#include "lib/placement/cell_table.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "lib/stats/median.h"

namespace railgauge {
namespace {

// What is kept of one of several samples: that of the first, and of equally early ones the least,
// so that the order of rows does not matter.
template <typename Value>
class First {
 public:
  void Offer(const Sample& sample, Value value) {
    std::tuple candidate(sample.start_offset, sample.round, std::move(value));
    if (!first_ || candidate < *first_) first_ = std::move(candidate);
  }
  std::optional<Value> Get() const {
    return first_ ? std::optional(std::get<Value>(*first_)) : std::nullopt;
  }

 private:
  std::optional<std::tuple<Nanoseconds, uint32_t, Value>> first_;
};

// A cell while its samples are gathered.
struct Gathering {
  MeasuredCell cell;
  First<uint16_t> interconnect_id;
  First<std::string> reason;
  First<SkipCause> skip_cause;
  bool one_partner = true;

  void AddPartner(const Sample& sample);
  void Add(const Sample& sample);
  MeasuredCell Finish();
};

void Gathering::AddPartner(const Sample& sample) {
  const bool loopback = sample.peer == "loopback" && sample.partner.address != PciAddress{};
  const bool same = !cell.partner || cell.partner->address == sample.partner.address;
  one_partner = one_partner && loopback && same;
  if (loopback && !cell.partner) cell.partner = sample.partner;
}

void Gathering::Add(const Sample& sample) {
  SampleStatus status = sample.status;
  std::string why = sample.reason;
  const double value = sample.throughput ? sample.throughput->value : std::nan("");
  if (IsMeasured(status) && (!std::isfinite(value) || value < 0)) {
    status = SampleStatus::kInvalid;
    why = "the sample has no throughput";
  }
  if (IsMeasured(status)) {
    const bool disturbed = sample.disturbed == true;
    cell.windows.push_back({sample.round, sample.start_offset, value, disturbed});
    if (disturbed) ++cell.disturbed;
    AddPartner(sample);
    if (sample.interconnect_id) interconnect_id.Offer(sample, *sample.interconnect_id);
    if (sample.cpu_bound == true) ++cell.cpu_bound;
    if (status == SampleStatus::kNoCounters) ++cell.unproven;
    return;
  }
  if (status == SampleStatus::kSkipped) {
    ++cell.skipped;
    if (sample.skip_cause) skip_cause.Offer(sample, *sample.skip_cause);
  } else if (!IsContradicted(status)) {
    ++cell.failed;
  } else {
    ++cell.invalid;
  }
  if (!why.empty()) reason.Offer(sample, std::move(why));
}

MeasuredCell Gathering::Finish() {
  std::sort(cell.windows.begin(), cell.windows.end(), [](const Window& a, const Window& b) {
    return std::tie(a.start, a.round, a.value, a.disturbed) <
           std::tie(b.start, b.round, b.value, b.disturbed);
  });
  cell.interconnect_id = interconnect_id.Get();
  cell.reason = reason.Get().value_or("");
  cell.skip_cause = skip_cause.Get();
  cell.median = Median(cell.Values());
  if (!one_partner) cell.partner.reset();
  return std::move(cell);
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
  std::map<std::pair<Cell, RegistrationWay>, Gathering> cells;
  for (const Sample& sample : samples) {
    Gathering& gathering = cells[{sample.cell, sample.way}];
    gathering.cell.cell = sample.cell;
    gathering.cell.way = sample.way;
    gathering.Add(sample);
  }
  for (auto& [key, gathering] : cells) cells_.push_back(gathering.Finish());
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
