#include "lib/emulator/device/fault_state.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge::efa {
namespace {

using Kind = EmulatedNicFault::Kind;

constexpr SimTime kSecond = ToSimTime(Nanoseconds(1'000'000'000));

TEST(FaultStateTest, AHealthyDeviceDrawsNothing) {
  FaultState healthy({}, 1);
  healthy.OnOpened(5);
  EXPECT_FALSE(healthy.IsSilent(kSecond));
  EXPECT_FALSE(healthy.IsRemoved(kSecond));
  EXPECT_FALSE(healthy.CompletionError(kSecond).has_value());
  EXPECT_EQ(healthy.Retransmitted(1'000'000, kSecond), 0u);
  EXPECT_EQ(healthy.NextStart(0), kNever);
  EXPECT_EQ(healthy.Show({.tx_bytes = 7}, {}, kSecond).tx_bytes, 7u);
}

TEST(FaultStateTest, AStartCountsFromTheOpening) {
  FaultState faults({{.kind = Kind::kStopCompleting, .start = std::chrono::seconds(2)}}, 1);
  EXPECT_FALSE(faults.IsSilent(100 * kSecond));  // not opened
  faults.OnOpened(10 * kSecond);
  faults.OnOpened(11 * kSecond);  // a second process: it is open already
  EXPECT_FALSE(faults.IsSilent(12 * kSecond - 1));
  EXPECT_TRUE(faults.IsSilent(12 * kSecond));
  EXPECT_EQ(faults.NextStart(10 * kSecond), 12 * kSecond);
  EXPECT_EQ(faults.NextStart(12 * kSecond), kNever);
}

TEST(FaultStateTest, TheSameSeedGivesTheSameRun) {
  const std::vector<EmulatedNicFault> errors = {
      {.kind = Kind::kCompletionErrors, .amount = 0.1, .code = 13}};
  const auto run = [&](uint64_t seed) {
    FaultState faults(errors, seed);
    std::vector<bool> strikes;
    for (int i = 0; i < 1000; ++i) strikes.push_back(faults.CompletionError(0).has_value());
    return strikes;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  const auto strikes = run(3);
  const auto count = std::count(strikes.begin(), strikes.end(), true);
  EXPECT_GT(count, 60);
  EXPECT_LT(count, 140);
}

TEST(FaultStateTest, SharesOfPackets) {
  FaultState faults(
      {{.kind = Kind::kRetransmissions, .amount = 0.01}, {.kind = Kind::kDrops, .amount = 1}}, 1);
  const uint64_t again = faults.Retransmitted(1'000'000, 0);
  EXPECT_NEAR(static_cast<double>(again), 10'000, 500);
  EXPECT_EQ(faults.Dropped(17, 0), 17u);
  EXPECT_EQ(faults.Dropped(0, 0), 0u);
}

TEST(FaultStateTest, ForeignTrafficCountsWithTime) {
  FaultState faults({{.kind = Kind::kForeignTraffic, .amount = 3e9}}, 1);
  EmulatedNicModel model;
  model.rdma_write = true;
  model.mtu = 1000;
  // Counters only grow, also when the device is opened.
  EXPECT_EQ(faults.Show({}, model, kSecond).tx_bytes, 3'000'000'000u);
  faults.OnOpened(kSecond);
  const DeviceStats shown = faults.Show({}, model, 2 * kSecond);
  EXPECT_EQ(shown.tx_bytes, 6'000'000'000u);
  EXPECT_EQ(shown.rx_bytes, 6'000'000'000u);
  EXPECT_EQ(shown.rdma_write_recv_bytes, 6'000'000'000u);
  EXPECT_EQ(shown.tx_pkts, 6'000'000u);
  // What has passed stays counted when it ends.
  faults.Set({}, 2 * kSecond);
  EXPECT_EQ(faults.Show({}, model, 5 * kSecond).tx_bytes, 6'000'000'000u);
  EXPECT_FALSE(faults.CountersMove(5 * kSecond));
}

TEST(FaultStateTest, StuckCountersKeepWhatTheyFirstShowed) {
  FaultState faults({{.kind = Kind::kCountersStuck, .start = std::chrono::seconds(1)}}, 1);
  faults.OnOpened(0);
  EXPECT_EQ(faults.Show({.tx_bytes = 1}, {}, kSecond / 2).tx_bytes, 1u);
  EXPECT_EQ(faults.Show({.tx_bytes = 2}, {}, kSecond).tx_bytes, 2u);
  EXPECT_EQ(faults.Show({.tx_bytes = 3}, {}, 2 * kSecond).tx_bytes, 2u);
  faults.Set({}, 2 * kSecond);
  EXPECT_EQ(faults.Show({.tx_bytes = 3}, {}, 2 * kSecond).tx_bytes, 3u);
}

TEST(FaultStateTest, WhatIsRemovedDoesNotComeBack) {
  FaultState faults({{.kind = Kind::kRemoved}}, 1);
  faults.OnOpened(kSecond);
  faults.Set({}, 2 * kSecond);
  EXPECT_TRUE(faults.IsRemoved(2 * kSecond));
}

}  // namespace
}  // namespace railgauge::efa
