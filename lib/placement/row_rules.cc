#include "lib/placement/row_rules.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "fmt/core.h"
#include "lib/base/pci_address.h"
#include "lib/base/quoted.h"
#include "lib/base/units.h"

namespace railgauge {
namespace {

// As a proof bears it (lib/measure/proof.h; results/README.md).
constexpr double kCounterTolerance = 0.005;
constexpr double kRetransmissionTolerance = 0.005;
constexpr double kCeilingTolerance = 0.05;
// As lib/measure/outcome_columns.h has it.
constexpr double kCpuBoundIdle = 0.05;
// The writer's own quotient, printed so that it reads back as the same number.
constexpr double kQuotientTolerance = 1e-6;
// No NIC sits in a faster slot: 16 lanes of PCIe 7.0 carry 242 GB/s each way.
constexpr double kFastestSlot = 242e9;
// Intervals: a window of fewer has none, and of fewer than the second no modes are told.
constexpr uint64_t kFewestIntervals = 3;
constexpr uint64_t kFewestForModes = 6;
// An interval ends with the first completions at its edge or after it, so one may be short and have
// a heap of them; not so that half of the intervals have twice what the window has in all.
constexpr double kHeap = 2;

using Found = std::optional<SelfContradiction>;

Found Contradicted(SampleStatus status, std::string reason) {
  return SelfContradiction{status, std::move(reason)};
}
Found Invalid(std::string reason) {
  return Contradicted(SampleStatus::kInvalid, std::move(reason));
}

bool IsAbout(double value, double expected) {
  return std::abs(value - expected) <= kQuotientTolerance * expected;
}

bool IsOfLatency(const Sample& sample) { return sample.latency_min.has_value(); }

Found FindInRate(const Sample& sample) {
  if (!sample.throughput && !IsOfLatency(sample)) return Invalid("it has no throughput");
  if (sample.duration <= Nanoseconds{0}) {
    return Invalid("it has a throughput, and a duration of 0");
  }
  const double seconds = std::chrono::duration<double>(sample.duration).count();
  const double size = static_cast<double>(sample.cell.size.count);
  const double moved = static_cast<double>(sample.completions) * size;
  if (moved != static_cast<double>(sample.payload_bytes)) {
    return Invalid(fmt::format("{} completions of {} are not the payload of {} bytes",
                               sample.completions, FormatBytes(sample.cell.size),
                               sample.payload_bytes));
  }
  if (sample.throughput &&
      !IsAbout(sample.throughput->value, static_cast<double>(sample.payload_bytes) / seconds)) {
    return Invalid(fmt::format("a throughput of {:.6g} bytes per second is not {} bytes in {} ns",
                               sample.throughput->value, sample.payload_bytes,
                               sample.duration.count()));
  }
  if (!sample.messages_per_second) return Invalid("it has no messages_per_second");
  if (!IsAbout(*sample.messages_per_second, static_cast<double>(sample.completions) / seconds)) {
    return Invalid(fmt::format("{:.6g} messages_per_second are not {} completions in {} ns",
                               *sample.messages_per_second, sample.completions,
                               sample.duration.count()));
  }
  return std::nullopt;
}

// Who transferred what, and how.
Found FindInEnds(const Sample& sample) {
  if (!sample.cell.place.is_host() && !sample.cell.place.is_gpu()) {
    return Invalid(fmt::format("nothing measures with {}", sample.cell.place.ToString()));
  }
  if (sample.cell.place.is_host() != (sample.way == RegistrationWay::kHost)) {
    return Invalid(fmt::format("memory of {} is not registered by way {}",
                               sample.cell.place.ToString(), ToString(sample.way)));
  }
  return std::nullopt;
}

Found FindAboveCeiling(const Sample& sample) {
  const double seconds = std::chrono::duration<double>(sample.duration).count();
  const double in_flight =
      static_cast<double>(sample.cell.size.count) * static_cast<double>(sample.cell.depth);
  const double payload = static_cast<double>(sample.payload_bytes);
  const double line = sample.line_rate ? sample.line_rate->value : kFastestSlot;
  if ((payload - in_flight) / seconds <= (1 + kCeilingTolerance) * line) return std::nullopt;
  return Contradicted(SampleStatus::kAboveCeiling,
                      fmt::format("it is above the ceiling: {} where {} is {} at the most",
                                  FormatBytesPerSecond({payload / seconds}),
                                  sample.line_rate ? "the line rate" : "the fastest PCIe slot",
                                  FormatBytesPerSecond({line})));
}

// A burst is told of each device (lib/measure/proof.h), and the column is of both.
Found FindBurst(const Sample& sample) {
  if (!sample.retransmitted_bytes || !sample.posted_bytes) return std::nullopt;
  const double devices =
      sample.partner.address == sample.cell.nic.address && sample.peer == "loopback" ? 1 : 2;
  const double again = static_cast<double>(*sample.retransmitted_bytes);
  const double posted = static_cast<double>(*sample.posted_bytes);
  if (again <= devices * kRetransmissionTolerance * posted) return std::nullopt;
  return Contradicted(
      SampleStatus::kRetransmissionBurst,
      fmt::format("its status is {}, and {} bytes were sent again where {} were posted",
                  ToString(sample.status), *sample.retransmitted_bytes, *sample.posted_bytes));
}

Found FindInCounters(const Sample& sample) {
  if (sample.posted_bytes && *sample.posted_bytes < sample.payload_bytes) {
    return Contradicted(SampleStatus::kWrongBytes,
                        fmt::format("{} bytes were posted, and {} arrived", *sample.posted_bytes,
                                    sample.payload_bytes));
  }
  if (sample.status != SampleStatus::kOk) {
    if (!sample.counter_bytes && !sample.retransmitted_bytes) return std::nullopt;
    return Invalid("its status is no_counters, and it has what counters say");
  }
  if (!sample.posted_bytes || !sample.counter_bytes) {
    return Invalid("its status is ok, which a window without counters never has");
  }
  // Of a group's windows another NIC's counter may have borne more; no verdict rests on those.
  if (sample.cell.load != "alone") return std::nullopt;
  const auto posted = static_cast<double>(*sample.posted_bytes);
  const auto counted = static_cast<double>(*sample.counter_bytes);
  if (std::abs(counted - posted) <= kCounterTolerance * posted) return FindBurst(sample);
  return Contradicted(
      counted < posted ? SampleStatus::kWrongBytes : SampleStatus::kForeignTraffic,
      fmt::format("its status is ok, and the device's counter moved by {} bytes where {} were "
                  "posted",
                  *sample.counter_bytes, *sample.posted_bytes));
}

// The thread's time is shared out whole, or not told at all.
Found FindInThread(const Sample& sample) {
  const int told = (sample.post_fraction ? 1 : 0) + (sample.poll_fraction ? 1 : 0) +
                   (sample.idle_fraction ? 1 : 0) + (sample.cpu_bound ? 1 : 0);
  if (told == 0) return std::nullopt;
  if (told != 4) {
    return Invalid("of post_fraction, poll_fraction, idle_fraction and cpu_bound some are empty");
  }
  const double whole = *sample.post_fraction + *sample.poll_fraction + *sample.idle_fraction;
  if (!IsAbout(whole, 1)) {
    return Invalid(fmt::format(
        "post_fraction, poll_fraction and idle_fraction are {:.6g} together, and share out 1",
        whole));
  }
  if (*sample.cpu_bound == (*sample.idle_fraction < kCpuBoundIdle)) return std::nullopt;
  return Invalid(fmt::format("cpu_bound is {} where idle_fraction is {:.6g}",
                             *sample.cpu_bound ? "true" : "false", *sample.idle_fraction));
}

// The intervals' throughputs among themselves.
Found FindInIntervalRates(const Sample& sample) {
  const double min = sample.interval_min->value, median = sample.interval_median->value;
  const double mad = sample.interval_mad->value;
  if (min > median) {
    return Invalid(fmt::format("interval_min is {:.6g}, and interval_median {:.6g}", min, median));
  }
  // Half of them and more lie between the two, and are no farther from the median.
  if (mad > (median - min) + kQuotientTolerance * median) {
    return Invalid(fmt::format(
        "interval_mad is {:.6g}, and half of what lies between {:.6g} and {:.6g} is nearer", mad,
        min, median));
  }
  const auto payload = static_cast<double>(sample.payload_bytes);
  const double seconds = std::chrono::duration<double>(*sample.interval).count();
  const auto count = static_cast<double>(*sample.interval_count);
  if (min * count * seconds > payload * (1 + kQuotientTolerance)) {
    return Invalid(
        fmt::format("interval_min is {:.6g}, and so much in {} intervals is more than "
                    "the payload of {} bytes",
                    min, *sample.interval_count, sample.payload_bytes));
  }
  if (median * std::ceil(count / 2) * seconds > kHeap * payload) {
    return Invalid(
        fmt::format("interval_median is {:.6g}, and so much in half of {} intervals is "
                    "more than the payload of {} bytes",
                    median, *sample.interval_count, sample.payload_bytes));
  }
  return std::nullopt;
}

Found FindInIntervals(const Sample& sample) {
  const int told = (sample.interval ? 1 : 0) + (sample.interval_count ? 1 : 0) +
                   (sample.interval_min ? 1 : 0) + (sample.interval_median ? 1 : 0) +
                   (sample.interval_mad ? 1 : 0);
  if (told == 0 && !sample.interval_modes) return std::nullopt;
  if (told != 5) return Invalid("of the interval_ columns some are empty");
  if (!sample.throughput) return Invalid("it has intervals, and no throughput");
  const uint64_t count = *sample.interval_count;
  if (count < kFewestIntervals) {
    return Invalid(fmt::format("interval_count is {}, and fewer than {} are not told", count,
                               kFewestIntervals));
  }
  if (sample.interval_modes.has_value() != (count >= kFewestForModes) ||
      (sample.interval_modes && *sample.interval_modes != 1 && *sample.interval_modes != 2)) {
    return Invalid(
        fmt::format("interval_modes is {} of {} intervals, and is 1 or 2 from {} on",
                    sample.interval_modes ? std::to_string(*sample.interval_modes) : "empty", count,
                    kFewestForModes));
  }
  const double length = std::chrono::duration<double>(*sample.interval).count();
  const double window = std::chrono::duration<double>(sample.duration).count();
  if (length <= 0 || static_cast<double>(count) * length > window * (1 + kQuotientTolerance)) {
    return Invalid(fmt::format("{} intervals of {} ns do not fit into a window of {} ns", count,
                               sample.interval->count(), sample.duration.count()));
  }
  return FindInIntervalRates(sample);
}

// One message at a time is no load: its window has latencies and no throughput.
Found FindInLatency(const Sample& sample) {
  const std::pair<std::string_view, const std::optional<Nanoseconds>*> times[] = {
      {"latency_min_ns", &sample.latency_min},     {"latency_p50_ns", &sample.latency_p50},
      {"latency_p90_ns", &sample.latency_p90},     {"latency_p99_ns", &sample.latency_p99},
      {"latency_p99_9_ns", &sample.latency_p99_9}, {"latency_max_ns", &sample.latency_max}};
  int told = 0;
  for (const auto& [name, time] : times) told += *time ? 1 : 0;
  if (told == 0) return std::nullopt;
  if (told != 6) return Invalid("of the latency_ columns some are empty");
  if (sample.throughput) return Invalid("it has a throughput, and latencies of single messages");
  if (sample.cell.depth != 1) {
    return Invalid(
        fmt::format("it has latencies of single messages at a depth of {}", sample.cell.depth));
  }
  Nanoseconds before{0};
  for (const auto& [name, time] : times) {
    if (**time < before) {
      return Invalid(fmt::format("{} is {}, and the one before it {}", name, (*time)->count(),
                                 before.count()));
    }
    before = **time;
  }
  if (before <= sample.duration) return std::nullopt;
  return Invalid(fmt::format("latency_max_ns is {}, and the window {} ns", before.count(),
                             sample.duration.count()));
}

bool IsDigits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

// What MakeLoadSets (lib/measure/load_sets.h) calls a group.
bool IsLoadName(std::string_view name) {
  constexpr std::string_view kDecimal = "0123456789", kHex = "0123456789abcdef:";
  for (const std::string_view whole : {"alone", "all", "bidirectional"}) {
    if (name == whole) return true;
  }
  const auto rest_after = [&](std::string_view prefix) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
  };
  return PciAddress::Parse(rest_after("switch:")) || IsDigits(rest_after("host_bridge:"), kHex) ||
         IsDigits(rest_after("numa"), kDecimal) || IsDigits(rest_after("id:"), kDecimal);
}

// Values that nothing has.
std::optional<std::string> WhyOutOfRange(const Sample& sample) {
  const std::pair<std::string_view, std::optional<double>> shares[] = {
      {"post_fraction", sample.post_fraction},
      {"poll_fraction", sample.poll_fraction},
      {"idle_fraction", sample.idle_fraction}};
  for (const auto& [name, share] : shares) {
    if (!share || (*share >= -kQuotientTolerance && *share <= 1 + kQuotientTolerance)) continue;
    return fmt::format("{} is {}, and a fraction is between 0 and 1", name, *share);
  }
  const std::pair<std::string_view, std::optional<Nanoseconds>> times[] = {
      {"start_offset_ns", sample.start_offset}, {"duration_ns", sample.duration},
      {"interval_ns", sample.interval},         {"latency_min_ns", sample.latency_min},
      {"latency_p50_ns", sample.latency_p50},   {"latency_p90_ns", sample.latency_p90},
      {"latency_p99_ns", sample.latency_p99},   {"latency_p99_9_ns", sample.latency_p99_9},
      {"latency_max_ns", sample.latency_max},
  };
  for (const auto& [name, time] : times) {
    if (time && *time < Nanoseconds{0}) return fmt::format("{} is below zero", name);
  }
  return std::nullopt;
}

// Of a row that was skipped: the first column that a window would have filled.
std::string_view FilledByWindow(const Sample& sample) {
  const std::pair<std::string_view, bool> columns[] = {
      {"duration_ns", sample.duration != Nanoseconds{0}},
      {"completions", sample.completions != 0},
      {"payload_bytes", sample.payload_bytes != 0},
      {"throughput_bytes_per_second", sample.throughput.has_value()},
      {"messages_per_second", sample.messages_per_second.has_value()},
      {"posted_bytes", sample.posted_bytes.has_value()},
      {"counter_bytes", sample.counter_bytes.has_value()},
      {"interval_ns", sample.interval.has_value()},
      {"latency_min_ns", sample.latency_min.has_value()}};
  for (const auto& [name, filled] : columns) {
    if (filled) return name;
  }
  return {};
}

std::optional<std::string> WhyNoSuchSkip(const Sample& sample) {
  if (sample.status != SampleStatus::kSkipped) {
    if (!sample.skip_cause) return std::nullopt;
    return fmt::format("skip_cause is {} of a row with status {}", ToString(*sample.skip_cause),
                       ToString(sample.status));
  }
  if (!sample.skip_cause) return "skip_cause is empty of a row with status skipped";
  const std::string_view column = FilledByWindow(sample);
  if (column.empty()) return std::nullopt;
  return fmt::format("{} is filled of a row with status skipped", column);
}

}  // namespace

