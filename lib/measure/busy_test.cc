#include "lib/measure/busy.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class BusyTest : public testing::Test {
 protected:
  void SetUp() override {
    sysfs_ = fs::path(testing::TempDir()) / "busy_sysfs";
    fs::remove_all(sysfs_);
    for (const NicKey& nic : nics_) {
      Write(nic.name, "tx_bytes", "1000\n");
      Write(nic.name, "rx_bytes", "1000\n");
    }
  }
  void Write(const std::string& device, const std::string& counter, const std::string& value) {
    const fs::path folder = sysfs_ / "class/infiniband" / device / "ports/1/hw_counters";
    fs::create_directories(folder);
    std::ofstream(folder / counter) << value;
  }
  // What is found when `meanwhile` happens between the readings.
  std::vector<BusyNic> Find(const std::function<void()>& meanwhile) {
    BusyOptions options;
    options.sysfs = sysfs_;
    options.wait = [&](Nanoseconds interval) {
      ++waits_;
      EXPECT_EQ(interval, options.interval);
      meanwhile();
    };
    return FindBusyNics(nics_, options);
  }

  const std::vector<NicKey> nics_ = {{*PciAddress::Parse("0000:4f:00.0"), "rdmap79s0"},
                                     {*PciAddress::Parse("0000:50:00.0"), "rdmap80s0"}};
  fs::path sysfs_;
  int waits_ = 0;
};

TEST_F(BusyTest, StillCountersAreNotBusy) {
  EXPECT_TRUE(Find([] {}).empty());
  EXPECT_EQ(waits_, 1);  // for all NICs together
}

TEST_F(BusyTest, TheCounterThatMovedMostIsNamed) {
  const auto busy = Find([&] {
    Write("rdmap80s0", "tx_bytes", "1001\n");
    Write("rdmap80s0", "rx_bytes", "4000\n");
  });
  ASSERT_EQ(busy.size(), 1u);
  EXPECT_EQ(busy[0].nic, nics_[1]);
  EXPECT_EQ(busy[0].counter, "rx_bytes");
  EXPECT_EQ(busy[0].bytes, 3000u);
  EXPECT_GT(busy[0].interval.count(), 0);
}

TEST_F(BusyTest, AllOfThemAreFoundByAnyCounter) {
  Write("rdmap79s0", "rdma_write_recv_bytes", "0\n");
  const auto busy = Find([&] {
    Write("rdmap79s0", "rdma_write_recv_bytes", "8\n");
    Write("rdmap80s0", "tx_bytes", "1064\n");
  });
  ASSERT_EQ(busy.size(), 2u);
  EXPECT_EQ(busy[0].counter, "rdma_write_recv_bytes");
  EXPECT_EQ(busy[1].counter, "tx_bytes");
}

TEST_F(BusyTest, ACounterThatWraps) {
  Write("rdmap79s0", "tx_bytes", "18446744073709551615\n");
  const auto busy = Find([&] { Write("rdmap79s0", "tx_bytes", "9\n"); });
  ASSERT_EQ(busy.size(), 1u);
  EXPECT_EQ(busy[0].bytes, 10u);
}

TEST_F(BusyTest, WhatCannotBeReadIsNotBusy) {
  fs::remove_all(sysfs_ / "class/infiniband/rdmap79s0");
  EXPECT_TRUE(Find([&] { Write("rdmap80s0", "tx_bytes", "no number\n"); }).empty());
  EXPECT_TRUE(Find([&] { Write("rdmap79s0", "tx_bytes", "5\n"); }).empty()) << "only a start";
}

TEST(BusyNicTest, SaysHowMuchInWhatTime) {
  const BusyNic busy = {{*PciAddress::Parse("0000:4f:00.0"), "rdmap79s0"},
                        "rx_bytes",
                        60'000'000,
                        std::chrono::milliseconds{30}};
  EXPECT_EQ(busy.ToString(), "0000:4f:00.0 (rdmap79s0): 60000000 rx_bytes in 30.0 ms");
}

}  // namespace
}  // namespace railgauge
