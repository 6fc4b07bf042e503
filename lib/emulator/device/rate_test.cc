// Throughput in simulated time: a window of requests that each completion refills, as a benchmark
// does, must run at the rate of its slowest resource.
#include <gtest/gtest.h>

#include <tuple>

#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {
namespace {

// One initiator that keeps `depth` requests in flight.
class Flow {
 public:
  Flow(TestFabric& rig, SendOp op, const PciAddress& nic, const MemoryPlace& place,
       const PciAddress& partner, const MemoryPlace& partner_place, uint32_t bytes, uint32_t depth)
      : op_(op),
        bytes_(bytes),
        depth_(depth),
        initiator_(rig, nic, Options(place, bytes)),
        target_(rig, partner, Options(partner_place, bytes)),
        ah_(initiator_.Meet(target_)) {}

  void Start() { Post(depth_); }

  // Reaps and refills.
  void Step() {
    uint32_t done = 0;
    while (const auto completion = initiator_.send_cq.Poll()) {
      ASSERT_EQ(completion->status(), CompletionStatus::kOk);
      ++done;
    }
    completed_bytes_ += uint64_t{done} * bytes_;
    Post(done);
  }

  uint64_t completed_bytes() const { return completed_bytes_; }

 private:
  static TestEnd::Options Options(const MemoryPlace& place, uint32_t bytes) {
    TestEnd::Options options;
    options.place = place;
    options.bytes = bytes;
    options.qp.sq_depth = 128;
    options.cq.depth = 256;
    return options;
  }

  void Post(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      initiator_.qp.Post(MakeRdma(op_, initiator_, ah_, target_, bytes_));
    }
    if (count > 0) initiator_.qp.RingSend();
  }

  SendOp op_;
  uint32_t bytes_, depth_;
  TestEnd initiator_, target_;
  uint16_t ah_;
  uint64_t completed_bytes_ = 0;
};

// Bytes per second of each flow over a window after 2 ms, when all run together. Payload is not
// copied: only time is of interest, and 250 MB per test are slow under sanitizers.
std::vector<double> Measure(TestFabric& rig, const std::vector<std::unique_ptr<Flow>>& flows,
                            Nanoseconds window) {
  rig.copy = [](void*, const void*, size_t) { return CopyOutcome::kDone; };
  const auto run_until = [&](Nanoseconds end) {
    while (true) {
      const auto next = rig.Poll();
      for (const auto& flow : flows) flow->Step();
      if (!next.has_value()) continue;  // all was refilled
      if (*next > end) return;
      if (*next > rig.now()) rig.Advance(*next - rig.now());
    }
  };
  for (const auto& flow : flows) flow->Start();
  const Nanoseconds start = rig.now() + Nanoseconds(2'000'000);
  run_until(start);
  std::vector<uint64_t> before;
  for (const auto& flow : flows) before.push_back(flow->completed_bytes());
  run_until(start + window);
  std::vector<double> rates;
  for (size_t i = 0; i < flows.size(); ++i) {
    rates.push_back(static_cast<double>(flows[i]->completed_bytes() - before[i]) /
                    (static_cast<double>(window.count()) * 1e-9));
  }
  return rates;
}

constexpr double kTolerance = 0.005;

// Enough completions for the tolerance to be more than one of them.
Nanoseconds WindowFor(uint32_t bytes) {
  return Nanoseconds(bytes < 65536 ? 4'000'000 : 50'000'000);
}
uint32_t DepthFor(uint32_t bytes) { return bytes < 65536 ? 128 : 16; }

struct Case {
  MemoryPlace place, partner_place;
  double to_rate;  // of a READ, which brings data from the partner's place to `place`
};

class RateTest : public testing::TestWithParam<std::tuple<Case, uint32_t, SendOp>> {};