std::optional<SelfContradiction> FindSelfContradiction(const Sample& sample) {
  if (!IsMeasured(sample.status)) return std::nullopt;
  for (const auto& find : {FindInRate, FindInEnds, FindAboveCeiling, FindInCounters, FindInThread,
                           FindInIntervals, FindInLatency}) {
    if (Found found = find(sample)) return found;
  }
  return std::nullopt;
}

std::optional<std::string> WhyNeverWritten(const Sample& sample) {
  if (sample.cell.nic.address == PciAddress{}) return "the row has no NIC";
  if (!IsLoadName(sample.cell.load)) {
    return fmt::format("load is '{}', and is alone or the name of a group, such as numa0",
                       Shortened(sample.cell.load));
  }
  if (auto why = WhyOutOfRange(sample)) return why;
  if (auto why = WhyNoSuchSkip(sample)) return why;
  if (sample.status != SampleStatus::kOk && sample.reason.empty()) {
    return fmt::format("reason is empty of a row with status {}", ToString(sample.status));
  }
  if (sample.peer.empty()) return "peer is empty";
  if (IsMeasured(sample.status) && sample.partner.address == PciAddress{}) {
    return "partner_pci_address is empty of a measured window";
  }
  if (sample.interconnect_id && !AttributingField(sample.cell.operation, sample.cell.direction)) {
    return fmt::format("interconnect_id is {} of a transfer {}, which no id describes",
                       *sample.interconnect_id, ToString(sample.cell.direction));
  }
  if (!IsMeasured(sample.status)) return std::nullopt;
  if (sample.cell.size.count == 0) return "size_bytes is 0 of a measured window";
  if (sample.cell.depth == 0) return "depth is 0 of a measured window";
  return std::nullopt;
}

