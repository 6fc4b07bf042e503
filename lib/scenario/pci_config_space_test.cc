#include "lib/scenario/pci_config_space.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

uint32_t Word(const PciConfigSpace& space, size_t at) {
  return static_cast<uint32_t>(space[at] | (space[at + 1] << 8));
}

// Walks the capability list as software does; 0 when it is not there.
size_t FindCapability(const PciConfigSpace& space, uint8_t id) {
  if ((Word(space, 0x06) & 0x10) == 0) return 0;
  for (size_t at = space[0x34], hops = 0; at != 0 && hops < 48; at = space[at + 1], ++hops) {
    if (space[at] == id) return at;
  }
  return 0;
}

EmulatedPciDevice Endpoint() {
  EmulatedPciDevice device;
  device.kind = EmulatedPciDevice::Kind::kGpu;
  device.address = {0, 0x53, 0, 0};
  device.vendor_id = 0x10de;
  device.device_id = 0x2330;
  device.subsystem_vendor_id = 0x10de;
  device.subsystem_device_id = 0x16c1;
  device.class_code = 0x030200;
  device.revision = 0xa1;
  device.link_gt_per_second = 32;
  device.link_width = 16;
  return device;
}

EmulatedPciDevice Bridge() {
  EmulatedPciDevice device = Endpoint();
  device.kind = EmulatedPciDevice::Kind::kBridge;
  device.address = {0, 0x44, 1, 5};
  device.class_code = 0x060400;
  device.secondary_bus = 0x45;
  device.subordinate_bus = 0x54;
  return device;
}

TEST(PciConfigSpaceTest, EndpointHeader) {
  const PciConfigSpace space = MakePciConfigSpace(Endpoint(), 3);
  EXPECT_EQ(Word(space, 0x00), 0x10deu);
  EXPECT_EQ(Word(space, 0x02), 0x2330u);
  EXPECT_EQ(space[0x08], 0xa1);
  EXPECT_EQ(space[0x0b], 0x03);
  EXPECT_EQ(space[0x0a], 0x02);
  EXPECT_EQ(space[0x0e], 0x00);
  EXPECT_EQ(Word(space, 0x2c), 0x10deu);
  EXPECT_EQ(Word(space, 0x2e), 0x16c1u);
}

TEST(PciConfigSpaceTest, BridgeHeader) {
  const PciConfigSpace space = MakePciConfigSpace(Bridge(), 0);
  EXPECT_EQ(space[0x0e], 0x81) << "type 1, multi-function";
  EXPECT_EQ(space[0x18], 0x44);
  EXPECT_EQ(space[0x19], 0x45);
  EXPECT_EQ(space[0x1a], 0x54);
  const size_t subsystem = FindCapability(space, 0x0d);
  ASSERT_NE(subsystem, 0u);
  EXPECT_EQ(Word(space, subsystem + 6), 0x16c1u);
}

TEST(PciConfigSpaceTest, LinkSpeedAndWidthAreInTheExpressCapability) {
  struct Case {
    double gt_per_second;
    uint32_t code;
  };
  for (const Case& c : {Case{2.5, 1}, {5, 2}, {8, 3}, {16, 4}, {32, 5}, {64, 6}, {128, 7}}) {
    EmulatedPciDevice device = Endpoint();
    device.link_gt_per_second = c.gt_per_second;
    const PciConfigSpace space = MakePciConfigSpace(device, 3);
    const size_t express = FindCapability(space, 0x10);
    ASSERT_NE(express, 0u);
    EXPECT_EQ(Word(space, express + 0x12) & 0xf, c.code);
    EXPECT_EQ((Word(space, express + 0x12) >> 4) & 0x3f, 16u);
    EXPECT_EQ(Word(space, express + 0x0c) & 0xf, c.code);
  }
}

TEST(PciConfigSpaceTest, PortTypesFollowTheDepth) {
  const auto type = [](const EmulatedPciDevice& device, size_t depth) {
    const PciConfigSpace space = MakePciConfigSpace(device, depth);
    return (Word(space, FindCapability(space, 0x10) + 2) >> 4) & 0xf;
  };
  EXPECT_EQ(type(Bridge(), 0), 4u) << "root port";
  EXPECT_EQ(type(Bridge(), 1), 5u) << "upstream port";
  EXPECT_EQ(type(Bridge(), 2), 6u) << "downstream port";
  EXPECT_EQ(type(Endpoint(), 3), 0u);
}

TEST(PciConfigSpaceTest, AnUnknownLinkHasNoExpressCapability) {
  EmulatedPciDevice device = Endpoint();
  device.link_gt_per_second = 0;
  EXPECT_EQ(FindCapability(MakePciConfigSpace(device, 0), 0x10), 0u);
  EmulatedPciDevice bridge = Bridge();
  bridge.link_width = 0;
  const PciConfigSpace space = MakePciConfigSpace(bridge, 0);
  EXPECT_EQ(FindCapability(space, 0x10), 0u);
  EXPECT_NE(FindCapability(space, 0x0d), 0u);
}

// Three states for a reader: the capability is there and off, on, or there is none.
TEST(PciConfigSpaceTest, AccessControlServices) {
  constexpr size_t kAcs = 0x100;
  EmulatedPciDevice port = Bridge();
  for (const size_t depth : {size_t{0}, size_t{2}}) {
    const PciConfigSpace off = MakePciConfigSpace(port, depth);
    ASSERT_EQ(off.size(), 4096u);
    EXPECT_EQ(Word(off, kAcs), 0x000du);
    EXPECT_EQ(Word(off, kAcs + 2), 0x0001u);
    EXPECT_EQ(Word(off, kAcs + 4), 0x001du);
    EXPECT_EQ(Word(off, kAcs + 6), 0u);
  }
  port.acs_redirects = true;
  EXPECT_EQ(Word(MakePciConfigSpace(port, 0), kAcs + 6), 0x001du);
  // A switch's upstream port and an endpoint forward nothing between peers.
  EXPECT_EQ(MakePciConfigSpace(port, 1).size(), 256u);
  EXPECT_EQ(MakePciConfigSpace(Endpoint(), 3).size(), 256u);
}

}  // namespace
}  // namespace railgauge
