#include "lib/compare/baseline_file.h"

#include <map>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/base/units.h"
#include "lib/report/comparison_schema.h"
#include "lib/report/csv_record.h"
#include "lib/report/row_stream.h"

namespace railgauge {
namespace {

constexpr char kAdvice[] = "Make it again with railgauge baseline make";
// Of an interval: as many runs or windows as one needs (JudgeGates::min_rounds).
constexpr uint64_t kFewest = 8;
// A window is some milliseconds, and holds one message at least where it has a throughput.
constexpr double kLongestWindowSeconds = 60;
// As lib/placement/row_rules.cc: 16 lanes of PCIe 7.0.
constexpr double kFastestSlot = 242e9;

using Why = std::optional<std::string>;

bool IsMadeOf(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// What NicSlots (lib/topology/nic_slot.h) names: "0/00.0/01.3/00.0" or "nic3", and of several that
// look alike all but the first with "#2", …
bool IsNicSlot(std::string_view slot) {
  constexpr std::string_view kDecimal = "0123456789", kHex = "0123456789abcdef";
  if (const size_t hash = slot.find('#'); hash != std::string_view::npos) {
    if (!IsMadeOf(slot.substr(hash + 1), kDecimal)) return false;
    slot = slot.substr(0, hash);
  }
  if (slot.starts_with("nic")) return IsMadeOf(slot.substr(3), kDecimal);
  const size_t first = slot.find('/');
  if (first == std::string_view::npos || !IsMadeOf(slot.substr(0, first), kDecimal)) return false;
  for (std::string_view rest = slot.substr(first); !rest.empty(); rest.remove_prefix(5)) {
    const bool function = rest.size() >= 5 && rest[0] == '/' && IsMadeOf(rest.substr(1, 2), kHex) &&
                          rest[3] == '.' && IsMadeOf(rest.substr(4, 1), kHex);
    if (!function) return false;
  }
  return true;
}

Why WhyNoCell(const BaselineRow& row) {
  const SlotCell& cell = row.cell;
  if (!IsNicSlot(cell.nic_slot)) {
    return fmt::format("nic_slot is {}, and is like 0/00.0/01.3/00.0", Quoted(cell.nic_slot));
  }
  const bool host = cell.place_kind == "host";
  if (!host && cell.place_kind != "gpu") {
    return fmt::format("place_kind is '{}', and is host or gpu", Shortened(cell.place_kind));
  }
  if (host != (cell.way == RegistrationWay::kHost)) {
    return fmt::format("way is {} of a {}", ToString(cell.way), cell.place_kind);
  }
  if (cell.size.count == 0) return "size_bytes is 0";
  if (cell.depth == 0) return "depth is 0";
  if (row.peer != "loopback" && row.peer != "two_hosts") {
    return fmt::format("peer is '{}', and is loopback or two_hosts", Shortened(row.peer));
  }
  if (row.queue_pairs == 0u) return "queue_pairs is 0";
  if (row.run_count == 0) return "run_count is 0";
  if (row.sample_count < row.run_count) {
    return fmt::format("sample_count is {} of {} runs", row.sample_count, row.run_count);
  }
  return std::nullopt;
}

Why WhyNoInterval(const BaselineRow& row) {
  const double median = row.throughput_median.value;
  const double least = static_cast<double>(row.cell.size.count) / kLongestWindowSeconds;
  if (!(median >= least && median <= kFastestSlot)) {
    return fmt::format(
        "throughput_median_bytes_per_second is {:.6g}, and no NIC has that with messages of {}",
        median, FormatBytes(row.cell.size));
  }
  const int told = (row.throughput_low ? 1 : 0) + (row.throughput_high ? 1 : 0) +
                   (row.interval_confidence ? 1 : 0) + (row.interval_source.empty() ? 0 : 1);
  if (told == 0) return std::nullopt;
  if (told != 4) {
    return "throughput_low, throughput_high, interval_confidence_fraction and interval_source are "
           "filled in part";
  }
  const double low = row.throughput_low->value, high = row.throughput_high->value;
  if (!(low > 0 && low <= median && median <= high && high <= kFastestSlot)) {
    return fmt::format(
        "throughput_median_bytes_per_second is {:.6g}, and its interval from {:.6g} "
        "to {:.6g}",
        median, low, high);
  }
  if (!(*row.interval_confidence > 0 && *row.interval_confidence <= 1)) {
    return fmt::format("interval_confidence_fraction is {}, and is between 0 and 1",
                       *row.interval_confidence);
  }
  const bool runs = row.interval_source == "runs", windows = row.interval_source == "windows";
  if (!runs && !windows && row.interval_source != "class") {
    return fmt::format("interval_source is '{}', and is runs, windows or class",
                       Shortened(row.interval_source));
  }
  if ((runs && row.run_count < kFewest) || (windows && row.sample_count < kFewest)) {
    return fmt::format("interval_source is {}, of which there are {}", row.interval_source,
                       runs ? row.run_count : row.sample_count);
  }
  return std::nullopt;
}

// Of the columns before the cell's: a baseline is of a kind of machine.
Why WhyNoIdentity(const RunIdentity& run) {
  if (run.run_id.empty()) return "run_id is empty";
  if (!run.host.empty() || !run.instance_id.empty()) {
    return "host or instance_id is filled, so it is no baseline";
  }
  const std::string& platform = run.platform;
  if (platform == "hardware" || platform == "emulated" || platform == "unknown") {
    return std::nullopt;
  }
  return fmt::format("platform is '{}', and is hardware, emulated or unknown", Shortened(platform));
}

bool IsSameRun(const RunIdentity& a, const RunIdentity& b) {
  return a.run_id == b.run_id && a.instance_type == b.instance_type && a.platform == b.platform;
}

}  // namespace

Why WhyNeverWritten(const BaselineRow& row) {
  if (auto why = WhyNoCell(row)) return why;
  return WhyNoInterval(row);
}

Result<Baseline> ReadBaselineFile(const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto stream, RowStream<BaselineRow>::Open(path));
  Baseline baseline;
  std::map<SlotCell, size_t> lines;
  while (true) {
    RAILGAUGE_ASSIGN_OR_RETURN(const bool there, stream.Next());
    if (!there) break;
    const size_t line = stream.position().line;
    const auto fail = [&](std::string reason) {
      return Fail(CsvError(path, line, std::move(reason), kAdvice));
    };
    RAILGAUGE_ASSIGN_OR_RETURN(BaselineRow row, stream.Parse());
    if (baseline.rows.empty()) {
      baseline.run = stream.run();
      if (auto why = WhyNoIdentity(baseline.run)) return fail(*std::move(why));
    }
    if (auto why = WhyNeverWritten(row)) return fail(*std::move(why));
    const BaselineRow& first = baseline.rows.empty() ? row : baseline.rows.front();
    if (!IsSameRun(stream.run(), baseline.run) || row.peer != first.peer ||
        row.queue_pairs != first.queue_pairs) {
      return fail("it is of another baseline than the rows before it, or measured in another way");
    }
    const auto [before, is_new] = lines.try_emplace(row.cell, line);
    if (!is_new) return fail(fmt::format("the cell is in line {} already", before->second));
    baseline.rows.push_back(std::move(row));
  }
  if (stream.cut_off()) {
    return Fail(MakeError("read baseline", path, "its last line is cut off", kAdvice));
  }
  if (baseline.rows.empty())
    return Fail(MakeError("read baseline", path, "it has no row", kAdvice));
  return baseline;
}

}  // namespace railgauge