namespace {

// What AccessFlagsToString (lib/verbs/access.h) writes.
bool IsAccessFlags(std::string_view text) {
  if (text == "none") return true;
  for (std::string_view rest = text;;) {
    const size_t bar = rest.find('|');
    const std::string_view word = rest.substr(0, bar);
    bool known = word.starts_with("0x") && IsDigits(word.substr(2), "0123456789abcdef");
    for (const std::string_view flag :
         {"local_write", "remote_write", "remote_read", "relaxed_ordering"}) {
      known = known || word == flag;
    }
    if (!known) return false;
    if (bar == std::string_view::npos) return true;
    rest.remove_prefix(bar + 1);
  }
}

// A path leads from the NIC to the place (topology/relation.h), and there is one where it is known
// how the two lie to each other.
std::optional<std::string> WhyNoSuchPath(const CensusRow& row) {
  const std::string& path = row.pci_path;
  if (path.empty()) return std::nullopt;
  if (row.relation == Relation::kUnknown) return "pci_path is filled, and the relation unknown";
  const std::string end = row.place.is_host() ? row.place.ToString() : row.place.gpu.ToString();
  const std::string begin = row.nic.address.ToString();
  const bool steps = path.find_first_not_of("0123456789abcdefnum:. <>=") == std::string::npos;
  if (steps && path.starts_with(begin + " <") && path.ends_with(" " + end)) return std::nullopt;
  return fmt::format("pci_path is {}, and leads from {} to {}", Quoted(path), begin, end);
}

}  // namespace

