#include "lib/emulator/device/copy_policy.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace railgauge::efa {
namespace {

constexpr uint64_t kLarge = 1024 * 1024;
constexpr SimTime kMillisecond = ToSimTime(Nanoseconds(1'000'000));

TEST(CopyPolicyTest, AHostThatIsAlwaysLateSamples) {
  CopyPolicy policy;
  for (SimTime t = 0; t <= 5; ++t) {
    policy.OnCopied(kLarge, t * kMillisecond - 1, t * kMillisecond);
    EXPECT_FALSE(policy.sampling()) << t;
  }
  policy.OnCopied(kLarge, 0, 6 * kMillisecond);
  EXPECT_TRUE(policy.sampling());
  policy.OnCopied(kLarge, 8 * kMillisecond, 7 * kMillisecond);
  EXPECT_TRUE(policy.sampling());  // until idle, and not for a moment only
  policy.OnIdle(8 * kMillisecond);
  policy.OnBusy(9 * kMillisecond - 1);
  EXPECT_TRUE(policy.sampling());
  policy.OnIdle(10 * kMillisecond);
  policy.OnBusy(11 * kMillisecond);
  EXPECT_FALSE(policy.sampling());
}

TEST(CopyPolicyTest, AHiccupDoesNot) {
  CopyPolicy policy;
  // One copy is very late, as after the poller was not scheduled for a while; then all is well.
  policy.OnCopied(kLarge, 0, 100 * kMillisecond);
  policy.OnCopied(kLarge, 102 * kMillisecond, 101 * kMillisecond);
  policy.OnCopied(kLarge, 0, 200 * kMillisecond);
  EXPECT_FALSE(policy.sampling());
}

TEST(CopyPolicyTest, SmallCopiesSayNothing) {
  CopyPolicy policy;
  for (SimTime t = 0; t < 100; ++t)
    policy.OnCopied(CopyPolicy::kAlwaysWholeBytes, 0, t * kMillisecond);
  EXPECT_FALSE(policy.sampling());
}

TEST(CopyPolicyTest, AQueueThatCannotBeCopiedInTimeIsSampledAtOnce) {
  CopyPolicy policy;
  policy.OnQueued(1000 * kLarge, 0, 0);
  EXPECT_FALSE(policy.sampling()) << "nothing is known of the host yet";
  policy.OnRate(kLarge, kMillisecond);
  policy.OnQueued(3 * kLarge, 4 * kMillisecond, 0);
  EXPECT_FALSE(policy.sampling()) << "6 ms with headroom: 2 ms late is bearable";
  policy.OnQueued(4 * kLarge, 4 * kMillisecond, 0);
  EXPECT_TRUE(policy.sampling());
}

TEST(CopyPolicyTest, APreemptedCopyIsNoRate) {
  CopyPolicy policy;
  policy.OnRate(kLarge, kMillisecond / 8);
  policy.OnRate(kLarge, kMillisecond);  // counts as 0.234 ms
  policy.OnQueued(4 * kLarge, 0, 0);
  EXPECT_FALSE(policy.sampling());
  policy.OnQueued(5 * kLarge, 0, 0);
  EXPECT_TRUE(policy.sampling());
}

std::vector<std::pair<uint64_t, uint64_t>> Samples(uint64_t begin, uint64_t length) {
  std::vector<std::pair<uint64_t, uint64_t>> samples;
  CopyPolicy::ForEachSample(begin, length, [&](uint64_t offset, uint64_t bytes) {
    samples.emplace_back(offset, bytes);
    return true;
  });
  return samples;
}

TEST(CopyPolicyTest, SamplesHeadTailAndBetween) {
  const auto samples = Samples(0, kLarge);
  ASSERT_EQ(samples.size(), 17u);
  EXPECT_EQ(samples.front(), std::pair(uint64_t{0}, uint64_t{4096}));
  EXPECT_EQ(samples[1], std::pair(uint64_t{65536}, uint64_t{64}));
  EXPECT_EQ(samples.back(), std::pair(kLarge - 4096, uint64_t{4096}));
}

TEST(CopyPolicyTest, SampledBytesIsAboutRight) {
  for (const uint64_t length :
       {uint64_t{1}, uint64_t{8192}, uint64_t{100'000}, kLarge, 64 * kLarge}) {
    uint64_t sum = 0;
    for (const auto& [offset, bytes] : Samples(0, length)) sum += bytes;
    EXPECT_NEAR(static_cast<double>(CopyPolicy::SampledBytes(length)), static_cast<double>(sum),
                128);
  }
}

TEST(CopyPolicyTest, SmallPayloadsAreWhole) {
  for (const uint64_t length : {1u, 64u, 4095u, 4096u, 4097u, 8192u}) {
    uint64_t next = 0;
    for (const auto& [offset, bytes] : Samples(0, length)) {
      EXPECT_EQ(offset, next);
      next += bytes;
    }
    EXPECT_EQ(next, length);
  }
}

TEST(CopyPolicyTest, SamplesAscendAndStayInside) {
  for (const uint64_t length : {8193u, 65535u, 65536u, 69632u, 69633u, 131072u, 200'001u}) {
    for (const uint64_t begin : {uint64_t{0}, uint64_t{1}, length / 2, length - 1}) {
      uint64_t end = begin;
      for (const auto& [offset, bytes] : Samples(begin, length)) {
        EXPECT_GE(offset, end);
        EXPECT_GT(bytes, 0u);
        end = offset + bytes;
      }
      EXPECT_EQ(end, length) << begin << " of " << length;  // the tail is always there
    }
  }
}

}  // namespace
}  // namespace railgauge::efa
