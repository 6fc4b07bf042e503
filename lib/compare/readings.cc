#include "lib/compare/readings.h"

#include <utility>

#include "fmt/core.h"
#include "fmt/format.h"
#include "lib/base/quoted.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/speed_class.h"
#include "lib/topology/nic_slot.h"

namespace railgauge {
namespace {

// Whom a run measured with; empty where nothing was.
std::string PeerOf(std::span<const Sample> samples) {
  for (const Sample& sample : samples) {
    if (IsMeasured(sample.status)) return sample.peer == "loopback" ? "loopback" : "two_hosts";
  }
  return "";
}

std::string SizesOf(const Conditions& conditions) {
  std::vector<std::string> sizes;
  for (const auto& [size, depths] : conditions.depths) sizes.push_back(FormatBytes(size));
  return fmt::format("{}", fmt::join(sizes, ", "));
}

std::string OrUnknown(const std::string& text) { return text.empty() ? "unknown" : Quoted(text); }

Error Incomparable(const std::string& name, std::string reason, std::string advice) {
  return MakeError("compare", name, std::move(reason), std::move(advice));
}

Status CheckShapes(const Conditions& baseline, const std::string& baseline_name,
                   const Conditions& conditions, const std::string& name) {
  bool any = false;
  for (const auto& [size, depths] : conditions.depths) {
    const auto other = baseline.depths.find(size);
    if (other == baseline.depths.end()) continue;
    any = true;
    if (other->second == depths) continue;
    return Fail(Incomparable(
        name,
        fmt::format("messages of {} had {} in flight, and in {} {}", FormatBytes(size),
                    fmt::join(depths, " or "), baseline_name, fmt::join(other->second, " or ")),
        "Measure both alike, or make a new baseline"));
  }
  if (any || conditions.depths.empty() || baseline.depths.empty()) return {};
  return Fail(Incomparable(name,
                           fmt::format("it was measured with messages of {}, and {} with {}",
                                       SizesOf(conditions), baseline_name, SizesOf(baseline)),
                           "Measure with the same --sizes, or make a new baseline"));
}

}  // namespace

RunReadings ReadingsOf(const RunIdentity& run, const Machine& machine,
                       std::span<const CensusRow> census, std::span<const Sample> samples,
                       std::optional<uint32_t> queue_pairs) {
  RunReadings result;
  result.run = run;
  result.conditions = {run.instance_type, run.platform, PeerOf(samples), queue_pairs, {}};
  const auto slots = NicSlots(machine);
  for (const auto& [address, slot] : slots) result.slots.insert(slot);
  const Relations relations(census);
  const CellTable table(samples);
  for (const MeasuredCell& cell : table.cells()) {
    const auto slot = slots.find(cell.cell.nic.address);
    if (cell.cell.load != "alone" || slot == slots.end()) continue;
    Reading reading;
    reading.cell = {slot->second,
                    std::string(KindOf(cell.cell.place)),
                    relations.Of(cell.cell.nic.address, cell.cell.place),
                    cell.cell.operation,
                    cell.cell.direction,
                    cell.cell.size,
                    cell.cell.depth,
                    cell.way};
    reading.nic = cell.cell.nic;
    reading.place = cell.cell.place;
    reading.values = cell.Values();
    reading.all_disturbed = cell.measured() && cell.disturbed == cell.windows.size();
    reading.median = cell.median;
    reading.why_not = cell.reason;
    reading.went_wrong = !cell.measured() && cell.failed + cell.invalid > 0;
    reading.partner = cell.partner;
    if (cell.measured()) result.conditions.depths[cell.cell.size].insert(cell.cell.depth);
    result.readings.push_back(std::move(reading));
  }
  return result;
}

Status CheckComparable(const Conditions& baseline, const std::string& baseline_name,
                       const Conditions& conditions, const std::string& name) {
  if (baseline.instance_type != conditions.instance_type) {
    return Fail(Incomparable(name,
                             fmt::format("its instance type is {}, and that of {} {}",
                                         OrUnknown(conditions.instance_type), baseline_name,
                                         OrUnknown(baseline.instance_type)),
                             "Compare machines of one type only"));
  }
  if (baseline.platform != conditions.platform) {
    return Fail(Incomparable(
        name,
        fmt::format("its platform is {}, and that of {} {}", OrUnknown(conditions.platform),
                    baseline_name, OrUnknown(baseline.platform)),
        "Throughputs of two platforms say nothing about each other: compare "
        "with a baseline of the same"));
  }
  if (!baseline.peer.empty() && !conditions.peer.empty() && baseline.peer != conditions.peer) {
    const bool loopback = conditions.peer == "loopback";
    return Fail(Incomparable(
        name,
        fmt::format("it was measured {}, and {} {}", loopback ? "in loopback" : "with another host",
                    baseline_name, loopback ? "with another host" : "in loopback"),
        "Measure both alike, or make a new baseline"));
  }
  if (baseline.queue_pairs && conditions.queue_pairs &&
      baseline.queue_pairs != conditions.queue_pairs) {
    return Fail(
        Incomparable(name,
                     fmt::format("it was measured with {} queue pairs, and {} with {}",
                                 *conditions.queue_pairs, baseline_name, *baseline.queue_pairs),
                     "Measure both alike, or make a new baseline"));
  }
  return CheckShapes(baseline, baseline_name, conditions, name);
}

}  // namespace railgauge
