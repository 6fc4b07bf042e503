#include "lib/scenario/pci_config_space.h"

namespace railgauge {
namespace {

// Offsets in the header.
constexpr size_t kVendorId = 0x00, kDeviceId = 0x02, kCommand = 0x04, kStatus = 0x06,
                 kRevision = 0x08, kClass = 0x09, kHeaderType = 0x0e, kPrimaryBus = 0x18,
                 kSecondaryBus = 0x19, kSubordinateBus = 0x1a, kSubsystemVendorId = 0x2c,
                 kSubsystemId = 0x2e, kCapabilities = 0x34;
constexpr uint16_t kMemoryAndBusMaster = 0x0006;
constexpr uint16_t kHasCapabilities = 0x0010;
constexpr uint8_t kMultiFunction = 0x80;

// Capabilities, at places of our choice.
constexpr uint8_t kExpress = 0x40, kBridgeSubsystem = 0x80;
constexpr uint8_t kExpressId = 0x10, kBridgeSubsystemId = 0x0d;
constexpr size_t kExpressFlags = 0x02, kLinkCapabilities = 0x0c, kLinkStatus = 0x12;

// The first extended capability: Access Control Services.
constexpr size_t kExtended = 0x100, kConventionalBytes = 256, kExtendedBytes = 4096;
constexpr uint16_t kAcsId = 0x000d, kAcsVersion = 0x0001;
constexpr size_t kAcsCapability = 0x04, kAcsControl = 0x06;
// Source validation, P2P request redirect, P2P completion redirect, upstream forwarding.
constexpr uint16_t kAcsRedirect = 0x001d;

enum PortType : uint16_t { kEndpoint = 0, kRootPort = 4, kUpstreamPort = 5, kDownstreamPort = 6 };

void Put16(PciConfigSpace* space, size_t at, uint16_t value) {
  (*space)[at] = static_cast<uint8_t>(value);
  (*space)[at + 1] = static_cast<uint8_t>(value >> 8);
}

// The link speed as its register has it: 1 for 2.5 GT/s, 2 for 5, 3 for 8, …
uint16_t SpeedCode(double gt_per_second) {
  uint16_t code = 1;
  for (const double faster : {5, 8, 16, 32, 64, 128}) {
    if (gt_per_second >= faster) ++code;
  }
  return code;
}

PortType TypeOf(const EmulatedPciDevice& device, size_t depth) {
  if (device.kind != EmulatedPciDevice::Kind::kBridge) return kEndpoint;
  if (depth == 0) return kRootPort;
  return depth % 2 == 1 ? kUpstreamPort : kDownstreamPort;
}

void PutExpress(const EmulatedPciDevice& device, size_t depth, uint8_t next,
                PciConfigSpace* space) {
  (*space)[kExpress] = kExpressId;
  (*space)[kExpress + 1] = next;
  constexpr uint16_t kVersion = 2;
  Put16(space, kExpress + kExpressFlags,
        static_cast<uint16_t>(kVersion | (TypeOf(device, depth) << 4)));
  const auto link = static_cast<uint16_t>(SpeedCode(device.link_gt_per_second) |
                                          ((device.link_width & 0x3f) << 4));
  Put16(space, kExpress + kLinkCapabilities, link);
  Put16(space, kExpress + kLinkStatus, link);
}

// Only ports that can forward from one function below them to another have it.
bool HasAcs(const EmulatedPciDevice& device, size_t depth) {
  const PortType type = TypeOf(device, depth);
  return type == kRootPort || type == kDownstreamPort;
}

void PutAcs(const EmulatedPciDevice& device, PciConfigSpace* space) {
  space->resize(kExtendedBytes);
  Put16(space, kExtended, kAcsId);
  Put16(space, kExtended + 2, kAcsVersion);  // and no next capability
  Put16(space, kExtended + kAcsCapability, kAcsRedirect);
  Put16(space, kExtended + kAcsControl, device.acs_redirects ? kAcsRedirect : uint16_t{0});
}

}  // namespace

PciConfigSpace MakePciConfigSpace(const EmulatedPciDevice& device, size_t depth) {
  PciConfigSpace space(kConventionalBytes);
  const bool bridge = device.kind == EmulatedPciDevice::Kind::kBridge;
  const bool express = device.link_gt_per_second > 0 && device.link_width > 0;
  Put16(&space, kVendorId, device.vendor_id);
  Put16(&space, kDeviceId, device.device_id);
  Put16(&space, kCommand, kMemoryAndBusMaster);
  space[kRevision] = device.revision;
  for (size_t i = 0; i < 3; ++i) {
    space[kClass + i] = static_cast<uint8_t>(device.class_code >> (8 * i));
  }
  space[kHeaderType] = bridge ? 1 : 0;
  if (device.address.function > 0) space[kHeaderType] |= kMultiFunction;
  if (bridge) {
    space[kPrimaryBus] = device.address.bus;
    space[kSecondaryBus] = device.secondary_bus;
    space[kSubordinateBus] = device.subordinate_bus;
    space[kBridgeSubsystem] = kBridgeSubsystemId;
    Put16(&space, kBridgeSubsystem + 4, device.subsystem_vendor_id);
    Put16(&space, kBridgeSubsystem + 6, device.subsystem_device_id);
  } else {
    Put16(&space, kSubsystemVendorId, device.subsystem_vendor_id);
    Put16(&space, kSubsystemId, device.subsystem_device_id);
  }
  const uint8_t after_express = bridge ? kBridgeSubsystem : 0;
  if (express) PutExpress(device, depth, after_express, &space);
  if (express && HasAcs(device, depth)) PutAcs(device, &space);
  space[kCapabilities] = express ? kExpress : after_express;
  if (space[kCapabilities] != 0) Put16(&space, kStatus, kHasCapabilities);
  return space;
}

}  // namespace railgauge
