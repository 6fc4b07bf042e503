// Two emulated machines on one fabric, a process on each, through the unmodified rdma-core.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "lib/emulator/end_to_end/node_peer.h"
#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {
namespace {

constexpr uint32_t kSendBytes = 8192;
constexpr uint32_t kUnresponsive = 13, kUnreachable = 15;  // efa_io_comp_status

NodeSpawner& NodeOne() {
  static auto* spawner = new NodeSpawner(1);
  return *spawner;
}

class NodesTest : public testing::Test {
 protected:
  NodesTest() { EXPECT_TRUE(Introduce(here_, *there_)); }

  static std::unique_ptr<NodePeer> NewThere() { return NodeOne().Spawn(Scenario().nics[0].name); }

  static PeerAnswer Ask(const NodePeer& peer, const PeerCommand& command) {
    const auto answer = peer.Ask(command);
    EXPECT_TRUE(answer.has_value()) << "no answer to command " << static_cast<int>(command.kind);
    return answer.value_or(PeerAnswer{});
  }
  static bool Fill(const NodePeer& peer, PeerPlace place, uint32_t seed) {
    PeerCommand command;
    command.kind = PeerCommand::Kind::kFill;
    command.place = place;
    command.seed = seed;
    return Ask(peer, command).ok;
  }
  static bool IsFilled(const NodePeer& peer, PeerPlace place, uint32_t seed, uint32_t length) {
    PeerCommand command;
    command.kind = PeerCommand::Kind::kCheck;
    command.place = place;
    command.seed = seed;
    command.length = length;
    return Ask(peer, command).ok;
  }
  static PeerAnswer Transfer(const NodePeer& peer, PeerOp op, PeerPlace local, PeerPlace remote,
                             uint32_t length) {
    PeerCommand command;
    command.kind = PeerCommand::Kind::kTransfer;
    command.op = op;
    command.place = local;
    command.remote_place = remote;
    command.length = length;
    return Ask(peer, command);
  }
  static PeerAnswer Receive(const NodePeer& peer, PeerCommand::Kind kind,
                            PeerPlace place = PeerPlace::kHost) {
    PeerCommand command;
    command.kind = kind;
    command.place = place;
    command.length = kSendBytes;
    return Ask(peer, command);
  }
  static uint64_t Counter(const NodePeer& peer, const std::string& name) {
    PeerCommand command;
    command.kind = PeerCommand::Kind::kCounter;
    name.copy(command.name.data(), command.name.size() - 1);
    return Ask(peer, command).value;
  }

  const std::string initial_status_ = FabricStatusText();
  NodePeer here_{Scenario().nics[0].name};
  std::unique_ptr<NodePeer> there_ = NewThere();
};

TEST_F(NodesTest, TheMachinesAreTwo) {
  PeerCommand command;
  command.kind = PeerCommand::Kind::kHostName;
  EXPECT_STREQ(Ask(here_, command).name.data(), "emulated-0");
  EXPECT_STREQ(Ask(*there_, command).name.data(), "emulated-1");
  EXPECT_NE(0, std::memcmp(&here_.address().gid, &there_->address().gid, sizeof(ibv_gid)));
}

TEST_F(NodesTest, ReadAndWriteBetweenAllPlaces) {
  uint32_t seed = 1;
  for (const auto& [one, other] : {std::pair(&here_, there_.get()), {there_.get(), &here_}}) {
    for (const PeerPlace local : {PeerPlace::kHost, PeerPlace::kGpu}) {
      for (const PeerPlace remote : {PeerPlace::kHost, PeerPlace::kGpu}) {
        for (const uint32_t length : {1u, 4097u, kPeerBytes}) {
          ASSERT_TRUE(Fill(*one, local, seed) && Fill(*other, remote, seed + 1));
          ASSERT_TRUE(Transfer(*one, PeerOp::kRead, local, remote, length).ok);
          EXPECT_TRUE(IsFilled(*one, local, seed + 1, length));
          ASSERT_TRUE(Fill(*one, local, seed + 2));
          ASSERT_TRUE(Transfer(*one, PeerOp::kWrite, local, remote, length).ok);
          EXPECT_TRUE(IsFilled(*other, remote, seed + 2, length));
          seed += 3;
        }
      }
    }
  }
}

TEST_F(NodesTest, SendAndWriteWithImmediate) {
  for (const PeerPlace place : {PeerPlace::kHost, PeerPlace::kGpu}) {
    ASSERT_TRUE(Fill(here_, PeerPlace::kHost, 40) && Fill(*there_, place, 41));
    ASSERT_TRUE(Receive(*there_, PeerCommand::Kind::kReceive, place).ok);
    ASSERT_TRUE(Transfer(here_, PeerOp::kSend, PeerPlace::kHost, place, kSendBytes).ok);
    const PeerAnswer received = Receive(*there_, PeerCommand::Kind::kWaitReceive);
    EXPECT_TRUE(received.ok);
    EXPECT_EQ(received.bytes, kSendBytes);
    EXPECT_EQ(received.opcode, static_cast<uint32_t>(IBV_WC_RECV));
    EXPECT_TRUE(IsFilled(*there_, place, 40, kSendBytes));

    ASSERT_TRUE(Fill(here_, PeerPlace::kHost, 42));
    ASSERT_TRUE(Receive(*there_, PeerCommand::Kind::kReceive).ok);
    ASSERT_TRUE(
        Transfer(here_, PeerOp::kWriteWithImmediate, PeerPlace::kHost, place, kPeerBytes).ok);
    const PeerAnswer written = Receive(*there_, PeerCommand::Kind::kWaitReceive);
    EXPECT_TRUE(written.ok);
    EXPECT_EQ(written.bytes, kPeerBytes);
    EXPECT_EQ(written.opcode, static_cast<uint32_t>(IBV_WC_RECV_RDMA_WITH_IMM));
    EXPECT_EQ(written.immediate, kPeerImmediate);
    EXPECT_TRUE(IsFilled(*there_, place, 42, kPeerBytes));
  }
}

TEST_F(NodesTest, AnEventFromTheOtherNodeWakesASleeper) {
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(Receive(*there_, PeerCommand::Kind::kReceive).ok);
    ASSERT_TRUE(Receive(*there_, PeerCommand::Kind::kSleepReceive).ok);  // it is armed
    ASSERT_TRUE(Transfer(here_, PeerOp::kSend, PeerPlace::kHost, PeerPlace::kHost, kSendBytes).ok);
    const auto received = there_->NextAnswer();
    ASSERT_TRUE(received && received->ok) << "round " << round;
    EXPECT_EQ(received->bytes, kSendBytes);
  }
}

