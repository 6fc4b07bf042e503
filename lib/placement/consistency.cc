#include "lib/placement/consistency.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/units.h"
#include "lib/placement/sentences.h"
#include "lib/report/csv_record.h"
#include "lib/topology/spelling.h"

namespace railgauge {
namespace {

// As a proof bears it (lib/measure/proof.h; results/README.md).
constexpr double kCounterTolerance = 0.005;
constexpr double kCeilingTolerance = 0.05;
// The writer's own quotient, printed so that it reads back as the same number.
constexpr double kQuotientTolerance = 1e-6;
// No NIC sits in a faster slot: 16 lanes of PCIe 7.0 carry 242 GB/s each way.
constexpr double kFastestSlot = 242e9;

constexpr char kAsWritten[] = "Give the run directory as railgauge wrote it";

using Found = std::optional<SelfContradiction>;

Found Contradicted(SampleStatus status, std::string reason) {
  return SelfContradiction{status, std::move(reason)};
}

Found FindInRate(const Sample& sample) {
  if (!sample.throughput) {
    return Contradicted(SampleStatus::kInvalid, "it has no throughput");
  }
  if (sample.duration <= Nanoseconds{0}) {
    return Contradicted(SampleStatus::kInvalid, "it has a throughput, and a duration of 0");
  }
  const double seconds = std::chrono::duration<double>(sample.duration).count();
  const double rate = static_cast<double>(sample.payload_bytes) / seconds;
  const double size = static_cast<double>(sample.cell.size.count);
  const double moved = static_cast<double>(sample.completions) * size;
  if (moved != static_cast<double>(sample.payload_bytes)) {
    return Contradicted(
        SampleStatus::kInvalid,
        fmt::format("{} completions of {} are not the payload of {} bytes", sample.completions,
                    FormatBytes(sample.cell.size), sample.payload_bytes));
  }
  if (std::abs(sample.throughput->value - rate) > kQuotientTolerance * rate) {
    return Contradicted(
        SampleStatus::kInvalid,
        fmt::format("a throughput of {:.6g} bytes per second is not {} bytes in {} ns",
                    sample.throughput->value, sample.payload_bytes, sample.duration.count()));
  }
  return std::nullopt;
}

Found FindAboveCeiling(const Sample& sample) {
  const double seconds = std::chrono::duration<double>(sample.duration).count();
  const double in_flight =
      static_cast<double>(sample.cell.size.count) * static_cast<double>(sample.cell.depth);
  const double crossed = (static_cast<double>(sample.payload_bytes) - in_flight) / seconds;
  const double line = sample.line_rate ? sample.line_rate->value : kFastestSlot;
  if (crossed <= (1 + kCeilingTolerance) * line) return std::nullopt;
  return Contradicted(SampleStatus::kAboveCeiling,
                      fmt::format("it is above the ceiling: {} where {} is {} at the most",
                                  FormatBytesPerSecond(*sample.throughput),
                                  sample.line_rate ? "the line rate" : "the fastest PCIe slot",
                                  FormatBytesPerSecond({line})));
}

Found FindInCounters(const Sample& sample) {
  if (sample.posted_bytes && *sample.posted_bytes < sample.payload_bytes) {
    return Contradicted(SampleStatus::kWrongBytes,
                        fmt::format("{} bytes were posted, and {} arrived", *sample.posted_bytes,
                                    sample.payload_bytes));
  }
  if (sample.status != SampleStatus::kOk) return std::nullopt;
  if (!sample.posted_bytes || !sample.counter_bytes) {
    return Contradicted(SampleStatus::kInvalid,
                        "its status is ok, which a window without counters never has");
  }
  // Of a group's windows another NIC's counter may have borne more; no verdict rests on those.
  if (sample.cell.load != "alone") return std::nullopt;
  const auto posted = static_cast<double>(*sample.posted_bytes);
  const auto counted = static_cast<double>(*sample.counter_bytes);
  if (std::abs(counted - posted) <= kCounterTolerance * posted) return std::nullopt;
  return Contradicted(
      counted < posted ? SampleStatus::kWrongBytes : SampleStatus::kForeignTraffic,
      fmt::format("its status is ok, and the device's counter moved by {} bytes where {} were "
                  "posted",
                  *sample.counter_bytes, *sample.posted_bytes));
}

Error RowError(const std::string& path, size_t line, std::string reason, std::string advice) {
  return CsvError(path, line, std::move(reason), std::move(advice));
}

Status CheckRanges(const RecordedRun& run, const RecordedRow<Sample>& recorded) {
  const Sample& sample = recorded.row;
  const auto fail = [&](std::string reason) {
    return Fail(RowError(run.samples_path, recorded.line, std::move(reason), kAsWritten));
  };
  if (sample.cell.nic.address == PciAddress{}) return fail("the row has no NIC");
  const std::pair<std::string_view, std::optional<double>> shares[] = {
      {"post_fraction", sample.post_fraction},
      {"poll_fraction", sample.poll_fraction},
      {"idle_fraction", sample.idle_fraction}};
  for (const auto& [name, share] : shares) {
    constexpr double kRounding = 1e-6;
    if (!share || (*share >= -kRounding && *share <= 1 + kRounding)) continue;
    return fail(fmt::format("{} is {}, and a fraction is between 0 and 1", name, *share));
  }
  const std::pair<std::string_view, std::optional<Nanoseconds>> times[] = {
      {"duration_ns", sample.duration},       {"interval_ns", sample.interval},
      {"latency_min_ns", sample.latency_min}, {"latency_p50_ns", sample.latency_p50},
      {"latency_max_ns", sample.latency_max},
  };
  for (const auto& [name, time] : times) {
    if (time && *time < Nanoseconds{0}) return fail(fmt::format("{} is below zero", name));
  }
  return {};
}

// What tells one window of a run from another. Windows of one cell never begin at one time.
using WindowKey = std::tuple<Cell, RegistrationWay, uint32_t, Nanoseconds>;

Status CheckWindowsOnce(const RecordedRun& run) {
  std::map<WindowKey, size_t> lines;
  for (const RecordedRow<Sample>& recorded : run.samples) {
    const Sample& sample = recorded.row;
    if (sample.duration == Nanoseconds{0})
      continue;  // nothing was measured, for any number of rounds
    const auto [entry, is_new] = lines.try_emplace(
        {sample.cell, sample.way, sample.round, sample.start_offset}, recorded.line);
    if (is_new) continue;
    return Fail(RowError(run.samples_path, recorded.line,
                         fmt::format("the window is in line {} already", entry->second),
                         "Give every row once"));
  }
  return {};
}

using NicPlace = std::pair<PciAddress, MemoryPlace>;
using PlaceWay = std::pair<MemoryPlace, RegistrationWay>;

// Every NIC is asked about every place in the same ways.
Status CheckCensusIsWhole(const RecordedRun& run) {
  std::map<PciAddress, NicKey> nics;
  std::set<PlaceWay> ways;
  std::set<std::pair<PciAddress, PlaceWay>> asked;
  for (const RecordedRow<CensusRow>& recorded : run.census) {
    const CensusRow& row = recorded.row;
    if (row.nic.address == PciAddress{}) {
      return Fail(RowError(run.census_path, recorded.line, "the row has no NIC", kAsWritten));
    }
    nics.try_emplace(row.nic.address, row.nic);
    ways.insert({row.place, row.way});
    asked.insert({row.nic.address, {row.place, row.way}});
  }
  if (asked.size() == nics.size() * ways.size()) return {};
  for (const auto& [address, nic] : nics) {
    for (const PlaceWay& way : ways) {
      if (asked.contains({address, way})) continue;
      return Fail(MakeError(
          "read", run.census_path,
          fmt::format("the census of run '{}' has no row of {} at {} by way {}, so it is cut off",
                      Printable(run.run.run_id), NameOf(nic), way.first.ToString(),
                      ToString(way.second)),
          "Copy the run directory again"));
    }
  }
  return {};
}

}  // namespace

std::optional<SelfContradiction> FindSelfContradiction(const Sample& sample) {
  if (!IsMeasured(sample.status)) return std::nullopt;
  for (const auto& find : {FindInRate, FindAboveCeiling, FindInCounters}) {
    if (Found found = find(sample)) return found;
  }
  return std::nullopt;
}

size_t MarkContradicted(RecordedRun& run) {
  size_t count = 0;
  for (RecordedRow<Sample>& recorded : run.samples) {
    const Found found = FindSelfContradiction(recorded.row);
    if (!found) continue;
    ++count;
    recorded.row.status = found->status;
    recorded.row.reason = fmt::format("the row contradicts itself ({}:{}): {}", run.samples_path,
                                      recorded.line, found->reason);
  }
  return count;
}

Status CheckRecording(const RecordedRun& run) {
  std::set<NicPlace> asked;
  for (const RecordedRow<CensusRow>& recorded : run.census) {
    asked.insert({recorded.row.nic.address, recorded.row.place});
  }
  for (const RecordedRow<Sample>& recorded : run.samples) {
    RAILGAUGE_RETURN_IF_ERROR(CheckRanges(run, recorded));
    const Cell& cell = recorded.row.cell;
    if (asked.contains({cell.nic.address, cell.place})) continue;
    return Fail(
        RowError(run.samples_path, recorded.line,
                 fmt::format("{} of run '{}' has no row of {} at {}, which was measured here",
                             run.census_path, Printable(run.run.run_id), NameOf(cell.nic),
                             cell.place.ToString()),
                 "Give the census.csv of the same run, whole"));
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckCensusIsWhole(run));
  return CheckWindowsOnce(run);
}

Status CheckMachine(const RecordedRun& run, const Machine& machine, const std::string& source) {
  std::vector<std::string> missing;
  std::set<std::string> all;
  for (const RecordedRow<CensusRow>& recorded : run.census) {
    const CensusRow& row = recorded.row;
    const bool there = machine.FindNic(row.nic.address) != nullptr;
    if (all.insert(row.nic.address.ToString()).second && !there) missing.push_back(NameOf(row.nic));
    if (!row.place.is_host()) continue;
    const std::string place = row.place.ToString();
    if (all.insert(place).second && machine.FindNumaNode(row.place.numa_node) == nullptr) {
      missing.push_back(place);
    }
  }
  if (missing.empty()) return {};
  constexpr size_t kNamed = 4;
  const std::string type = run.run.instance_type;
  return Fail(MakeError(
      "judge run '" + Printable(run.run.run_id) + "'", source,
      fmt::format("it is the topology of another machine: it has no {}", JoinSome(missing, kNamed)),
      fmt::format("Give that of the run's machine{} with --hwloc-xml=FILE",
                  type.empty() ? "" : ", a " + Printable(type) + ",")));
}

}  // namespace railgauge
