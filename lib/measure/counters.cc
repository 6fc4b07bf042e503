#include "lib/measure/counters.h"

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

// Empty for a counter that is not there: `missing` then says why.
Result<std::optional<uint64_t>> Read(const std::string& path,
                                     std::optional<Error>* missing = nullptr) {
  const Result<std::string> text = ReadAttribute(path);
  if (!text) {
    if (missing != nullptr) *missing = text.error();
    return std::optional<uint64_t>();
  }
  uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return Fail(MakeError("read device counter", path, "'" + *text + "' is no number"));
  }
  return std::optional(value);
}

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

DeviceCounters operator-(const DeviceCounters& later, const DeviceCounters& earlier) {
  const auto grown = [](const std::optional<uint64_t>& to, const std::optional<uint64_t>& from) {
    return to && from ? std::optional(*to - *from) : std::nullopt;
  };
  return {later.rdma - earlier.rdma, later.send_bytes - earlier.send_bytes,
          later.recv_bytes - earlier.recv_bytes,
          grown(later.retransmitted_bytes, earlier.retransmitted_bytes),
          grown(later.retransmission_timeouts, earlier.retransmission_timeouts)};
}

Result<DeviceCounters> ReadDeviceCounters(const std::string& device, const std::string& sysfs) {
  const std::string folder =
      fmt::format("{}/class/infiniband/{}/ports/1/hw_counters", sysfs, device);
  DeviceCounters counters;
  std::optional<Error> missing;
  size_t found = 0;
  for (const Counter& counter : kCounters) {
    std::optional<Error> none;
    RAILGAUGE_ASSIGN_OR_RETURN(const auto value, Read(folder + "/" + counter.name, &none));
    if (value) ++found;
    if (!value && !missing) missing = none;
    counters.rdma.*counter.field = value.value_or(0);
  }
  if (found == 0) return Fail(*std::move(missing));
  RAILGAUGE_ASSIGN_OR_RETURN(const auto sent, Read(folder + "/send_bytes"));
  RAILGAUGE_ASSIGN_OR_RETURN(const auto received, Read(folder + "/recv_bytes"));
  counters.send_bytes = sent.value_or(0);
  counters.recv_bytes = received.value_or(0);
  RAILGAUGE_ASSIGN_OR_RETURN(counters.retransmitted_bytes, Read(folder + "/retrans_bytes"));
  RAILGAUGE_ASSIGN_OR_RETURN(counters.retransmission_timeouts,
                             Read(folder + "/retrans_timeout_events"));
  return counters;
}

}  // namespace railgauge
