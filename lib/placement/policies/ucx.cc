#include "lib/placement/policies/ucx.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/placement/policies/consumers.h"

namespace railgauge {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;  // UCX's

struct Lane {
  double bytes_per_s = 0;
  double latency_ns = 0;
  size_t nic = 0;
  auto Order() const { return std::tuple(-bytes_per_s, latency_ns, nic); }
};

// Components of both paths behind the folder that both are in. `path` begins with /sys/devices/.
size_t ComponentsApart(const PciPosition& a, const PciPosition& b) {
  size_t common = 0;
  while (common < std::min(a.bridges.size(), b.bridges.size()) &&
         a.bridges[common] == b.bridges[common]) {
    ++common;
  }
  return a.bridges.size() + b.bridges.size() + 2 - 2 * common;
}

// What devices of this generation carry, each way; UCX reads it from the port.
double LineRate(const Nic& nic) {
  switch (nic.device_id) {
    case 0xefa2:
      return 25e9;
    case 0xefa3:
      return 50e9;
    default:
      return 12.5e9;
  }
}

Lane LaneOf(const PciPosition& gpu, const Nic& nic, size_t index) {
  const PciPosition& position = nic.position;
  Lane lane{std::numeric_limits<double>::infinity(), 0, index};
  const bool one_host_bridge = position.host_bridge == gpu.host_bridge;
  const bool one_bridge = one_host_bridge && !position.bridges.empty() && !gpu.bridges.empty() &&
                          position.bridges.front() == gpu.bridges.front();
  if (!one_bridge && one_host_bridge) {
    const auto apart = static_cast<double>(ComponentsApart(position, gpu));
    lane.bytes_per_s = std::min(3500.0, 19200.0 / apart) * kMegabyte;
    lane.latency_ns = 300;
  } else if (!one_bridge) {
    const bool one_node = position.numa_node && position.numa_node == gpu.numa_node;
    lane.bytes_per_s = (one_node ? 17000.0 : 220.0) * kMegabyte;
    lane.latency_ns = one_node ? 300 : 500;
  }
  lane.bytes_per_s = std::min(lane.bytes_per_s, LineRate(nic));
  return lane;
}

}  // namespace

Result<Decision> DecideUcx(const Machine& machine) {
  constexpr size_t kMaxRails = 2;
  constexpr double kMaxRatio = 4;
  RAILGAUGE_RETURN_IF_ERROR(CheckHasGpus("ucx", machine));
  std::vector<std::vector<size_t>> nics_of;
  for (const Gpu& gpu : machine.gpus) {
    std::vector<Lane> lanes;
    for (size_t n = 0; n < machine.nics.size(); ++n) {
      lanes.push_back(LaneOf(gpu.position, machine.nics[n], n));
    }
    std::sort(lanes.begin(), lanes.end(),
              [](const Lane& a, const Lane& b) { return a.Order() < b.Order(); });
    std::vector<size_t> nics;
    for (const Lane& lane : lanes) {
      if (nics.size() == kMaxRails || lane.bytes_per_s * kMaxRatio < lanes[0].bytes_per_s) break;
      nics.push_back(lane.nic);
    }
    nics_of.push_back(std::move(nics));
  }
  return MakeGpuDecision("ucx", machine, std::move(nics_of));
}

}  // namespace railgauge
