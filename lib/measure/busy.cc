#include "lib/measure/busy.h"

#include <array>
#include <charconv>
#include <optional>
#include <thread>

#include "fmt/core.h"
#include "lib/base/file.h"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

// What the line carries, and the payload that a driver books by itself: whichever of them moves,
// somebody posted.
constexpr std::array kCounters = {"tx_bytes",         "rx_bytes",
                                  "rdma_read_bytes",  "rdma_read_resp_bytes",
                                  "rdma_write_bytes", "rdma_write_recv_bytes"};

struct Reading {
  Clock::time_point time;
  std::array<std::optional<uint64_t>, kCounters.size()> values;
};

Reading Read(const std::string& device, const std::string& sysfs) {
  Reading reading;
  for (size_t i = 0; i < kCounters.size(); ++i) {
    const auto text = ReadAttribute(
        fmt::format("{}/class/infiniband/{}/ports/1/hw_counters/{}", sysfs, device, kCounters[i]));
    if (!text) continue;
    uint64_t value = 0;
    const char* const end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end) reading.values[i] = value;
  }
  reading.time = Clock::now();
  return reading;
}

// What moved most between two readings of `nic`; bytes of 0 when nothing did.
BusyNic Compare(const NicKey& nic, const Reading& before, const Reading& after) {
  BusyNic busy;
  busy.nic = nic;
  busy.interval = after.time - before.time;
  for (size_t i = 0; i < kCounters.size(); ++i) {
    if (!before.values[i] || !after.values[i]) continue;
    const uint64_t moved = *after.values[i] - *before.values[i];
    if (moved <= busy.bytes) continue;
    busy.bytes = moved;
    busy.counter = kCounters[i];
  }
  return busy;
}

}  // namespace

std::string BusyNic::ToString() const {
  return fmt::format("{} ({}): {} {} in {}", nic.address.ToString(), nic.name, bytes, counter,
                     FormatDuration(interval));
}

std::vector<BusyNic> FindBusyNics(std::span<const NicKey> nics, const BusyOptions& options) {
  std::vector<Reading> before;
  for (const NicKey& nic : nics) before.push_back(Read(nic.name, options.sysfs));
  if (options.wait) {
    options.wait(options.interval);
  } else {
    std::this_thread::sleep_for(options.interval);
  }
  std::vector<BusyNic> busy;
  for (size_t i = 0; i < nics.size(); ++i) {
    BusyNic nic = Compare(nics[i], before[i], Read(nics[i].name, options.sysfs));
    if (nic.bytes > 0) busy.push_back(std::move(nic));
  }
  return busy;
}

}  // namespace railgauge
