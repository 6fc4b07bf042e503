#include "lib/peer/host_port.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(HostPortTest, ReadsEverySpelling) {
  const struct {
    const char* text;
    const char* host;
    uint16_t port;
  } kCases[] = {
      {"node-7", "node-7", kDefaultPort},
      {"node-7:99", "node-7", 99},
      {"10.0.0.7", "10.0.0.7", 7245},
      {"10.0.0.7:0", "10.0.0.7", 0},
      {"::1", "::1", 7245},
      {"[::1]", "::1", 7245},
      {"[fe80::1%eth0]:65535", "fe80::1%eth0", 65535},
      {":7000", "", 7000},
      {"", "", 7245},
  };
  for (const auto& c : kCases) {
    const auto read = ParseHostPort(c.text, "--peer");
    ASSERT_TRUE(read) << c.text;
    EXPECT_EQ(*read, (HostPort{c.host, c.port})) << c.text;
  }
  EXPECT_EQ((HostPort{"::1", 7}).ToString(), "[::1]:7");
  EXPECT_EQ((HostPort{"a", 7}).ToString(), "a:7");
}

TEST(HostPortTest, RefusesWhatIsNone) {
  for (const char* text : {"a:", "a:x", "a:-1", "a:65536", "a:1x", "[::1", "[::1]7",
                           "[::1]:", "a b", "a/b", "http://a", "a\n"}) {
    const auto read = ParseHostPort(text, "--peer");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().operation, "read --peer");
  }
}

}  // namespace
}  // namespace railgauge
