#include "lib/measure/peer_service.h"

#include <random>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// What a service answers where there is no device: failures in words, never an abort. What it runs
// is tested on two emulated machines.
class PeerServiceTest : public testing::Test {
 protected:
  template <typename Answer, typename Request>
  Result<Answer> Ask(const Request& request) {
    return DecodeAnswer<Answer>(service_.Answer(Encode(request)));
  }

  const Machine machine_ = MakeP5();
  const CudaDriver cuda_ = CudaDriver::Absent("no CUDA driver here");
  std::atomic<bool> gone_{false};
  PeerService service_{machine_, cuda_, gone_};
  const PciAddress nic_ = machine_.nics[0].position.address;
};

TEST_F(PeerServiceTest, DescribesTheMachine) {
  const auto description = Ask<Description>(DescribeRequest{});
  ASSERT_TRUE(description) << description.error().ToString();
  ASSERT_EQ(description->nics.size(), 32u);
  EXPECT_EQ(description->nics[0].address, nic_);
  EXPECT_EQ(description->nics[0].place, MemoryPlace::NumaNode(0));
  EXPECT_EQ(description->nics[31].place, MemoryPlace::NumaNode(1));
}

TEST_F(PeerServiceTest, WhatIsNotThereIsNamed) {
  EXPECT_EQ(Ask<Opened>(OpenRequest{PciAddress{9, 9, 9, 1}, 4, 64}).error().ToString(),
            "serve peer 0009:09:09.1: this machine has no such EFA NIC");
  EXPECT_EQ(Ask<Registered>(RegisterRequest{nic_, MemoryPlace::NumaNode(0)}).error().reason,
            "it was not opened");
}

TEST_F(PeerServiceTest, NumbersOutOfRangeAreRefused) {
  for (const auto& [pairs, depth] : {std::pair{0u, 64u}, {65u, 128u}, {4u, 3u}, {4u, 1u << 20}}) {
    EXPECT_FALSE(Ask<Opened>(OpenRequest{nic_, pairs, depth}));
  }
  const MemoryPlace node = MemoryPlace::NumaNode(0);
  for (const auto& [offset, length] :
       {std::pair<uint64_t, uint64_t>{0, 1}, {UINT64_MAX, 1}, {1, UINT64_MAX}}) {
    EXPECT_FALSE(Ask<Done>(FillRequest{node, 1, offset, length}));
    EXPECT_FALSE(Ask<Verified>(VerifyRequest{node, 1, offset, length}));
  }
  const MemoryPlace gpu = MemoryPlace::Gpu(machine_.gpus[0].position.address);
  EXPECT_FALSE(Ask<Done>(FillRequest{gpu, 1, 0, 1}));
  EXPECT_FALSE(Ask<Ran>(RunRequest{}));
}

TEST_F(PeerServiceTest, NoiseIsAnswered) {
  std::mt19937_64 random(20260103);
  for (int round = 0; round < 1000; ++round) {
    std::string noise(random() % 64, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    const auto answer = DecodeAnswer<Done>(service_.Answer(noise));
    ASSERT_FALSE(answer);
    ASSERT_EQ(answer.error().operation, "read message");
  }
}

}  // namespace
}  // namespace railgauge
