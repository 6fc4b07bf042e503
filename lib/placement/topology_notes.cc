#include "lib/placement/topology_notes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "lib/base/rate_unit.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/gates.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

struct NamedField {
  const char* name;
  IcField field;
};
constexpr NamedField kFieldNotes[] = {{"RailgaugeRunIdsRecv", IcField::kRecv},
                                      {"RailgaugeRunIdsRdmaRead", IcField::kRdmaRead},
                                      {"RailgaugeRunIdsRdmaRecv", IcField::kRdmaRecv}};

struct NamedDimension {
  const char* name;
  Dimension dimension;
};
constexpr NamedDimension kDimensionNotes[] = {
    {"RailgaugeRunReadToMemory", {Operation::kRead, Direction::kToMemory}},
    {"RailgaugeRunReadFromMemory", {Operation::kRead, Direction::kFromMemory}},
    {"RailgaugeRunWriteToMemory", {Operation::kWrite, Direction::kToMemory}},
    {"RailgaugeRunWriteFromMemory", {Operation::kWrite, Direction::kFromMemory}}};

void Append(const std::string& key, const std::string& value, std::string& list) {
  list += fmt::format("{}{}={}", list.empty() ? "" : " ", key, value);
}

// "12.50GB/s", which ParseBytesPerSecond takes.
std::string RateText(const std::optional<double>& rate) {
  if (!rate) return "?";
  std::string text = FormatBytesPerSecond(BytesPerSecond{*rate});
  std::erase(text, ' ');
  return text;
}

