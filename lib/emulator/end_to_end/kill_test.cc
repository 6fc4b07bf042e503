// SIGKILL at random moments, under traffic between two nodes: nobody hangs, nothing leaks, and data
// is right afterwards.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "lib/emulator/end_to_end/node_peer.h"
#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {
namespace {

constexpr int kKills = 100;
constexpr uint32_t kOk = 0, kUnresponsive = 13, kUnreachable = 15;  // efa_io_comp_status

uint32_t Seed() {
  const char* given = std::getenv("RAILGAUGE_KILL_SEED");
  const uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10))
                                         : std::random_device()();
  std::printf("seed %u (RAILGAUGE_KILL_SEED)\n", seed);
  return seed;
}

std::string WaitForStatus(const std::string& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::string now = FabricStatusText();
  while (now != wanted && std::chrono::steady_clock::now() < deadline) now = FabricStatusText();
  return now;
}

class KillTest : public testing::Test {
 protected:
  KillTest() { StartMissing(); }

  void StartMissing() {
    const std::string& nic = Scenario().nics[0].name;
    if (!peers_[0]) peers_[0] = std::make_unique<NodePeer>(nic);
    if (!peers_[1]) peers_[1] = spawner_.Spawn(nic);
    ASSERT_TRUE(Introduce(*peers_[0], *peers_[1]));
  }

  // One round: traffic both ways, a kill, and what the survivor says.
  void KillOne(uint32_t random) {
    PeerCommand command;
    command.kind = PeerCommand::Kind::kTraffic;
    command.seed = random;
    for (const auto& peer : peers_) peer->Tell(command);
    constexpr uint32_t kMostMicroseconds = 10'000;
    std::this_thread::sleep_for(std::chrono::microseconds(random % kMostMicroseconds));
    const size_t victim = (random >> 16) % 2;
    peers_[victim]->Kill();
    // Long enough for the survivor to meet it: failures end its traffic.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    command.kind = PeerCommand::Kind::kStop;
    const auto report = peers_[1 - victim]->Ask(command);
    ASSERT_TRUE(report.has_value()) << "the survivor hangs";
    EXPECT_EQ(report->lost, 0u);
    for (uint32_t status = 0; status < report->vendor_errors.size(); ++status) {
      if (status == kOk || status == kUnresponsive || status == kUnreachable) {
        completed_[status] += report->vendor_errors[status];
      } else {
        EXPECT_EQ(report->vendor_errors[status], 0u) << "status " << status;
      }
    }
    peers_[victim].reset();
  }

  bool Move(PeerOp op, size_t from, PeerPlace local, PeerPlace remote) {
    PeerCommand command;
    command.kind = PeerCommand::Kind::kFill;
    command.seed = ++fills_;
    command.length = kPeerBytes;
    const size_t source = op == PeerOp::kRead ? 1 - from : from;
    command.place = op == PeerOp::kRead ? remote : local;
    const auto filled = peers_[source]->Ask(command);
    PeerCommand transfer = command;
    transfer.kind = PeerCommand::Kind::kTransfer;
    transfer.op = op;
    transfer.place = local;
    transfer.remote_place = remote;
    const auto moved = peers_[from]->Ask(transfer);
    command.kind = PeerCommand::Kind::kCheck;
    command.place = op == PeerOp::kRead ? local : remote;
    const auto checked = peers_[1 - source]->Ask(command);
    return filled && filled->ok && moved && moved->ok && checked && checked->ok;
  }

  NodeSpawner spawner_{1};
  const std::string initial_status_ = FabricStatusText();
  std::unique_ptr<NodePeer> peers_[2];
  uint64_t completed_[16] = {};
  uint32_t fills_ = 0;
};

TEST_F(KillTest, AHundredTimes) {
  std::mt19937 random(Seed());
  for (int round = 0; round < kKills; ++round) {
    SCOPED_TRACE("kill " + std::to_string(round));
    ASSERT_NO_FATAL_FAILURE(KillOne(static_cast<uint32_t>(random())));
    ASSERT_NO_FATAL_FAILURE(StartMissing());
  }
  std::printf("%d kills; completions: %lu ok, %lu unresponsive, %lu unreachable\n", kKills,
              static_cast<unsigned long>(completed_[kOk]),
              static_cast<unsigned long>(completed_[kUnresponsive]),
              static_cast<unsigned long>(completed_[kUnreachable]));
  EXPECT_GT(completed_[kOk], 0u);
  EXPECT_GT(completed_[kUnresponsive], 0u);
  for (const PeerPlace local : {PeerPlace::kHost, PeerPlace::kGpu}) {
    for (const PeerPlace remote : {PeerPlace::kHost, PeerPlace::kGpu}) {
      for (const size_t from : {size_t{0}, size_t{1}}) {
        EXPECT_TRUE(Move(PeerOp::kRead, from, local, remote));
        EXPECT_TRUE(Move(PeerOp::kWrite, from, local, remote));
      }
    }
  }
  peers_[0].reset();
  peers_[1].reset();
  EXPECT_EQ(WaitForStatus(initial_status_), initial_status_);
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  railgauge::RunOnNodes(argc, argv, "p5.48xlarge", 2);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
