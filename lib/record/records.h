// The plain records that travel from the edges (verbs, measuring) to CSV and the judge.
//
// One struct is one row of one report file. They hold no handle, no clock and no file, so a verdict
// can be repeated from CSV later. An empty optional is an empty CSV field: unknown, never zero.
#ifndef RAILGAUGE_LIB_RECORD_RECORDS_H_
#define RAILGAUGE_LIB_RECORD_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"
#include "lib/record/place.h"

namespace railgauge {

// What every row of a run begins with.
struct RunIdentity {
  std::string run_id;         // unique per run: UTC start time and random digits
  std::string host;           // host name
  std::string instance_id;    // "i-…", empty where the metadata service does not answer
  std::string instance_type;  // from DMI: "p5.48xlarge"; empty when unknown
  std::string platform;  // "hardware", "emulated" when any device's firmware says so, "unknown"
};

// A NIC as rows name it.
struct NicKey {
  PciAddress address;
  std::string name;  // the ibverbs device name; proves nothing, shown for people
  friend auto operator<=>(const NicKey&, const NicKey&) = default;
};

// census.csv: NIC × place × registration way.
enum class CensusStatus {
  kOk,                  // registered, and at least one id is valid
  kNoId,                // registered, the stack can tell, and no id is valid: a normal answer
  kCannotTell,          // registered, but driver or library has no efadv_query_mr
  kRegistrationFailed,  // reason has the errno
  kSkipped,             // never tried: reason says why (no such memory, device did not open)
  kNotSupported,        // this kind of memory place is not supported yet
};
std::string_view ToString(CensusStatus status);  // "ok", "no_id", "cannot_tell", ...
std::optional<CensusStatus> ParseCensusStatus(std::string_view text);

struct CensusRow {
  NicKey nic;
  MemoryPlace place;
  RegistrationWay way = RegistrationWay::kHost;
  CensusStatus status = CensusStatus::kSkipped;
  InterconnectIds ids;
  Relation relation = Relation::kUnknown;
  std::string pci_path;      // the path that shows why, see topology/relation.h
  std::string access_flags;  // the IBV_ACCESS_* asked for: "local_write|remote_read"
  std::string reason;
};

// samples.csv: one measured window, or one point that was not measured (status and reason say so).
// The words of a proof (lib/measure/proof.h) say what contradicts the window.
enum class SampleStatus {
  kOk,
  kSkipped,              // not tried: SkipCause
  kFailed,               // tried, and an operation failed
  kInvalid,              // contradicted, with no word for how; rows of older versions have it
  kWrongData,            // what arrived differs from what was sent
  kWrongOperation,       // the devices moved the bytes by another operation
  kWrongBytes,           // the devices moved fewer bytes than were posted
  kForeignTraffic,       // the devices moved more than was posted, or something else beside it
  kRetransmissionBurst,  // too much of it was sent again
  kAboveCeiling,         // faster than the known line rate
  kNoCounters,           // measured, and no counter could be read that proves or contradicts it
  kShortWindow,          // measured, and what the window holds is too little for a rate
};
std::string_view ToString(SampleStatus status);  // "ok", "skipped", "wrong_data", ...
std::optional<SampleStatus> ParseSampleStatus(std::string_view text);
// Whether the window's rate is evidence: proven, or not provable, which is no contradiction.
bool IsMeasured(SampleStatus status);
// Whether the window was measured and is contradicted.
bool IsContradicted(SampleStatus status);

// Why a sample was skipped. Verdicts rest on it: what is not possible needs no measuring, all else
// is missing.
enum class SkipCause {
  kNotPossible,  // the device lacks the capability, or the place does not exist here
  kNoTime,       // the time budget was used up
  kInterrupted,
  kPeerGone,
};
std::string_view ToString(
    SkipCause cause);  // "not_possible", "no_time", "interrupted", "peer_gone"
std::optional<SkipCause> ParseSkipCause(std::string_view text);

// The independent variables of a measurement.
struct Cell {
  NicKey nic;         // the NIC under test: it touches `place`
  MemoryPlace place;  // the memory under test
  Operation operation = Operation::kRead;
  Direction direction = Direction::kToMemory;
  Bytes size;                  // message size
  uint32_t depth = 0;          // work requests in flight, all queue pairs together
  std::string load = "alone";  // "alone", or the name of the group that ran at once
  friend auto operator<=>(const Cell&, const Cell&) = default;
};

struct Sample {
  Cell cell;
  RegistrationWay way = RegistrationWay::kHost;
  NicKey partner;                           // the NIC at the other end
  MemoryPlace partner_place;                // and its memory
  std::string peer = "loopback";            // "loopback", or the peer's host name
  std::optional<uint16_t> interconnect_id;  // of the attributing field, see AttributingField
  uint32_t round = 0;                       // 0 is the screening window, 1… are paired rounds
  Nanoseconds start_offset{0};              // from the start of the run
  Nanoseconds duration{0};
  uint64_t completions = 0;
  uint64_t payload_bytes = 0;
  std::optional<BytesPerSecond> throughput;
  std::optional<double> messages_per_second;
  std::optional<double> post_fraction;  // share of the thread's time inside posting
  // What was posted between two readings of the device's counters (warm-up, window, drain and
  // verifying messages), and what the initiator's counter of this operation says was moved then.
  std::optional<uint64_t> posted_bytes;
  std::optional<uint64_t> counter_bytes;
  SampleStatus status = SampleStatus::kSkipped;
  std::string reason;

