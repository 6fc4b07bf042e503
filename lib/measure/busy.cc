#include "lib/measure/busy.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>
#include <thread>

#include "fmt/core.h"
#include "lib/base/unique_fd.h"

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

// A device's counter files, which stay open from one reading to the next: of 32 NICs it is the
// opening of 192 files that takes the time, and the second reading then is a pass of reads alone.
class CounterFiles {
 public:
  CounterFiles(const std::string& device, const std::string& sysfs) {
    for (size_t i = 0; i < kCounters.size(); ++i) {
      const std::string path =
          fmt::format("{}/class/infiniband/{}/ports/1/hw_counters/{}", sysfs, device, kCounters[i]);
      files_[i] = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    }
  }

  Reading Read() const {
    Reading reading;
    for (size_t i = 0; i < kCounters.size(); ++i) reading.values[i] = ValueOf(files_[i]);
    reading.time = Clock::now();
    return reading;
  }

 private:
  // sysfs makes the text anew for a read from the beginning.
  static std::optional<uint64_t> ValueOf(const UniqueFd& file) {
    char text[32];
    const ssize_t length = file.valid() ? ::pread(file.get(), text, sizeof(text), 0) : -1;
    uint64_t value = 0;
    if (length <= 0) return std::nullopt;
    const auto parsed = std::from_chars(text, text + length, value);
    const bool whole = parsed.ptr == text + length || *parsed.ptr == '\n';
    return parsed.ec == std::errc() && whole ? std::optional(value) : std::nullopt;
  }

  std::array<UniqueFd, kCounters.size()> files_;
};

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
  std::vector<CounterFiles> files;
  for (const NicKey& nic : nics) files.emplace_back(nic.name, options.sysfs);
  std::vector<Reading> before;
  for (const CounterFiles& device : files) before.push_back(device.Read());
  if (options.wait) {
    options.wait(options.interval);
  } else {
    std::this_thread::sleep_for(options.interval);
  }
  std::vector<BusyNic> busy;
  for (size_t i = 0; i < nics.size(); ++i) {
    BusyNic nic = Compare(nics[i], before[i], files[i].Read());
    if (nic.bytes > 0) busy.push_back(std::move(nic));
  }
  return busy;
}

}  // namespace railgauge
