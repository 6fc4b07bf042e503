#include "lib/topology/pci_config.h"

#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

void Put16(std::string& config, size_t at, int value) {
  config[at] = static_cast<char>(value & 0xff);
  config[at + 1] = static_cast<char>(value >> 8);
}

// A bridge of that PCI Express type (4 root port, 5 upstream, 6 downstream), whose ACS control
// register is `acs`. Another capability comes before each.
std::string Bridge(int type, int acs) {
  std::string config(4096, '\0');
  Put16(config, 0x06, 0x0010);
  Put16(config, 0x34, 0x50);
  Put16(config, 0x50, 0x6001);  // power management, then:
  Put16(config, 0x60, 0x0010);
  Put16(config, 0x62, 2 | type << 4);
  Put16(config, 0x100, 0x0001);  // error reporting, then:
  Put16(config, 0x102, 1 | 0x148 << 4);
  Put16(config, 0x148, 0x000d);
  Put16(config, 0x14a, 1);
  Put16(config, 0x14e, acs);
  return config;
}

// What of `config` is there, as the kernel's attribute has it.
AcsRedirect AcsRedirectOf(const std::string& config) {
  return railgauge::AcsRedirectOf([&](size_t at) -> std::optional<uint16_t> {
    if (at + 2 > config.size()) return std::nullopt;
    const auto low = static_cast<uint8_t>(config[at]), high = static_cast<uint8_t>(config[at + 1]);
    return static_cast<uint16_t>(low | (high << 8));
  });
}

TEST(PciConfigTest, OnAndOff) {
  EXPECT_EQ(AcsRedirectOf(Bridge(6, 0x001d)), AcsRedirect::kOn);
  EXPECT_EQ(AcsRedirectOf(Bridge(6, 0x0004)), AcsRedirect::kOn) << "requests";
  EXPECT_EQ(AcsRedirectOf(Bridge(4, 0x0008)), AcsRedirect::kOn) << "completions";
  EXPECT_EQ(AcsRedirectOf(Bridge(6, 0)), AcsRedirect::kOff);
  EXPECT_EQ(AcsRedirectOf(Bridge(6, 0x0013)), AcsRedirect::kOff) << "validates, forwards upstream";
}

TEST(PciConfigTest, UnreadableIsNotOff) {
  EXPECT_EQ(AcsRedirectOf(Bridge(6, 0).substr(0, 64)), AcsRedirect::kUnreadable);
  EXPECT_EQ(AcsRedirectOf(Bridge(6, 0x1d).substr(0, 256)), AcsRedirect::kUnreadable);
  EXPECT_EQ(AcsRedirectOf(""), AcsRedirect::kUnreadable);
}

TEST(PciConfigTest, WhatCannotRedirectIsOff) {
  EXPECT_EQ(AcsRedirectOf(Bridge(5, 0x1d)), AcsRedirect::kOff) << "an upstream port";
  EXPECT_EQ(AcsRedirectOf(Bridge(5, 0).substr(0, 256)), AcsRedirect::kOff);
  std::string conventional = Bridge(6, 0x1d);
  Put16(conventional, 0x06, 0);
  EXPECT_EQ(AcsRedirectOf(conventional), AcsRedirect::kOff) << "no capabilities";
  std::string without = Bridge(6, 0x1d);
  Put16(without, 0x102, 1);
  EXPECT_EQ(AcsRedirectOf(without), AcsRedirect::kOff) << "the chain ends before it";
}

// A device that is gone answers with ones; a broken chain may point to itself.
TEST(PciConfigTest, AnyBytesEnd) {
  for (const size_t size : {size_t{256}, size_t{4096}}) {
    EXPECT_EQ(AcsRedirectOf(std::string(size, '\xff')), AcsRedirect::kOff) << size;
    EXPECT_EQ(AcsRedirectOf(std::string(size, '\0')), AcsRedirect::kOff) << size;
  }
  std::string loop = Bridge(6, 0x1d);
  Put16(loop, 0x50, 0x5001);
  EXPECT_EQ(AcsRedirectOf(loop), AcsRedirect::kOff);
  loop = Bridge(6, 0x1d);
  Put16(loop, 0x102, 1 | 0x100 << 4);
  EXPECT_EQ(AcsRedirectOf(loop), AcsRedirect::kOff);
}

}  // namespace
}  // namespace railgauge
