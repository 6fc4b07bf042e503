#include "lib/placement/policies/nccl.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lib/placement/policies/consumers.h"

namespace railgauge {
namespace {

enum class PathType { kOneSwitch, kSeveralSwitches, kCpu, kOtherNode };  // nearest first

struct Path {
  double gb_per_s = 0;
  PathType type = PathType::kOtherNode;
};

double NarrowestBelow(const NcclDevice& device, size_t end) {
  double narrowest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < end; ++i) {
    narrowest = std::min(narrowest, device.hops[i].uplink_gb_per_s);
  }
  return narrowest;
}

Path PathBetween(const NcclDevice& a, const NcclDevice& b) {
  for (size_t i = 1; i < a.hops.size(); ++i) {
    for (size_t k = 1; k < b.hops.size(); ++k) {
      if (a.hops[i].node != b.hops[k].node) continue;
      return {std::min(NarrowestBelow(a, i), NarrowestBelow(b, k)),
              i == 1 && k == 1 ? PathType::kOneSwitch : PathType::kSeveralSwitches};
    }
  }
  return {std::min(NarrowestBelow(a, a.hops.size()), NarrowestBelow(b, b.hops.size())),
          a.numa_node == b.numa_node ? PathType::kCpu : PathType::kOtherNode};
}

// The indexes of `others` with the widest and then nearest path from `device`.
std::vector<size_t> LocalTo(const NcclDevice& device, const std::vector<NcclDevice>& others) {
  std::vector<size_t> local;
  Path best;
  for (size_t i = 0; i < others.size(); ++i) {
    const Path path = PathBetween(device, others[i]);
    const bool better =
        path.gb_per_s > best.gb_per_s || (path.gb_per_s == best.gb_per_s && path.type < best.type);
    if (local.empty() || better) {
      local = {i};
      best = path;
    } else if (path.gb_per_s == best.gb_per_s && path.type == best.type) {
      local.push_back(i);
    }
  }
  return local;
}

bool IsPowerOfTwo(size_t value) { return (value & (value - 1)) == 0; }

// The bits of `value` that a number below `power_of_two` has, in reverse order.
size_t MirrorBits(size_t value, size_t power_of_two) {
  size_t mirrored = 0;
  for (size_t bit = 1, other = power_of_two >> 1; bit < power_of_two; bit <<= 1, other >>= 1) {
    if ((value & bit) != 0) mirrored |= other;
  }
  return mirrored;
}

// NCCL skips every other bridge on its way up, since a switch shows its upstream and a downstream
// port; a root port alone is no switch.
NcclDevice DeviceOf(const PciPosition& position, size_t number) {
  NcclDevice device;
  device.numa_node = position.numa_node ? static_cast<int>(*position.numa_node) : -1;
  device.number = number;
  // NCCL reads what links could do (max_link_speed), not what they came up with, and that is the
  // same for all NICs and for all GPUs of an instance type: here no link is narrower than another.
  constexpr double kAlike = 1;
  device.hops.push_back({position.address.ToString(), kAlike});
  for (size_t above = position.bridges.size(); above >= 2; above -= 2) {
    device.hops.push_back({position.bridges[above - 2].ToString(), kAlike});
  }
  return device;
}

}  // namespace

std::vector<std::vector<size_t>> NcclLocalNets(const std::vector<NcclDevice>& gpus,
                                               const std::vector<NcclDevice>& nets) {
  std::vector<std::vector<size_t>> nets_of(gpus.size());
  for (size_t g = 0; g < gpus.size(); ++g) {
    const std::vector<size_t> local = LocalTo(gpus[g], nets);
    if (local.empty()) continue;
    const size_t local_gpus = LocalTo(nets[local.front()], gpus).size();
    const size_t nets_per_gpu = (local.size() + local_gpus - 1) / local_gpus;
    size_t start = gpus[g].number % local_gpus;
    if (IsPowerOfTwo(local.size())) start = MirrorBits(start, local.size());
    for (size_t channel = 0; channel < nets_per_gpu; ++channel) {
      nets_of[g].push_back(local[(start + channel) % local.size()]);
    }
  }
  return nets_of;
}

Result<Decision> DecideNccl(const Machine& machine) {
  RAILGAUGE_RETURN_IF_ERROR(CheckHasGpus("nccl", machine));
  std::vector<NcclDevice> gpus;
  std::vector<NcclDevice> nets;
  // NVML numbers GPUs in PCI order.
  for (const Gpu& gpu : machine.gpus) gpus.push_back(DeviceOf(gpu.position, gpus.size()));
  for (const Nic& nic : machine.nics) nets.push_back(DeviceOf(nic.position, nets.size()));
  return MakeGpuDecision("nccl", machine, NcclLocalNets(gpus, nets));
}

}  // namespace railgauge
