#include "lib/emulator/device/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

constexpr EmulatedTiming kNoisy{.latency_spread = Nanoseconds(3'000),
                                .jitter = 0.1,
                                .drift_amplitude = 0.2,
                                .drift_period = Nanoseconds(2'000'000),
                                .spike_probability = 0.01,
                                .spike_length = Nanoseconds(200'000)};
constexpr uint64_t kSeed = 42;

TEST(MessageNoiseTest, IsAsWideAsItsParameters) {
  const MessageNoise noise(kNoisy, kSeed, 1);
  constexpr int kMessages = 100'000;
  double latency = 0, occupancy = 0;
  int spikes = 0;
  for (uint64_t i = 0; i < kMessages; ++i) {
    MessageNoise::Effect effect = noise.Of(i);
    if (effect.latency >= ToSimTime(kNoisy.spike_length)) {
      ++spikes;
      effect.latency -= ToSimTime(kNoisy.spike_length);
    }
    EXPECT_GE(effect.latency, 0);
    EXPECT_LE(effect.latency, 10 * ToSimTime(kNoisy.latency_spread));
    EXPECT_GE(effect.occupancy, 1);
    EXPECT_LT(effect.occupancy, 1.1);
    latency += static_cast<double>(effect.latency);
    occupancy += effect.occupancy;
  }
  EXPECT_NEAR(latency / kMessages / static_cast<double>(ToSimTime(kNoisy.latency_spread)), 1, 0.02);
  EXPECT_NEAR(occupancy / kMessages, 1.05, 0.001);
  EXPECT_NEAR(spikes, kMessages * 0.01, 150);
}

TEST(MessageNoiseTest, DependsOnSeedNicAndMessageAlone) {
  const MessageNoise noise(kNoisy, kSeed, 1), same(kNoisy, kSeed, 1);
  const MessageNoise other_nic(kNoisy, kSeed, 2), other(kNoisy, kSeed + 1, 1);
  int equal = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(noise.Of(i).latency, same.Of(i).latency);
    EXPECT_EQ(noise.Of(i).occupancy, same.Of(i).occupancy);
    equal += noise.Of(i).latency == noise.Of(i + 1).latency;
    equal += noise.Of(i).latency == other_nic.Of(i).latency;
    equal += noise.Of(i).latency == other.Of(i).latency;
  }
  EXPECT_LT(equal, 5);
}

TEST(MessageNoiseTest, NoneIsNone) {
  const MessageNoise noise(EmulatedTiming{}, kSeed, 1);
  EXPECT_EQ(noise.Of(7).latency, 0);
  EXPECT_EQ(noise.Of(7).occupancy, 1);
}

struct Finished {
  Nanoseconds time;
  int flow;
  uint16_t request;
  friend bool operator==(const Finished&, const Finished&) = default;
};

// Two flows over one link, a window of reads each, in simulated time.
std::vector<Finished> Simulate(const EmulatedTiming& timing, uint32_t bytes, Nanoseconds duration,
                               uint64_t seed = kSeed) {
  EmulatedMachine machine = MakeTestMachine();
  machine.timing = timing;
  machine.seed = seed;
  TestFabric rig(machine);
  rig.copy = [](void*, const void*, size_t) { return CopyOutcome::kDone; };
  TestEnd::Options options;
  options.bytes = bytes;
  options.qp.sq_depth = 64;
  options.cq.depth = 128;
  options.place = kNode1;
  std::vector<std::unique_ptr<TestEnd>> ends;
  for (const PciAddress& nic : {kNicA, kNicB}) {
    ends.push_back(std::make_unique<TestEnd>(rig, nic, options));
  }
  options.place = kNode0;
  TestEnd target(rig, kNicC, options);
  std::vector<uint16_t> handles, next_request(2, 0);
  for (const auto& end : ends) handles.push_back(end->Meet(target));
  const auto post = [&](size_t flow, int count) {
    for (int i = 0; i < count; ++i) {
      ends[flow]->qp.Post(MakeRdma(SendOp::kRdmaRead, *ends[flow], handles[flow], target, bytes,
                                   next_request[flow]++));
    }
    if (count > 0) ends[flow]->qp.RingSend();
  };
  const Nanoseconds start = rig.now();
  std::vector<Finished> finished;
  for (size_t flow = 0; flow < ends.size(); ++flow) post(flow, 64);
  while (rig.now() < start + duration) {
    const auto next = rig.Poll();
    for (size_t flow = 0; flow < ends.size(); ++flow) {
      int done = 0;
      while (const auto completion = ends[flow]->send_cq.Poll()) {
        finished.push_back({rig.now() - start, static_cast<int>(flow), completion->common.req_id});
        ++done;
      }
      post(flow, done);
    }
    if (next && *next > rig.now()) rig.Advance(*next - rig.now());
  }
  return finished;
}

constexpr Nanoseconds kRun{5'000'000};

TEST(NoisyRunTest, TheSameSeedIsTheSameRun) {
  const std::vector<Finished> first = Simulate(kNoisy, 16 * 1024, kRun);
  EXPECT_GT(first.size(), 1000u);
  EXPECT_TRUE(first == Simulate(kNoisy, 16 * 1024, kRun));
  EXPECT_FALSE(first == Simulate(kNoisy, 16 * 1024, kRun, kSeed + 1));
}

int CountOvertakers(const std::vector<Finished>& finished) {
  int count = 0;
  int newest = -1;
  for (const Finished& message : finished) {
    if (message.flow != 0) continue;
    count += message.request < newest;
    newest = std::max<int>(newest, message.request);
  }
  return count;
}

TEST(NoisyRunTest, MessagesOfOneQueuePairOvertakeEachOther) {
  EXPECT_EQ(CountOvertakers(Simulate(EmulatedTiming{}, 4096, Nanoseconds(1'000'000))), 0);
  EmulatedTiming spread;
  spread.latency_spread = Nanoseconds(500);
  EXPECT_GT(CountOvertakers(Simulate(spread, 4096, Nanoseconds(1'000'000))), 50);
}

double RateOf(const std::vector<Finished>& finished, uint32_t bytes, Nanoseconds begin,
              Nanoseconds end) {
  const auto inside = [&](const Finished& f) { return f.time >= begin && f.time < end; };
  const auto count = std::count_if(finished.begin(), finished.end(), inside);
  return static_cast<double>(count) * bytes / (static_cast<double>((end - begin).count()) * 1e-9);
}

TEST(NoisyRunTest, CapacitiesSwingBelowThemselves) {
  EmulatedTiming drift;
  drift.drift_amplitude = 0.2;
  drift.drift_period = Nanoseconds(4'000'000);
  constexpr uint32_t kBytes = 4096;
  const std::vector<Finished> finished = Simulate(drift, kBytes, Nanoseconds(10'000'000));
  double least = 1, most = 0;
  for (Nanoseconds begin{1'000'000}; begin < Nanoseconds(9'000'000); begin += kRun / 50) {
    const double rate = RateOf(finished, kBytes, begin, begin + kRun / 50) / kSocketLinkRate;
    least = std::min(least, rate);
    most = std::max(most, rate);
  }
  EXPECT_NEAR(least, 0.8, 0.02);
  EXPECT_NEAR(most, 1, 0.01);
  const double mean =
      RateOf(finished, kBytes, Nanoseconds(1'000'000), Nanoseconds(9'000'000)) / kSocketLinkRate;
  EXPECT_NEAR(mean, 0.9, 0.01);
}

TEST(NoisyRunTest, JitterTakesItsMeanOfTheRate) {
  EmulatedTiming jitter;
  jitter.jitter = 0.1;
  const std::vector<Finished> finished = Simulate(jitter, 4096, kRun);
  EXPECT_NEAR(RateOf(finished, 4096, kRun / 5, kRun) / kSocketLinkRate, 1 / 1.05, 0.01);
}

TEST(NoisyRunTest, WithoutPacingNothingTakesTimeAndAllIsCopied) {
  EmulatedMachine machine = MakeTestMachine();
  machine.timing = kNoisy;
  machine.timing.pacing = false;
  TestFabric rig(machine);
  TestEnd::Options options;
  options.bytes = 1024 * 1024;
  TestEnd initiator(rig, kNicA, options), target(rig, kNicB, options);
  const uint16_t ah = initiator.Meet(target);
  const Nanoseconds start = rig.now();
  for (uint32_t round = 0; round < 40; ++round) {
    target.memory.Fill(round);
    for (int i = 0; i < 3; ++i) {
      initiator.qp.Post(MakeRdma(SendOp::kRdmaRead, initiator, ah, target, 1024 * 1024));
    }
    initiator.qp.RingSend();
    while (rig.Poll()) {
    }
    for (int i = 0; i < 3; ++i) initiator.ExpectSendCompletion();
    ASSERT_TRUE(initiator.memory.IsFilled(round, 0, 1024 * 1024));
  }
  EXPECT_EQ(rig.now(), start);
}

}  // namespace
}  // namespace railgauge::efa
