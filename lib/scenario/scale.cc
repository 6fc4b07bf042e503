#include "lib/scenario/scale.h"

#include <cmath>
#include <string>

#include "lib/base/result.h"

namespace railgauge {
namespace {

// Bits per second of one lane for data, by generation, in GT/s: the first two code 8 bits in 10,
// the later ones 128 in 130.
double DataGigabits(double gt_per_second) {
  return gt_per_second < 8 ? gt_per_second * 8 / 10 : gt_per_second * 128 / 130;
}

// The link with `divisor` times less throughput; unknown when there is none.
void ScaleLink(uint32_t divisor, EmulatedPciDevice* device) {
  const double wanted = DataGigabits(device->link_gt_per_second) * device->link_width / divisor;
  const double first_speed = device->link_gt_per_second;
  device->link_gt_per_second = 0;
  device->link_width = 0;
  if (wanted <= 0) return;
  for (const double speed : kPciLinkSpeeds) {
    for (const uint32_t width : kPciLinkWidths) {
      const bool same = std::abs(DataGigabits(speed) * width - wanted) < 1e-6 * wanted;
      // Of several, the one of the generation that the device has: fewer lanes, as it were.
      if (!same || (device->link_width != 0 && device->link_gt_per_second == first_speed)) continue;
      device->link_gt_per_second = speed;
      device->link_width = width;
    }
  }
}

void ScaleLinks(uint32_t divisor, std::vector<EmulatedPciDevice>* devices) {
  for (EmulatedPciDevice& device : *devices) {
    ScaleLink(divisor, &device);
    ScaleLinks(divisor, &device.children);
  }
}

}  // namespace

void ScaleDown(uint32_t divisor, EmulatedMachine* machine) {
  RAILGAUGE_CHECK(divisor >= 1);
  if (divisor == 1) return;
  machine->instance_type += "/" + std::to_string(divisor);
  for (EmulatedNic& nic : machine->nics) {
    nic.line_rate.value /= divisor;
    nic.model.reported_gb_per_second /= divisor;
  }
  for (EmulatedResource& resource : machine->resources) resource.capacity.value /= divisor;
  for (auto& [pair, directions] : machine->paths) {
    for (EmulatedPath& path : directions) path.capacity.value /= divisor;
  }
  for (EmulatedHostBridge& bridge : machine->host_bridges) ScaleLinks(divisor, &bridge.children);
}

}  // namespace railgauge