  // The throughput of the whole intervals of the window; empty where it has fewer than three.
  std::optional<Nanoseconds> interval;  // how long each is, or the shortest that they may be
  std::optional<uint64_t> interval_count;
  std::optional<BytesPerSecond> interval_min;
  std::optional<BytesPerSecond> interval_median;
  std::optional<BytesPerSecond> interval_mad;  // median absolute deviation
  // 2: they have two speeds (stats/two_speeds.h); empty where they are too few to tell.
  std::optional<uint64_t> interval_modes;
  // Shares of the thread's time: in polls that found completions, and in those that found none.
  // With post_fraction they make the whole window.
  std::optional<double> poll_fraction;
  std::optional<double> idle_fraction;
  // Whether the thread, and not the path, was the limit: it hardly ever waited.
  std::optional<bool> cpu_bound;
  // The most that the line rate of the slower of the two NICs can be, and what both sent again.
  std::optional<BytesPerSecond> line_rate;
  std::optional<uint64_t> retransmitted_bytes;
  // Of single messages, where latency was measured (lib/measure/latency.h).
  std::optional<Nanoseconds> latency_min;
  std::optional<Nanoseconds> latency_p50;
  std::optional<Nanoseconds> latency_p90;
  std::optional<Nanoseconds> latency_p99;
  std::optional<Nanoseconds> latency_p99_9;
  std::optional<Nanoseconds> latency_max;
  // Whether the measuring thread was kept from its CPU for longer than what it had in flight kept
  // the NIC busy; such a window tells of the scheduler. Empty where the kernel does not say.
  std::optional<bool> disturbed;
  std::optional<SkipCause> skip_cause;  // of a skipped one
};

// interconnects.csv: NIC × field × id.
struct InterconnectRow {
  NicKey nic;
  IcField field = IcField::kRecv;
  uint16_t id = 0;
  std::vector<MemoryPlace> places;
  std::optional<BytesPerSecond> throughput_median;  // over the places' medians, largest size
  std::optional<BytesPerSecond> throughput_min;
  std::optional<BytesPerSecond> throughput_max;
  uint64_t sample_count = 0;
  std::string findings;  // "same_id_different_speed", "different_id_same_speed"; ';' between
};

enum class Verdict {
  kOk,
  kSlow,            // slower than its class or ceiling
  kWrong,           // a better choice was measured
  kOversubscribed,  // shared while others idle
  kIdle,            // a NIC that nobody uses
  kNoisy,           // too much spread to tell
  kInvalid,         // the measurement contradicts itself
  kUndecided,       // not measured, or not enough is known
};
std::string_view ToString(Verdict verdict);  // "OK", "SLOW", "WRONG", ...
std::optional<Verdict> ParseVerdict(std::string_view text);

// summary.csv: one cell over its samples.
struct SummaryRow {
  Cell cell;
  RegistrationWay way = RegistrationWay::kHost;
  Relation relation = Relation::kUnknown;
  std::optional<uint16_t> interconnect_id;
  uint64_t sample_count = 0;
  std::optional<BytesPerSecond> throughput_median;
  std::optional<BytesPerSecond> throughput_mad;  // median absolute deviation
  std::optional<BytesPerSecond> throughput_low;  // interval of the median
  std::optional<BytesPerSecond> throughput_high;
  std::optional<double> ceiling_fraction;  // of `ceiling`, by the median
  Verdict verdict = Verdict::kUndecided;
  std::string reason;
  std::optional<double> interval_confidence;  // of throughput_low to _high
  // Where the cell stands among those that should be equally fast: its robust z, the chance of one
  // so low among equals, and that of its paired rounds against a member; both chances are adjusted
  // for the number of such tests in the run.
  std::optional<double> class_z;
  std::optional<double> class_adjusted_p_value;
  std::optional<double> rounds_adjusted_p_value;
  // "two_speeds" of its windows, "class_of_two_speeds", "wide_spread", "cpu_bound", "no_counters",
  // "disturbed"; ';' between
  std::string findings;
  std::optional<BytesPerSecond> slow_speed;  // the two speeds: medians of their windows or members
  std::optional<BytesPerSecond> fast_speed;
  std::optional<double> slow_fraction;  // share of the windows or members that have the slow one
  // The best known line rate of the path (placement/ceilings.h), what it is of, and where it is
  // from: "published", "assumed" or "port". Empty where none is known.
  std::string ceiling_resource;
  std::optional<BytesPerSecond> ceiling;
  std::string ceiling_provenance;
};

// Of a cell: in every one of its windows the measuring thread was kept from its CPU.
inline constexpr std::string_view kDisturbedFinding = "disturbed";
// Whether `name` is one of row.findings.
bool HasFinding(const SummaryRow& row, std::string_view name);

// placement.csv: one consumer's decision.
struct PlacementRow {
  MemoryPlace consumer;
  std::vector<NicKey> chosen;
  std::vector<NicKey> best;      // empty when no better choice was measured or nothing was
  std::optional<double> regret;  // share of the best choice's throughput that is lost, 0…1
  std::optional<double> regret_low;
  std::optional<double> regret_high;
  Verdict verdict = Verdict::kUndecided;
  std::string reason;  // one sentence that a person can act on
  // Of the interval of the regret, and of its rounds; the chance of such rounds if nothing were
  // lost, adjusted for the number of the run's comparisons.
  std::optional<double> regret_confidence;
  std::optional<uint64_t> regret_rounds;
  std::optional<double> regret_adjusted_p_value;
};

enum class Severity {
  kNote,     // normal somewhere, and good to know here
  kWarning,  // look at it
  kError,    // it contradicts itself, or a format
};
std::string_view ToString(Severity severity);  // "note", "warning", "error"
std::optional<Severity> ParseSeverity(std::string_view text);

// findings.csv: something that the records show and that is no verdict on a placement.
struct Finding {
  std::string kind;  // from the table in lib/placement/finding_kinds.h
  Severity severity = Severity::kNote;
  std::optional<NicKey> nic;
  std::vector<MemoryPlace> places;
  std::optional<IcField> field;
  std::string sentence;  // claims no more than is known, and says what to do
  std::string evidence;  // the figures: ids, places, rates
  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_RECORD_RECORDS_H_