TEST_F(NodesTest, EachNodeCountsWhatItsDevicesDid) {
  // A kernel refreshes them every 10 ms; readers wait for longer than that.
  constexpr auto kRefreshed = std::chrono::milliseconds(20);
  std::this_thread::sleep_for(kRefreshed);
  const uint64_t read_before = Counter(here_, "rdma_read_bytes");
  const uint64_t responded_before = Counter(*there_, "rdma_read_resp_bytes");
  const uint64_t own_responses_before = Counter(here_, "rdma_read_resp_bytes");
  ASSERT_TRUE(Transfer(here_, PeerOp::kRead, PeerPlace::kHost, PeerPlace::kHost, 10'000).ok);
  // On a host that has no time for the devices they are refreshed late.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  do {
    std::this_thread::sleep_for(kRefreshed);
  } while ((Counter(here_, "rdma_read_bytes") == read_before ||
            Counter(*there_, "rdma_read_resp_bytes") == responded_before) &&
           std::chrono::steady_clock::now() < deadline);
  EXPECT_EQ(Counter(here_, "rdma_read_bytes") - read_before, 10'000u);
  EXPECT_EQ(Counter(*there_, "rdma_read_resp_bytes") - responded_before, 10'000u);
  EXPECT_EQ(Counter(here_, "rdma_read_resp_bytes"), own_responses_before);
}

TEST_F(NodesTest, APeerThatDiedIsUnresponsive) {
  ASSERT_TRUE(Transfer(here_, PeerOp::kRead, PeerPlace::kHost, PeerPlace::kHost, 100).ok);
  PeerCommand traffic;
  traffic.kind = PeerCommand::Kind::kTraffic;
  here_.Tell(traffic);
  there_->Kill();
  // As many failures as the traffic waits for; before the fabric knows, some requests may succeed.
  PeerCommand stop;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const PeerAnswer report = Ask(here_, stop);
  EXPECT_TRUE(report.ok) << report.lost << " requests did not complete";
  for (uint32_t status = 1; status < report.vendor_errors.size(); ++status) {
    if (status == kUnresponsive) {
      EXPECT_GT(report.vendor_errors[status], 0u);
    } else {
      EXPECT_EQ(report.vendor_errors[status], 0u) << "status " << status;
    }
  }
  const PeerAnswer later = Transfer(here_, PeerOp::kWrite, PeerPlace::kHost, PeerPlace::kHost, 100);
  EXPECT_EQ(later.vendor_error, kUnresponsive);
  EXPECT_EQ(later.status, static_cast<uint32_t>(IBV_WC_RESP_TIMEOUT_ERR));

  // The device is as good as before.
  const auto next = NewThere();
  ASSERT_TRUE(Introduce(here_, *next));
  ASSERT_TRUE(Fill(*next, PeerPlace::kGpu, 77));
  ASSERT_TRUE(Transfer(here_, PeerOp::kRead, PeerPlace::kHost, PeerPlace::kGpu, kPeerBytes).ok);
  EXPECT_TRUE(IsFilled(here_, PeerPlace::kHost, 77, kPeerBytes));
}

TEST_F(NodesTest, APeerThatDiedUnheardIsUnreachable) {
  there_->Kill();
  PeerAnswer answer;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  do {  // until the fabric knows
    answer = Transfer(here_, PeerOp::kRead, PeerPlace::kHost, PeerPlace::kHost, 100);
  } while (answer.ok && std::chrono::steady_clock::now() < deadline);
  EXPECT_TRUE(answer.vendor_error == kUnreachable || answer.vendor_error == kUnresponsive)
      << answer.vendor_error;
}

TEST_F(NodesTest, NothingIsLeftOfTheDead) {
  here_.Kill();
  there_->Kill();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::string now = FabricStatusText();
  while (now != initial_status_ && std::chrono::steady_clock::now() < deadline) {
    now = FabricStatusText();
  }
  EXPECT_EQ(now, initial_status_);
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  railgauge::RunOnNodes(argc, argv, "p5.48xlarge", 2);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
