#include "lib/measure/proof.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "lib/base/counted.h"

namespace railgauge {
namespace {

// One counter, and by how much it should have grown.
struct Line {
  std::string_view name;
  uint64_t moved = 0;
  uint64_t expected = 0;
  uint64_t missing() const { return expected > moved ? expected - moved : 0; }
  uint64_t surplus() const { return moved > expected ? moved - expected : 0; }
};

std::vector<Line> LinesOf(const DeviceCounters& moved, const RdmaBytes& expected) {
  const RdmaBytes& rdma = moved.rdma;
  return {{"rdma_read_bytes", rdma.rdma_read_bytes, expected.rdma_read_bytes},
          {"rdma_read_resp_bytes", rdma.rdma_read_resp_bytes, expected.rdma_read_resp_bytes},
          {"rdma_write_bytes", rdma.rdma_write_bytes, expected.rdma_write_bytes},
          {"rdma_write_recv_bytes", rdma.rdma_write_recv_bytes, expected.rdma_write_recv_bytes},
          {"send_bytes", moved.send_bytes, 0},
          {"recv_bytes", moved.recv_bytes, 0}};
}

std::string Growth(const std::string& device, const Line& line) {
  return fmt::format("{} of {} grew by {} instead of {}", line.name, device, line.moved,
                     line.expected);
}

std::optional<Contradiction> FindWrongBytes(const std::string& device,
                                            const std::vector<Line>& lines, double tolerance) {
  const auto by_missing = [](const Line& a, const Line& b) { return a.missing() < b.missing(); };
  const auto by_surplus = [](const Line& a, const Line& b) { return a.surplus() < b.surplus(); };
  const Line& least = *std::max_element(lines.begin(), lines.end(), by_missing);
  const Line& most = *std::max_element(lines.begin(), lines.end(), by_surplus);
  constexpr char kBegins[] = "the device's counters contradict it: ";
  if (static_cast<double>(least.missing()) > tolerance) {
    if (most.surplus() < least.missing() / 2 || most.surplus() == 0) {
      return Contradiction{SampleStatus::kWrongBytes, kBegins + Growth(device, least)};
    }
    return Contradiction{
        SampleStatus::kWrongOperation,
        fmt::format("{}{}, and {}", kBegins, Growth(device, least), Growth(device, most))};
  }
  if (static_cast<double>(most.surplus()) > tolerance) {
    return Contradiction{SampleStatus::kForeignTraffic, kBegins + Growth(device, most)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Contradiction> FindContradiction(const std::string& device,
                                               const DeviceCounters& moved,
                                               const RdmaBytes& expected, Bytes message) {
  const std::vector<Line> lines = LinesOf(moved, expected);
  uint64_t payload = 0;
  for (const Line& line : lines) payload = std::max(payload, line.expected);
  const auto bytes = static_cast<double>(payload);
  if (auto wrong = FindWrongBytes(device, lines, kCounterTolerance * bytes)) return wrong;

  const uint64_t again = moved.retransmitted_bytes.value_or(0);
  const uint64_t timeouts = moved.retransmission_timeouts.value_or(0);
  const double bearable = kRetransmissionTolerance * bytes;
  if (static_cast<double>(again) <= bearable &&
      static_cast<double>(timeouts) * static_cast<double>(message.count) <= bearable) {
    return std::nullopt;
  }
  return Contradiction{
      SampleStatus::kRetransmissionBurst,
      fmt::format("retransmission burst: {} sent {} bytes again and had {} time-outs, for a "
                  "payload of {} bytes",
                  device, again, timeouts, payload)};
}

std::optional<Contradiction> FindAboveCeiling(Bytes payload, Bytes in_flight, Nanoseconds duration,
                                              const std::optional<BytesPerSecond>& line_rate) {
  if (!line_rate || duration <= Nanoseconds{0} || payload <= in_flight) return std::nullopt;
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto crossed = static_cast<double>(payload.count - in_flight.count) / seconds;
  if (crossed <= (1 + kCeilingTolerance) * line_rate->value) return std::nullopt;
  return Contradiction{
      SampleStatus::kAboveCeiling,
      fmt::format("above the ceiling: {} where the line rate is {} at the most",
                  FormatBytesPerSecond({static_cast<double>(payload.count) / seconds}),
                  FormatBytesPerSecond(*line_rate))};
}

std::optional<Contradiction> FindShortWindow(const WindowContent& content,
                                             const std::optional<BytesPerSecond>& line_rate) {
  const auto too_short = [](std::string reason) {
    return Contradiction{SampleStatus::kShortWindow, std::move(reason)};
  };
  if (content.completions == 0) return too_short("nothing completed in the common window");
  if (content.completions <= content.depth) {
    return too_short(
        fmt::format("the common window holds {}, no more than the {} in flight when it opened",
                    Counted(content.completions, "completion"), content.depth));
  }
  const auto part = std::chrono::duration_cast<Nanoseconds>(content.window * kWindowPart);
  if (content.duration < std::max(part, std::min(kShortestRate, content.window))) {
    return too_short(fmt::format("all completions of the common window of {} lie within {} of it",
                                 FormatDuration(content.window), FormatDuration(content.duration)));
  }
  if (!line_rate) return std::nullopt;
  const Bytes payload{content.message.count * content.completions};
  const Bytes in_flight{content.message.count * content.depth};
  if (FindAboveCeiling(payload, in_flight, content.duration, line_rate)) return std::nullopt;
  const double seconds = std::chrono::duration<double>(content.duration).count();
  const double rate = static_cast<double>(payload.count) / seconds;
  if (rate <= (1 + kCeilingTolerance) * line_rate->value) return std::nullopt;
  return too_short(fmt::format(
      "{} completed in the common window where the line rate is {} at the most: what was in flight "
      "when it opened counts for too much of it",
      FormatBytesPerSecond({rate}), FormatBytesPerSecond(*line_rate)));
}

}  // namespace railgauge