// Three digits.
std::string Digits(double value) {
  return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

class Notes {
 public:
  explicit Notes(const RunRecords& records)
      : records_(records), table_(records.samples), places_(KnownPlaces(records)) {}

  std::vector<ObjectNotes> All() const {
    std::vector<ObjectNotes> notes = {OfMachine()};
    for (const Nic& nic : records_.machine.nics) notes.push_back(OfNic(nic));
    for (const MemoryPlace& place : places_) notes.push_back(OfPlace(place));
    return notes;
  }

 private:
  ObjectNotes OfMachine() const;
  ObjectNotes OfNic(const Nic& nic) const;
  ObjectNotes OfPlace(const MemoryPlace& place) const;

  // "7", "-" or "?"; of ways that answer otherwise, "7|9".
  std::string IdText(const PciAddress& nic, const MemoryPlace& place, IcField field) const;
  // What the NIC moves in its worst dimension. Empty where nothing was measured.
  std::optional<double> Worst(const PciAddress& nic, const MemoryPlace& place) const;
  std::vector<const Nic*> NearestNics(const MemoryPlace& place) const;
  std::string NicSubtype(const PciAddress& nic) const;
  std::string GpuSubtype(const MemoryPlace& gpu) const;
  std::string Subtype(const std::string& text) const;

  const RunRecords& records_;
  const CellTable table_;
  const std::vector<MemoryPlace> places_;
};

ObjectNotes Notes::OfMachine() const {
  const RunIdentity& run = records_.run;
  std::set<Bytes> sizes;
  for (const MeasuredCell& cell : table_.cells()) {
    const Dimension dimension{cell.cell.operation, cell.cell.direction};
    const bool judged = table_.Find(cell.cell.nic.address, cell.cell.place, dimension) == &cell;
    if (judged && cell.measured()) sizes.insert(cell.cell.size);
  }
  std::string text;
  for (const Bytes size : sizes) text += (text.empty() ? "" : " ") + FormatBytes(size);
  return {std::monostate(),
          "",
          {{"RailgaugeRunId", run.run_id.empty() ? "?" : run.run_id},
           {"RailgaugeRunPlatform", run.platform.empty() ? "unknown" : run.platform},
           {"RailgaugeRunMessageSizes", text.empty() ? "?" : text}}};
}

std::string Notes::IdText(const PciAddress& nic, const MemoryPlace& place, IcField field) const {
  std::set<std::string> answers;
  for (const CensusRow& row : records_.census) {
    if (row.nic.address != nic || row.place != place) continue;
    if (row.status != CensusStatus::kOk && row.status != CensusStatus::kNoId) continue;
    const std::optional<uint16_t>& id = row.ids.Get(field);
    answers.insert(id ? std::to_string(*id) : "-");
  }
  std::string text;
  for (const std::string& answer : answers) text += (text.empty() ? "" : "|") + answer;
  return text.empty() ? "?" : text;
}

std::optional<double> Notes::Worst(const PciAddress& nic, const MemoryPlace& place) const {
  std::optional<double> worst;
  for (const Dimension& dimension : kDimensions) {
    const std::optional<double> rate = table_.Throughput(nic, place, dimension);
    if (rate && (!worst || *rate < *worst)) worst = rate;
  }
  return worst;
}

std::string Notes::Subtype(const std::string& text) const {
  const std::string& platform = records_.run.platform;
  std::string subtype =
      platform == "hardware" ? text : platform + (platform.empty() ? "" : " ") + text;
  subtype.resize(std::min(subtype.size(), kSubtypeShown));
  return subtype;
}

std::string Notes::NicSubtype(const PciAddress& nic) const {
  std::optional<double> fastest, slowest;
  for (const MemoryPlace& place : places_) {
    const std::optional<double> rate = Worst(nic, place);
    if (!rate) continue;
    if (!fastest || *rate > *fastest) fastest = rate;
    if (!slowest || *rate < *slowest) slowest = rate;
  }
  if (!fastest) return "";
  const RateUnit unit = UnitFor(BytesPerSecond{*fastest});
  return Subtype(fmt::format("EFA {}/{} {}", Digits(*fastest / unit.factor),
                             Digits(*slowest / unit.factor), unit.name));
}

std::string Notes::GpuSubtype(const MemoryPlace& gpu) const {
  std::vector<double> rates;
  for (const Nic& nic : records_.machine.nics) {
    if (const auto rate = Worst(nic.position.address, gpu)) rates.push_back(*rate);
  }
  if (rates.empty()) return "";
  const double fastest = *std::max_element(rates.begin(), rates.end());
  const auto as_fast = std::count_if(rates.begin(), rates.end(), [&](double rate) {
    return rate >= (1 - JudgeGates().differs) * fastest;
  });
  const RateUnit unit = UnitFor(BytesPerSecond{fastest});
  return Subtype(
      fmt::format("GPU {} EFA {} {}", as_fast, Digits(fastest / unit.factor), unit.name));
}

ObjectNotes Notes::OfNic(const Nic& nic) const {
  const PciAddress& address = nic.position.address;
  ObjectNotes notes{address, NicSubtype(address), {}};
  std::string relations;
  for (const MemoryPlace& place : places_) {
    Append(place.ToString(),
           std::string(ToString(RelationOf(records_.machine, nic, place).relation)), relations);
  }
  notes.infos.emplace_back("RailgaugeRunRelation", relations);
  for (const auto& [name, field] : kFieldNotes) {
    std::string ids;
    for (const MemoryPlace& place : places_) {
      Append(place.ToString(), IdText(address, place, field), ids);
    }
    notes.infos.emplace_back(name, ids);
  }
  for (const auto& [name, dimension] : kDimensionNotes) {
    std::string rates;
    for (const MemoryPlace& place : places_) {
      Append(place.ToString(), RateText(table_.Throughput(address, place, dimension)), rates);
    }
    notes.infos.emplace_back(name, rates);
  }
  return notes;
}

std::vector<const Nic*> Notes::NearestNics(const MemoryPlace& place) const {
  std::vector<const Nic*> nearest;
  Relation best = Relation::kUnknown;
  for (const Nic& nic : records_.machine.nics) {
    const Relation relation = RelationOf(records_.machine, nic, place).relation;
    if (relation > best) continue;
    if (relation < best) nearest.clear();
    best = relation;
    if (relation != Relation::kUnknown) nearest.push_back(&nic);
  }
  return nearest;
}

ObjectNotes Notes::OfPlace(const MemoryPlace& place) const {
  ObjectNotes notes;
  notes.object = place.gpu;
  if (place.is_host()) notes.object = place.numa_node;
  if (place.is_gpu()) notes.subtype = GpuSubtype(place);
  notes.infos.emplace_back("RailgaugeRunPlace", place.ToString());
  const std::vector<const Nic*> nearest = NearestNics(place);
  std::string nics;
  for (const Nic* nic : nearest) {
    Append(nic->position.address.ToString(),
           std::string(ToString(RelationOf(records_.machine, *nic, place).relation)), nics);
  }
  notes.infos.emplace_back("RailgaugeRunNearestNics", nics.empty() ? "?" : nics);
  for (const auto& [name, dimension] : kDimensionNotes) {
    std::string rates;
    for (const Nic* nic : nearest) {
      const PciAddress& address = nic->position.address;
      Append(address.ToString(), RateText(table_.Throughput(address, place, dimension)), rates);
    }
    if (!rates.empty()) notes.infos.emplace_back(name, rates);
  }
  for (const PlacementRow& row : records_.placement) {
    if (row.consumer != place) continue;
    std::string chosen;
    for (const NicKey& nic : row.chosen) {
      chosen += (chosen.empty() ? "" : " ") + nic.address.ToString();
    }
    if (!chosen.empty()) notes.infos.emplace_back("RailgaugeRunChosenNics", chosen);
    notes.infos.emplace_back("RailgaugeRunVerdict",
                             fmt::format("{}: {}", ToString(row.verdict), row.reason));
  }
  return notes;
}

}  // namespace

std::vector<ObjectNotes> TopologyNotes(const RunRecords& records) { return Notes(records).All(); }

}  // namespace railgauge
