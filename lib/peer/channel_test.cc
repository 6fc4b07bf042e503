// The measuring host's end, against servers that are none or that misbehave.

#include "lib/peer/channel.h"

#include <sys/socket.h>

#include <atomic>
#include <future>
#include <thread>

#include "gtest/gtest.h"
#include "lib/peer/raw_peer_testutil.h"
#include "lib/peer/socket.h"

namespace railgauge {
namespace {

using std::chrono::seconds;

Token SomeToken() {
  Token token;
  token.key.fill(7);
  return token;
}

PeerIdentity Self() { return {"railgauge test", "this-host", "", "p5.48xlarge", "emulated"}; }

std::string GoodWelcome() {
  return Encode(Welcome{kProtocolVersion, {"railgauge test", "node-b", "i-2", "p5", "emulated"}});
}

// A server of which a test decides everything. It answers on a thread, since Connect waits for it.
class ChannelTest : public testing::Test {
 protected:
  ChannelTest()
      : listening_(*ListenTcp({"127.0.0.1", 0}, seconds{10})), port_(PortOf(listening_.get())) {}

  Result<std::unique_ptr<Channel>> Connect(const LinkTimings& timings = TestTimings()) {
    return Channel::Connect({"127.0.0.1", port_}, SomeToken(), Self(), timings);
  }

  // Accepts one client, takes its hello and answers it with `answer`.
  std::unique_ptr<RawPeer> Welcome(const std::string& answer) {
    auto peer =
        std::make_unique<RawPeer>(AcceptFrom(listening_), TlsContext::Side::kServer, SomeToken());
    EXPECT_TRUE(peer->Open());
    const auto hello = peer->Receive();
    EXPECT_TRUE(hello && Decode<Hello>(*hello));
    peer->Send(answer);
    return peer;
  }

  std::string Name() const { return HostPort{"127.0.0.1", port_}.ToString(); }

  UniqueFd listening_;
  uint16_t port_;
};

TEST_F(ChannelTest, NobodyListens) {
  listening_.Reset();
  LinkTimings timings = TestTimings();
  timings.connect = std::chrono::milliseconds{500};
  const auto start = LinkClock::now();
  const auto channel = Connect(timings);
  EXPECT_GE(LinkClock::now() - start, std::chrono::milliseconds{200});  // it was tried again
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().ToString(),
            "connect to peer " + Name() +
                ": ECONNREFUSED (Connection refused). Start `railgauge serve` there, or name its "
                "port: HOST:PORT.");
}

TEST_F(ChannelTest, AServerThatIsStartedLaterIsWaitedFor) {
  const uint16_t port = port_;
  listening_.Reset();
  std::unique_ptr<RawPeer> peer;
  std::promise<void> refused_once;
  std::thread server([&] {
    refused_once.get_future().wait();
    listening_ = *ListenTcp({"127.0.0.1", port}, seconds{10});
    peer = Welcome(GoodWelcome());
  });
  EXPECT_FALSE(ConnectTcp({"127.0.0.1", port}, std::chrono::milliseconds{1}));
  refused_once.set_value();
  const auto channel = Connect();
  server.join();
  EXPECT_TRUE(channel) << channel.error().ToString();
}

TEST_F(ChannelTest, ANameThatIsNone) {
  const auto channel =
      Channel::Connect({"no-such-host.invalid", 1}, SomeToken(), Self(), TestTimings());
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().operation, "connect to peer");
  EXPECT_EQ(channel.error().object, "no-such-host.invalid:1");
}

TEST_F(ChannelTest, AServerThatSaysNothingEndsWithTheHandshakesDeadline) {
  const auto start = LinkClock::now();
  const auto channel = Connect();
  const auto took = LinkClock::now() - start;
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().object, Name());
  EXPECT_NE(channel.error().reason.find("in time"), std::string::npos) << channel.error().reason;
  EXPECT_GE(took, TestTimings().handshake);
  EXPECT_LT(took, TestTimings().handshake * 2);
}

TEST_F(ChannelTest, AServerThatIsNoRailgauge) {
  std::thread server([&] {
    const UniqueFd fd = AcceptFrom(listening_);
    const std::string noise = "SSH-2.0-OpenSSH_9.2\r\n";
    EXPECT_EQ(::send(fd.get(), noise.data(), noise.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(noise.size()));
    EXPECT_TRUE(EndsWithin(fd, seconds{20}));
  });
  const auto channel = Connect();
  server.join();
  ASSERT_FALSE(channel);
  EXPECT_NE(channel.error().reason.find("or is no railgauge"), std::string::npos)
      << channel.error().ToString();
}

TEST_F(ChannelTest, AnotherVersionIsNamed) {
  const struct {
    std::string answer;
  } kCases[] = {
      {R"({"type":"welcome","protocol":42,"identity":{"software":"","host":"","instance_id":"",)"
       R"("instance_type":"","platform":""}})"},
      {Encode(Refusal{42, "whatever it says"})},
  };
  for (const auto& c : kCases) {
    std::unique_ptr<RawPeer> peer;
    std::thread server([&] { peer = Welcome(c.answer); });
    const auto channel = Connect();
    server.join();
    ASSERT_FALSE(channel);
    EXPECT_EQ(channel.error().ToString(),
              "control channel " + Name() +
                  ": it speaks version 42 of the control channel, this railgauge version " +
                  std::to_string(kProtocolVersion) +
                  ". Run "
                  "one version of railgauge on both hosts.");
  }
}

TEST_F(ChannelTest, AFrozenServerIsNoticed) {
  std::unique_ptr<RawPeer> peer;
  std::thread server([&] { peer = Welcome(GoodWelcome()); });
  const auto channel = Connect();
  server.join();
  ASSERT_TRUE(channel) << channel.error().ToString();
  EXPECT_EQ((*channel)->peer().host, "node-b");
  const auto start = LinkClock::now();
  const auto answer = (*channel)->Exchange("{}", seconds{60});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("nothing was heard for"), std::string::npos);
  EXPECT_LT(LinkClock::now() - start, TestTimings().silence * 3);
  EXPECT_TRUE((*channel)->gone());
  EXPECT_EQ((*channel)->Exchange("{}", seconds{60}).error().ToString(), answer.error().ToString());
}

TEST_F(ChannelTest, ADeadServerIsNoticedAtOnce) {
  LinkTimings timings = TestTimings();
  timings.silence = std::chrono::hours{1};
  std::unique_ptr<RawPeer> peer;
  std::thread server([&] { peer = Welcome(GoodWelcome()); });
  const auto channel = Connect(timings);
  server.join();
  ASSERT_TRUE(channel);
  peer->Die();
  const auto answer = (*channel)->Exchange("{}", std::chrono::minutes{1});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().object, Name());
  EXPECT_TRUE((*channel)->gone());
  ASSERT_TRUE((*channel)->why_gone());
}

TEST_F(ChannelTest, AnAnswerThatDoesNotComeIsAnError) {
  std::atomic<bool> done{false};
  std::thread server([&] {
    const auto peer = Welcome(GoodWelcome());
    while (!done) {
      peer->Send("");  // alive, and silent about the request
      (void)peer->Receive(std::chrono::milliseconds{50});
    }
  });
  auto channel = Connect();
  ASSERT_TRUE(channel);
  const auto answer = (*channel)->Exchange("{}", std::chrono::milliseconds{300});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("no answer came within 300.0 ms"), std::string::npos)
      << answer.error().ToString();
  // What comes too late is not taken for the next answer.
  EXPECT_FALSE((*channel)->Exchange("{}", seconds{10}));
  done = true;
  server.join();
}

}  // namespace
}  // namespace railgauge
