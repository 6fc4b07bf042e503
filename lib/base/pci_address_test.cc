#include "lib/base/pci_address.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(PciAddressTest, RoundTrips) {
  const auto address = PciAddress::Parse("0000:C6:1f.7");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->bus, 0xc6);
  EXPECT_EQ(address->device, 0x1f);
  EXPECT_EQ(address->function, 7);
  EXPECT_EQ(address->ToString(), "0000:c6:1f.7");
}

TEST(PciAddressTest, KeepsLargeDomain) {
  EXPECT_EQ(PciAddress::Parse("10000:01:00.0")->domain, 0x10000u);
  EXPECT_EQ(PciAddress::Parse("10000:01:00.0")->ToString(), "10000:01:00.0");
}

TEST(PciAddressTest, DomainIsRequired) {
  EXPECT_FALSE(PciAddress::Parse("c6:00.0"));
  EXPECT_EQ(PciAddress::ParseLenient("c6:00.0")->ToString(), "0000:c6:00.0");
}

TEST(PciAddressTest, RefusesWhatIsNoAddress) {
  for (const char* text : {"", "0000", "0000:c6", "0000:c6:00", "0000:c6:00.8", "0000:c6:20.0",
                           "0000:g6:00.0", "0000:c6:00.0 ", " 0000:c6:00.0", "0000:c6:00.00",
                           "000:c6:00.0", "0000:c6:0.0", "-000:c6:00.0", "123456789:00:00.0"}) {
    EXPECT_FALSE(PciAddress::Parse(text)) << text;
  }
}

TEST(PciAddressTest, OrdersByDomainFirst) {
  EXPECT_LT(*PciAddress::Parse("0000:ff:1f.7"), *PciAddress::Parse("0001:00:00.0"));
}

}  // namespace
}  // namespace railgauge