std::optional<std::string> WhyNeverWritten(const CensusRow& row) {
  if (row.nic.address == PciAddress{}) return "the row has no NIC";
  if (row.place.is_host() != (row.way == RegistrationWay::kHost)) {
    return fmt::format("memory of {} is not registered by way {}", row.place.ToString(),
                       ToString(row.way));
  }
  if ((row.status == CensusStatus::kOk) != row.ids.any()) {
    return fmt::format("status is {}, and the row has {}", ToString(row.status),
                       row.ids.any() ? "interconnect ids" : "no interconnect id");
  }
  if (!row.access_flags.empty() && !IsAccessFlags(row.access_flags)) {
    return fmt::format("access_flags is {}, and joins flags like local_write|remote_read",
                       Quoted(row.access_flags));
  }
  if (auto why = WhyNoSuchPath(row)) return why;
  const bool told = row.status == CensusStatus::kOk || row.status == CensusStatus::kNoId;
  if (told || row.status == CensusStatus::kCannotTell || !row.reason.empty()) return std::nullopt;
  return fmt::format("reason is empty of a row with status {}", ToString(row.status));
}

namespace {

constexpr HeldColumn kSampleColumns[] = {
    {"nic_pci_address", HeldBy::kRun, "census.csv has the NIC at the place"},
    {"nic_name", HeldBy::kRun, "census.csv has it of the address"},
    {"place", HeldBy::kRun, "census.csv has the NIC at the place"},
    {"operation", HeldBy::kFree, "what was asked for; no figure depends on it"},
    {"direction", HeldBy::kRow, "from_memory has no interconnect_id"},
    {"size_bytes", HeldBy::kRow, "payload is completions times size"},
    {"depth", HeldBy::kRun, "windows alone of one size have one depth, and 1 has latencies"},
    {"load", HeldBy::kRow, "alone, or a group's name; a group has members"},
    {"way", HeldBy::kRow, "host memory has the way host, and no other place has"},
    {"partner_pci_address", HeldBy::kRun, "filled; in loopback a NIC of the machine"},
    {"partner_name", HeldBy::kRun, "in loopback the name of the NIC in census.csv"},
    {"partner_place", HeldBy::kRun, "in loopback a place of the machine"},
    {"peer", HeldBy::kRun, "all measured windows of a run have one"},
    {"interconnect_id", HeldBy::kFree, "that it differs from census.csv is the finding id_changed"},
    {"round", HeldBy::kFree, "which windows were taken in turn; no figure depends on it"},
    {"start_offset_ns", HeldBy::kRow, "not below zero; no figure depends on it"},
    {"duration_ns", HeldBy::kRow, "throughput is payload by duration"},
    {"completions", HeldBy::kRow, "payload is completions times size"},
    {"payload_bytes", HeldBy::kRow, "payload is completions times size"},
    {"throughput_bytes_per_second", HeldBy::kRow, "throughput is payload by duration"},
    {"messages_per_second", HeldBy::kRow, "completions by duration"},
    {"post_fraction", HeldBy::kRow, "with poll_fraction and idle_fraction 1"},
    {"posted_bytes", HeldBy::kRow, "at least the payload, and what the counter says"},
    {"counter_bytes", HeldBy::kRow, "what was posted, within 0.5 %; empty with no_counters alone"},
    {"status", HeldBy::kRow, "a reason beside all but ok, no window beside skipped"},
    {"reason", HeldBy::kFree, "a sentence; all but ok have one"},
    {"interval_ns", HeldBy::kRow, "times interval_count no more than the window"},
    {"interval_count", HeldBy::kRow, "3 or more, and they fit into the window"},
    {"interval_min_bytes_per_second", HeldBy::kRow, "no more than the median"},
    {"interval_median_bytes_per_second", HeldBy::kRow, "not more than the payload allows"},
    {"interval_mad_bytes_per_second", HeldBy::kRow, "no more than from the least to the median"},
    {"interval_modes", HeldBy::kRow, "1 or 2 of six intervals and more, else empty"},
    {"poll_fraction", HeldBy::kRow, "with post_fraction and idle_fraction 1"},
    {"idle_fraction", HeldBy::kRow, "with post_fraction and poll_fraction 1"},
    {"cpu_bound", HeldBy::kRow, "true where idle_fraction is below 0.05"},
    {"line_rate_bytes_per_second", HeldBy::kRun, "one for a NIC and its partner; not exceeded"},
    {"retransmitted_bytes", HeldBy::kRow, "no burst beside ok, and nothing beside no_counters"},
    {"latency_min_ns", HeldBy::kRow, "all six in order, or none; none beside a throughput"},
    {"latency_p50_ns", HeldBy::kRow, "all six in order, or none; none beside a throughput"},
    {"latency_p90_ns", HeldBy::kRow, "all six in order, or none; none beside a throughput"},
    {"latency_p99_ns", HeldBy::kRow, "all six in order, or none; none beside a throughput"},
    {"latency_p99_9_ns", HeldBy::kRow, "all six in order, or none; none beside a throughput"},
    {"latency_max_ns", HeldBy::kRow, "all six in order, or none; none beside a throughput"},
    {"disturbed", HeldBy::kFree, "what the kernel said of the thread; nothing else says it"},
    {"skip_cause", HeldBy::kRow, "of skipped rows, and of no other"},
};

constexpr HeldColumn kCensusColumns[] = {
    {"nic_pci_address", HeldBy::kRun, "every NIC has every place in every way"},
    {"nic_name", HeldBy::kRun, "one for an address"},
    {"place", HeldBy::kRun, "every NIC has every place in every way"},
    {"way", HeldBy::kRow, "host memory has the way host, and no other place has"},
    {"status", HeldBy::kRow, "ok has ids and no other has; a reason where nothing was told"},
    {"recv_ic_id", HeldBy::kFree, "ids are opaque; what is odd among them is a finding"},
    {"rdma_read_ic_id", HeldBy::kFree, "ids are opaque; what is odd among them is a finding"},
    {"rdma_recv_ic_id", HeldBy::kFree, "ids are opaque; what is odd among them is a finding"},
    {"relation", HeldBy::kRun, "one for a NIC and a place"},
    {"pci_path", HeldBy::kRow, "from the NIC to the place, and one for the two; or empty"},
    {"access_flags", HeldBy::kRow, "flags, and the same ones of a NIC; or empty"},
    {"reason", HeldBy::kFree, "a sentence"},
};

}  // namespace

template <>
std::span<const HeldColumn> HeldColumns<Sample>() {
  return kSampleColumns;
}
template <>
std::span<const HeldColumn> HeldColumns<CensusRow>() {
  return kCensusColumns;
}

}  // namespace railgauge
