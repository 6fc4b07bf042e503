#include "lib/placement/policies/vendor_map.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/pci_address.h"

namespace railgauge {
namespace {

struct Pair {
  std::string_view accelerator;  // PCI address in domain 0
  std::string_view nic;
};

struct VendorMap {
  std::string_view family;  // what the instance type begins with
  Pair pairs[16];           // by the vendor's device number
};

constexpr VendorMap kMaps[] = {
    {"trn1.",
     {{"10:1c.0", "10:1a.0"},
      {"10:1d.0", "10:1a.0"},
      {"a0:1c.0", "a0:1a.0"},
      {"a0:1d.0", "a0:1a.0"},
      {"20:1b.0", "20:19.0"},
      {"20:1c.0", "20:19.0"},
      {"90:1b.0", "90:19.0"},
      {"90:1c.0", "90:19.0"},
      {"20:1d.0", "20:1a.0"},
      {"20:1e.0", "20:1a.0"},
      {"90:1d.0", "90:1a.0"},
      {"90:1e.0", "90:1a.0"},
      {"10:1e.0", "10:19.0"},
      {"10:1b.0", "10:19.0"},
      {"a0:1e.0", "a0:19.0"},
      {"a0:1b.0", "a0:19.0"}}},
    {"trn1n.",
     {{"10:1c.0", "10:17.0"},
      {"10:1d.0", "10:1a.0"},
      {"a0:1c.0", "a0:17.0"},
      {"a0:1d.0", "a0:1a.0"},
      {"20:1b.0", "20:19.0"},
      {"20:1c.0", "20:18.0"},
      {"90:1b.0", "90:19.0"},
      {"90:1c.0", "90:18.0"},
      {"20:1d.0", "20:17.0"},
      {"20:1e.0", "20:1a.0"},
      {"90:1d.0", "90:17.0"},
      {"90:1e.0", "90:1a.0"},
      {"10:1e.0", "10:19.0"},
      {"10:1b.0", "10:18.0"},
      {"a0:1e.0", "a0:19.0"},
      {"a0:1b.0", "a0:18.0"}}},
    {"trn2.",
     {{"cc:00.0", "c9:00.0"},
      {"b5:00.0", "b4:00.0"},
      {"b6:00.0", "b3:00.0"},
      {"cb:00.0", "ca:00.0"},
      {"6f:00.0", "6c:00.0"},
      {"58:00.0", "57:00.0"},
      {"59:00.0", "56:00.0"},
      {"6e:00.0", "6d:00.0"},
      {"9b:00.0", "98:00.0"},
      {"84:00.0", "83:00.0"},
      {"85:00.0", "82:00.0"},
      {"9a:00.0", "99:00.0"},
      {"f8:00.0", "f5:00.0"},
      {"e1:00.0", "e0:00.0"},
      {"e2:00.0", "df:00.0"},
      {"f7:00.0", "f6:00.0"}}},
};

const VendorMap* MapOf(std::string_view instance_type) {
  for (const VendorMap& map : kMaps) {
    if (instance_type.starts_with(map.family)) return &map;
  }
  return nullptr;
}

Error NoMap(const Machine& machine, std::string reason) {
  return MakeError("decide by policy", "vendor-map", std::move(reason),
                   machine.gpus.empty() ? "Give a decision file with --placement=FILE"
                                        : "Take another policy: GPUs have none of that kind");
}

}  // namespace

Result<Decision> DecideByVendorMap(const Machine& machine) {
  const VendorMap* map = MapOf(machine.instance_type);
  if (map == nullptr) {
    return Fail(NoMap(machine, "there is no vendor's map for instance type '" +
                                   Printable(machine.instance_type) +
                                   "'; there is one for trn1, trn1n and trn2"));
  }
  Decision decision{"policy vendor-map", {}};
  for (const Pair& pair : map->pairs) {
    const PciAddress accelerator = PciAddress::ParseLenient(pair.accelerator).value();
    const Nic* nic = machine.FindNic(PciAddress::ParseLenient(pair.nic).value());
    if (nic == nullptr || machine.FindAccelerator(accelerator) == nullptr) continue;
    decision.assignments.push_back({MemoryPlace::Accelerator(accelerator), {nic->key()}});
  }
  if (decision.assignments.empty()) {
    return Fail(NoMap(machine, "none of the map's accelerators and NICs is on this machine"));
  }
  std::sort(decision.assignments.begin(), decision.assignments.end(),
            [](const Assignment& a, const Assignment& b) { return a.consumer < b.consumer; });
  return decision;
}

}  // namespace railgauge