TEST_P(RateTest, OneFlowRunsAtItsSlowestResource) {
  const auto& [c, bytes, op] = GetParam();
  TestFabric rig;
  std::vector<std::unique_ptr<Flow>> flows;
  flows.push_back(std::make_unique<Flow>(rig, op, kNicA, c.place, kNicB, c.partner_place, bytes,
                                         DepthFor(bytes)));
  EXPECT_NEAR(Measure(rig, flows, WindowFor(bytes))[0] / c.to_rate, 1, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Paths, RateTest,
                         testing::Combine(testing::Values(Case{kNode0, kNode0, kLineRate},
                                                          Case{kNode1, kNode0, kSocketLinkRate},
                                                          Case{kNode0, kNode1, kSocketLinkRate},
                                                          Case{kGpuPlace, kNode0, kGpuRate},
                                                          Case{kGpuPlace, kNode1, kSocketLinkRate}),
                                          testing::Values(4096u, 1024u * 1024),
                                          testing::Values(SendOp::kRdmaRead, SendOp::kRdmaWrite)));

class SharedRateTest : public testing::TestWithParam<uint32_t> {};

TEST_P(SharedRateTest, TwoFlowsShareOneResource) {
  const uint32_t bytes = GetParam();
  const uint32_t depth = DepthFor(bytes);
  TestFabric rig;
  std::vector<std::unique_ptr<Flow>> flows;
  // Both bring data to node 1, across the link between the sockets.
  flows.push_back(
      std::make_unique<Flow>(rig, SendOp::kRdmaRead, kNicA, kNode1, kNicC, kNode0, bytes, depth));
  flows.push_back(
      std::make_unique<Flow>(rig, SendOp::kRdmaWrite, kNicC, kNode0, kNicB, kNode1, bytes, depth));
  const std::vector<double> rates = Measure(rig, flows, WindowFor(bytes));
  EXPECT_NEAR((rates[0] + rates[1]) / kSocketLinkRate, 1, kTolerance);
  EXPECT_NEAR(rates[0] / rates[1], 1, 2 * kTolerance);
}

TEST_P(SharedRateTest, DirectionsAreIndependent) {
  const uint32_t bytes = GetParam();
  const uint32_t depth = DepthFor(bytes);
  TestFabric rig;
  std::vector<std::unique_ptr<Flow>> flows;
  flows.push_back(
      std::make_unique<Flow>(rig, SendOp::kRdmaRead, kNicA, kNode0, kNicB, kNode0, bytes, depth));
  flows.push_back(
      std::make_unique<Flow>(rig, SendOp::kRdmaWrite, kNicA, kNode0, kNicB, kNode0, bytes, depth));
  const std::vector<double> rates = Measure(rig, flows, WindowFor(bytes));
  EXPECT_NEAR(rates[0] / kLineRate, 1, kTolerance);
  EXPECT_NEAR(rates[1] / kLineRate, 1, kTolerance);
}

TEST_P(SharedRateTest, FlowsOfDifferentResourcesDoNotSlowEachOther) {
  const uint32_t bytes = GetParam();
  const uint32_t depth = DepthFor(bytes);
  TestFabric rig;
  std::vector<std::unique_ptr<Flow>> flows;
  flows.push_back(
      std::make_unique<Flow>(rig, SendOp::kRdmaRead, kNicA, kNode1, kNicB, kNode0, bytes, depth));
  flows.push_back(std::make_unique<Flow>(rig, SendOp::kRdmaRead, kNicB, kGpuPlace, kNicC, kNode0,
                                         bytes, depth));
  const std::vector<double> rates = Measure(rig, flows, WindowFor(bytes));
  EXPECT_NEAR(rates[0] / kSocketLinkRate, 1, kTolerance);
  EXPECT_NEAR(rates[1] / kGpuRate, 1, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SharedRateTest, testing::Values(4096u, 1024u * 1024));

TEST(FairnessTest, NeitherSizeNorDepthCounts) {
  constexpr uint32_t kKiB = 1024;
  TestFabric rig;
  std::vector<std::unique_ptr<Flow>> flows;
  flows.push_back(
      std::make_unique<Flow>(rig, SendOp::kRdmaRead, kNicA, kNode1, kNicC, kNode0, 64 * kKiB, 4));
  flows.push_back(std::make_unique<Flow>(rig, SendOp::kRdmaWrite, kNicC, kNode0, kNicB, kNode1,
                                         1024 * kKiB, 32));
  // A second queue pair of A: a flow of its own.
  flows.push_back(
      std::make_unique<Flow>(rig, SendOp::kRdmaRead, kNicA, kNode1, kNicB, kNode0, 16 * kKiB, 128));
  const std::vector<double> rates = Measure(rig, flows, WindowFor(1024 * kKiB));
  for (const double rate : rates) EXPECT_NEAR(rate * 3 / kSocketLinkRate, 1, 0.01);
}

TEST(FairnessTest, WhatOneCannotUseGoesToTheOthers) {
  EmulatedMachine machine = MakeTestMachine();
  constexpr double kSlow = 1.5e9;
  machine.resources[machine.PathOf(kNicC, kNode0, Direction::kFromMemory).resources[0]].capacity =
      BytesPerSecond{kSlow};
  TestFabric rig(machine);
  std::vector<std::unique_ptr<Flow>> flows;
  for (const PciAddress& nic : {kNicA, kNicB}) {
    flows.push_back(
        std::make_unique<Flow>(rig, SendOp::kRdmaRead, nic, kNode1, nic, kNode0, 1024 * 1024, 16));
  }
  flows.push_back(std::make_unique<Flow>(rig, SendOp::kRdmaWrite, kNicC, kNode0, kNicC, kNode1,
                                         64 * 1024, 128));
  const std::vector<double> rates = Measure(rig, flows, WindowFor(1024 * 1024));
  EXPECT_NEAR(rates[2] / kSlow, 1, 0.01);
  EXPECT_NEAR(rates[0] / ((kSocketLinkRate - kSlow) / 2), 1, 0.01);
  EXPECT_NEAR(rates[1] / ((kSocketLinkRate - kSlow) / 2), 1, 0.01);
}

TEST(FairnessTest, OnlyWhatCrossesTheLinkSharesIt) {
  TestFabric rig;
  std::vector<std::unique_ptr<Flow>> flows;
  // Of A, one flow crosses the link and one does not.
  for (const auto& [nic, partner, place] :
       {std::tuple{kNicA, kNicC, kNode1}, {kNicC, kNicA, kNode1}, {kNicB, kNicB, kGpuPlace}}) {
    flows.push_back(std::make_unique<Flow>(rig, SendOp::kRdmaRead, nic, place, partner, kNode0,
                                           1024 * 1024, 16));
  }
  flows.push_back(std::make_unique<Flow>(rig, SendOp::kRdmaRead, kNicA, kNode0, kNicA, kNode0,
                                         1024 * 1024, 16));
  const std::vector<double> rates = Measure(rig, flows, WindowFor(1024 * 1024));
  EXPECT_NEAR(rates[0] / (kSocketLinkRate / 2), 1, 0.01);
  EXPECT_NEAR(rates[1] / (kSocketLinkRate / 2), 1, 0.01);
  EXPECT_NEAR(rates[2] / kGpuRate, 1, 0.01);
  EXPECT_NEAR(rates[3] / (kLineRate - kSocketLinkRate / 2), 1, 0.01);
}

TEST(LatencyTest, CompletionsComeInOrderOfTimeNotOfPosting) {
  // A slow path first, then a fast one: the second overtakes.
  TestFabric rig;
  TestEnd::Options options;
  options.bytes = 1024 * 1024;
  TestEnd initiator(rig, kNicA, options);
  TestEnd target(rig, kNicB, options);
  options.place = kNode1;
  TestEnd far(rig, kNicC, options);
  const uint16_t to_far = initiator.Meet(far);
  const uint16_t to_target = initiator.Meet(target);
  initiator.qp.Post(MakeRdma(SendOp::kRdmaRead, initiator, to_far, far, 1024 * 1024, 1));
  initiator.qp.PostAndRing(MakeRdma(SendOp::kRdmaRead, initiator, to_target, target, 8, 2));
  rig.RunUntilIdle();
  EXPECT_EQ(initiator.ExpectSendCompletion().common.req_id, 2);
  EXPECT_EQ(initiator.ExpectSendCompletion().common.req_id, 1);
}

}  // namespace
}  // namespace railgauge::efa
