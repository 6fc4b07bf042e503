#include "lib/measure/counters.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class ReadDeviceCountersTest : public testing::Test {
 protected:
  void SetUp() override {
    sysfs_ = fs::path(testing::TempDir()) / "counters_sysfs";
    fs::remove_all(sysfs_);
    folder_ = sysfs_ / "class/infiniband/rdmap79s0/ports/1/hw_counters";
    fs::create_directories(folder_);
  }
  void Write(const std::string& name, const std::string& value) {
    std::ofstream(folder_ / name) << value;
  }
  fs::path sysfs_, folder_;
};

TEST_F(ReadDeviceCountersTest, ReadsTheCounters) {
  Write("rdma_read_bytes", "1\n");
  Write("rdma_read_resp_bytes", "2\n");
  Write("rdma_write_bytes", "3\n");
  Write("rdma_write_recv_bytes", "18446744073709551615\n");
  const auto bytes = ReadDeviceCounters("rdmap79s0", sysfs_);
  ASSERT_TRUE(bytes) << bytes.error().ToString();
  EXPECT_EQ(*bytes, (DeviceCounters{{1, 2, 3, ~uint64_t{0}}, 0, 0, {}, {}}));
  Write("send_bytes", "4\n");
  Write("recv_bytes", "5\n");
  Write("retrans_bytes", "0\n");
  Write("retrans_timeout_events", "7\n");
  EXPECT_EQ(*ReadDeviceCounters("rdmap79s0", sysfs_),
            (DeviceCounters{{1, 2, 3, ~uint64_t{0}}, 4, 5, 0, 7}));
}

TEST_F(ReadDeviceCountersTest, AnOlderDriverHasNoWriteCounters) {
  Write("rdma_read_bytes", "1\n");
  Write("rdma_read_resp_bytes", "2\n");
  EXPECT_EQ(*ReadDeviceCounters("rdmap79s0", sysfs_), (DeviceCounters{{1, 2, 0, 0}, 0, 0, {}, {}}));
}

TEST_F(ReadDeviceCountersTest, NoCountersAtAllAndNonsenseAreErrors) {
  const auto none = ReadDeviceCounters("rdmap79s0", sysfs_);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().ToString().find("rdma_read_bytes"), std::string::npos);
  Write("rdma_read_bytes", "12 bytes\n");
  const auto nonsense = ReadDeviceCounters("rdmap79s0", sysfs_);
  ASSERT_FALSE(nonsense);
  EXPECT_NE(nonsense.error().reason.find("no number"), std::string::npos);
}

TEST(RdmaBytesTest, EachOperationHasItsCounterOnEachSide) {
  RdmaBytes bytes;
  bytes.AddInitiated(Operation::kRead, 1);
  bytes.AddServed(Operation::kRead, 2);
  bytes.AddInitiated(Operation::kWrite, 3);
  bytes.AddServed(Operation::kWrite, 4);
  EXPECT_EQ(bytes, (RdmaBytes{1, 2, 3, 4}));
  EXPECT_EQ(bytes.Initiated(Operation::kRead), 1u);
  EXPECT_EQ(bytes.Initiated(Operation::kWrite), 3u);
  EXPECT_EQ((RdmaBytes{0, 1, 2, 3} - RdmaBytes{~uint64_t{0}, 1, 1, 0}), (RdmaBytes{1, 0, 1, 3}));
}

TEST(DeviceCountersTest, WhatOnlyOneReadingHasIsUnknown) {
  const DeviceCounters earlier = {{1, 0, 0, 0}, 2, 3, 4, std::nullopt};
  const DeviceCounters later = {{11, 0, 0, 0}, 22, 33, 44, 55};
  EXPECT_EQ(later - earlier, (DeviceCounters{{10, 0, 0, 0}, 20, 30, 40, std::nullopt}));
}

}  // namespace
}  // namespace railgauge
