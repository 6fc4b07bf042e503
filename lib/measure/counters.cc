#include "lib/measure/counters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "fmt/core.h"
#include "lib/base/file.h"

namespace railgauge {
namespace {

struct Counter {
  const char* name;
  uint64_t RdmaBytes::*field;
};

constexpr std::array<Counter, 4> kCounters = {{
    {"rdma_read_bytes", &RdmaBytes::rdma_read_bytes},
    {"rdma_read_resp_bytes", &RdmaBytes::rdma_read_resp_bytes},
    {"rdma_write_bytes", &RdmaBytes::rdma_write_bytes},
    {"rdma_write_recv_bytes", &RdmaBytes::rdma_write_recv_bytes},
}};

}  // namespace

void RdmaBytes::AddInitiated(Operation operation, uint64_t bytes) {
  (operation == Operation::kRead ? rdma_read_bytes : rdma_write_bytes) += bytes;
}

void RdmaBytes::AddServed(Operation operation, uint64_t bytes) {
  (operation == Operation::kRead ? rdma_read_resp_bytes : rdma_write_recv_bytes) += bytes;
}

RdmaBytes operator-(const RdmaBytes& later, const RdmaBytes& earlier) {
  RdmaBytes difference;
  for (const Counter& counter : kCounters) {
    difference.*counter.field = later.*counter.field - earlier.*counter.field;
  }
  return difference;
}

Result<RdmaBytes> ReadRdmaBytes(const std::string& device, const std::string& sysfs) {
  const std::string folder =
      fmt::format("{}/class/infiniband/{}/ports/1/hw_counters", sysfs, device);
  RdmaBytes bytes;
  std::optional<Error> missing;
  size_t found = 0;
  for (const Counter& counter : kCounters) {
    const std::string path = folder + "/" + counter.name;
    const Result<std::string> text = ReadAttribute(path);
    if (!text) {
      if (!missing) missing = text.error();
      continue;
    }
    uint64_t& value = bytes.*counter.field;
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return Fail(MakeError("read device counter", path, "'" + *text + "' is no number"));
    }
    ++found;
  }
  if (found == 0) return Fail(*std::move(missing));
  return bytes;
}

std::optional<std::string> Contradiction(const std::string& device, const RdmaBytes& counted,
                                         const RdmaBytes& expected) {
  uint64_t largest = 0;
  for (const Counter& counter : kCounters) {
    largest = std::max(largest, expected.*counter.field);
  }
  const double tolerance = kCounterTolerance * static_cast<double>(largest);
  for (const Counter& counter : kCounters) {
    const uint64_t seen = counted.*counter.field;
    const uint64_t wanted = expected.*counter.field;
    const uint64_t difference = seen > wanted ? seen - wanted : wanted - seen;
    if (static_cast<double>(difference) <= tolerance) continue;
    return fmt::format("the device's counters contradict it: {} of {} grew by {} instead of {}",
                       counter.name, device, seen, wanted);
  }
  return std::nullopt;
}

}  // namespace railgauge
