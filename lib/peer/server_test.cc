// The serving host's end: clients in turn, and strangers of every kind.

#include "lib/peer/server.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <functional>
#include <thread>

#include "gtest/gtest.h"
#include "lib/peer/channel.h"
#include "lib/peer/raw_peer_testutil.h"
#include "lib/peer/socket.h"

namespace railgauge {
namespace {

// A sanitizer keeps freed memory for a while (ASan some 256 MiB), so what is resident says nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kResidentMemoryIsOurs = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kResidentMemoryIsOurs = false;
#else
constexpr bool kResidentMemoryIsOurs = true;
#endif
#else
constexpr bool kResidentMemoryIsOurs = true;
#endif

using std::chrono::milliseconds;
using std::chrono::seconds;

Token SomeToken(uint8_t byte = 7) {
  Token token;
  token.key.fill(byte);
  return token;
}

PeerIdentity Identity(const std::string& host) {
  return {"railgauge test", host, "", "p5.48xlarge", "emulated"};
}

ServerOptions TestOptions() {
  ServerOptions options;
  options.timings = TestTimings();
  return options;
}

// A server whose clients get their own words back.
class EchoServer {
 public:
  explicit EchoServer(const ServerOptions& options = TestOptions())
      : server_(*Server::Listen({"127.0.0.1", 0}, SomeToken(), Identity("server"), options)),
        thread_([this] { Serve(); }) {}
  ~EchoServer() {
    stop_ = true;
    thread_.join();
  }

  uint16_t port() const { return server_->port(); }
  ServerCounts counts() const { return server_->counts(); }
  // How the last client's turn ended; empty while none has.
  std::optional<Error> last_end() const {
    const std::lock_guard lock(mutex_);
    return last_end_;
  }
  // Waits until `condition` of the counts holds.
  bool Reaches(const std::function<bool(const ServerCounts&)>& condition) const {
    const auto deadline = LinkClock::now() + seconds{30};
    while (!condition(counts())) {
      if (LinkClock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
  std::optional<Error> WaitForEnd() const {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, seconds{30}, [&] { return last_end_.has_value(); });
    return last_end_;
  }

  Result<std::unique_ptr<Channel>> Connect(const std::string& host = "client",
                                           uint8_t token = 7) const {
    return Channel::Connect({"localhost", port()}, SomeToken(token), Identity(host), TestTimings());
  }

 private:
  void Serve() {
    while (!stop_) {
      const auto client = server_->NextClient(milliseconds{20});
      while (client && !stop_) {
        auto request = client->Next(milliseconds{20});
        if (!request) {
          const std::lock_guard lock(mutex_);
          last_end_ = request.error();
          ended_.notify_all();
          break;
        }
        if (*request) client->Reply(**request);
      }
    }
  }

  std::unique_ptr<Server> server_;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::optional<Error> last_end_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The round trip, or nothing when it failed.
std::optional<Nanoseconds> Echo(Channel& channel, const std::string& text = "hello") {
  const auto start = LinkClock::now();
  const auto answer = channel.Exchange(text, seconds{10});
  if (!answer || *answer != text) return std::nullopt;
  return LinkClock::now() - start;
}

TEST(ServerTest, AnswersAClient) {
  EchoServer server;
  const auto channel = server.Connect();
  ASSERT_TRUE(channel) << channel.error().ToString();
  EXPECT_EQ((*channel)->peer(), Identity("server"));
  EXPECT_TRUE(Echo(**channel));
  EXPECT_TRUE(Echo(**channel, std::string(kMaxMessageBytes, 'x')));
}

TEST(ServerTest, ARequestEndsTheWaitForOne) {
  // Of so many some come while they are waited for.
  constexpr int kRequests = 20;
  constexpr seconds kLong{60};
  const auto server = *Server::Listen({"127.0.0.1", 0}, SomeToken(), Identity("s"), TestOptions());
  std::thread asking([port = server->port()] {
    const auto channel =
        Channel::Connect({"127.0.0.1", port}, SomeToken(), Identity("c"), TestTimings());
    ASSERT_TRUE(channel) << channel.error().ToString();
    for (int i = 0; i < kRequests; ++i) EXPECT_TRUE(Echo(**channel));
  });
  const auto client = server->NextClient(kLong);
  for (int i = 0; i < kRequests && client; ++i) {
    const auto request = client->Next(kLong);
    if (!request || !*request) break;  // whoever asks had less patience
    client->Reply(**request);
  }
  asking.join();
}

TEST(ServerTest, ListensOnIpv6AndOnEveryAddress) {
  const auto any = Server::Listen({"", 0}, SomeToken(), Identity("server"), TestOptions());
  ASSERT_TRUE(any) << any.error().ToString();
  EXPECT_NE((*any)->port(), 0);
  for (const char* host : {"127.0.0.1", "::1"}) {
    const auto channel =
        Channel::Connect({host, (*any)->port()}, SomeToken(), Identity("c"), TestTimings());
    if (!channel && std::string(host) == "::1" && channel.error().error_number != ECONNREFUSED) {
      std::puts(("this host has no IPv6: " + channel.error().ToString()).c_str());
      continue;
    }
    ASSERT_TRUE(channel) << channel.error().ToString();
    const auto client = (*any)->NextClient(seconds{10});
    ASSERT_TRUE(client);
    EXPECT_EQ(client->address(), host);
  }
}

TEST(ServerTest, APortThatIsTakenIsNamed) {
  const EchoServer server;
  const auto second = Server::Listen({"127.0.0.1", server.port()}, SomeToken(), Identity("s"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error_number, EADDRINUSE);
}

TEST(ServerTest, ASilentClientIsKeptByItsHeartbeats) {
  EchoServer server;
  const auto channel = server.Connect();
  ASSERT_TRUE(channel);
  // Nothing asked for more than two of the times after which it would be taken for dead.
  const UniqueFd nothing = ConnectToLocalhost(server.port());
  const auto until = LinkClock::now() + TestTimings().silence * 2 + milliseconds{100};
  while (LinkClock::now() < until) (void)EndsWithin(nothing, milliseconds{50});
  EXPECT_TRUE(Echo(**channel));
  EXPECT_FALSE(server.last_end());
}

TEST(ServerTest, ASecondClientIsToldAndTheNextIsServed) {
  EchoServer server;
  auto first = server.Connect("node-a");
  ASSERT_TRUE(first);
  for (int i = 0; i < 3; ++i) {
    const auto second = server.Connect("node-b");
    ASSERT_FALSE(second);
    const std::string line = second.error().ToString();
    EXPECT_NE(line.find(": busy with node-a (127.0.0.1) since 20"), std::string::npos) << line;
    EXPECT_NE(line.find("Wait until it is free, or start another railgauge serve there"),
              std::string::npos)
        << line;
    EXPECT_TRUE(Echo(**first));
  }
  EXPECT_EQ(server.counts().told_busy, 3u);
  // One after the other, without a pause between: the next waits while the last is cleared away.
  for (int i = 0; i < 10; ++i) {
    first->reset();
    first = server.Connect("node-c");
    ASSERT_TRUE(first) << first.error().ToString();
    EXPECT_TRUE(Echo(**first));
  }
  EXPECT_EQ(server.counts().told_busy, 3u);
  EXPECT_EQ(server.counts().clients, 11u);
}

TEST(ServerTest, AClientThatDiesMakesRoom) {
  EchoServer server;
  RawPeer dying(ConnectToLocalhost(server.port()), TlsContext::Side::kClient, SomeToken());
  ASSERT_TRUE(dying.Open());
  dying.Send(Encode(Hello{kProtocolVersion, Identity("dying")}));
  ASSERT_TRUE(dying.Receive());
  dying.Die();
  const auto end = server.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->object, "dying (127.0.0.1)");
  EXPECT_FALSE(end->reason.empty());
  const auto next = server.Connect();
  ASSERT_TRUE(next) << next.error().ToString();
  EXPECT_TRUE(Echo(**next));
}

TEST(ServerTest, AFrozenClientMakesRoom) {
  EchoServer server;
  RawPeer frozen(ConnectToLocalhost(server.port()), TlsContext::Side::kClient, SomeToken());
  ASSERT_TRUE(frozen.Open());
  frozen.Send(Encode(Hello{kProtocolVersion, Identity("frozen")}));
  ASSERT_TRUE(frozen.Receive());
  const auto start = LinkClock::now();
  const auto end = server.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_NE(end->reason.find("nothing was heard for"), std::string::npos) << end->ToString();
  EXPECT_LT(LinkClock::now() - start, TestTimings().silence * 3);
  EXPECT_TRUE(server.Connect());
}

TEST(ServerTest, AServerThatEndsTellsItsClient) {
  std::optional<EchoServer> server(std::in_place);
  const auto channel = server->Connect();
  ASSERT_TRUE(channel);
  ASSERT_TRUE(Echo(**channel));
  server.reset();
  const auto answer = (*channel)->Exchange("{}", seconds{30});
  ASSERT_FALSE(answer);
  EXPECT_TRUE((*channel)->gone());
}

TEST(ServerTest, AnotherTokenIsRefused) {
  EchoServer server;
  const auto client = server.Connect();
  ASSERT_TRUE(client);
  const auto stranger = server.Connect("stranger", 8);
  ASSERT_FALSE(stranger);
  const std::string line = stranger.error().ToString();
  EXPECT_NE(line.find("the other side refused this side's token: it holds another one."),
            std::string::npos)
      << line;
  EXPECT_NE(line.find("Use copies of one token file on both hosts."), std::string::npos) << line;
  EXPECT_TRUE(server.Reaches([](const ServerCounts& c) { return c.strangers == 1; }));
  EXPECT_EQ(server.counts().told_busy, 0u);  // it learns nothing of the client
  EXPECT_TRUE(Echo(**client));
}

TEST(ServerTest, AnOldVersionIsToldBoth) {
  EchoServer server;
  const auto client = server.Connect();
  ASSERT_TRUE(client);
  RawPeer old(ConnectToLocalhost(server.port()), TlsContext::Side::kClient, SomeToken());
  ASSERT_TRUE(old.Open());
  old.Send(R"({"type":"hello","protocol":0,"name":"the very first"})");
  const auto answer = old.Receive();
  ASSERT_TRUE(answer);
  const auto refusal = Decode<Refusal>(*answer);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->protocol, kProtocolVersion);
  EXPECT_EQ(refusal->reason, "it speaks version " + std::to_string(kProtocolVersion) +
                                 " of the control channel, you speak version 0");
  EXPECT_TRUE(EndsWithin(old.socket(), seconds{20}));
  EXPECT_EQ(server.counts().other_versions, 1u);
  EXPECT_TRUE(Echo(**client));
}

TEST(ServerTest, AHolderOfTheTokenThatSaysNonsenseIsRefused) {
  EchoServer server;
  for (const std::string& nonsense : {std::string("nonsense"), std::string(R"({"type":"run"})")}) {
    RawPeer peer(ConnectToLocalhost(server.port()), TlsContext::Side::kClient, SomeToken());
    ASSERT_TRUE(peer.Open());
    peer.Send(nonsense);
    const auto answer = peer.Receive();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(Decode<Refusal>(*answer));
    EXPECT_TRUE(EndsWithin(peer.socket(), seconds{20}));
  }
}

TEST(ServerTest, PlainNoiseIsRefusedAtOnce) {
  ServerOptions options = TestOptions();
  options.timings.handshake = std::chrono::hours{1};  // so that it is not time that ends it
  options.timings.silence = std::chrono::hours{1};
  EchoServer server(options);
  const auto client = server.Connect();
  ASSERT_TRUE(client);
  for (const std::string& noise :
       {std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), std::string("SSH-2.0-OpenSSH_9.2\r\n"),
        std::string(60000, '\xff'), std::string(60000, '\0')}) {
    const UniqueFd fd = ConnectToLocalhost(server.port());
    (void)!::send(fd.get(), noise.data(), noise.size(), MSG_NOSIGNAL);
    EXPECT_TRUE(EndsWithin(fd, seconds{20}));
  }
  EXPECT_TRUE(server.Reaches([](const ServerCounts& c) { return c.strangers == 4; }));
  EXPECT_TRUE(Echo(**client));
}

// A good first message, a byte at a time and ever slower than its time allows.
TEST(ServerTest, ASlowLorisRunsIntoTheDeadline) {
  EchoServer server;
  const auto client = server.Connect();
  ASSERT_TRUE(client);
  const auto context = TlsContext::Create(TlsContext::Side::kClient, SomeToken());
  const std::string hello = TlsSession::Create(**context)->TakeOutput();
  const auto start = LinkClock::now();
  const UniqueFd fd = ConnectToLocalhost(server.port());
  size_t sent = 0;
  while (sent < hello.size() - 1 && !EndsWithin(fd, milliseconds{20})) {
    if (::send(fd.get(), &hello[sent++], 1, MSG_NOSIGNAL) != 1) break;
  }
  EXPECT_TRUE(EndsWithin(fd, seconds{20}));
  const auto took = LinkClock::now() - start;
  EXPECT_GE(took, TestTimings().handshake);
  EXPECT_LT(took, TestTimings().handshake * 3);
  EXPECT_TRUE(Echo(**client));
}

// More of those who only hold a connection open than may wait: they give way to a client, long
// before their time is up.
TEST(ServerTest, HeldConnectionsKeepNobodyOut) {
  ServerOptions options = TestOptions();
  options.timings.handshake = std::chrono::hours{1};
  options.timings.silence = std::chrono::hours{1};
  options.max_waiting = 16;
  EchoServer server(options);
  std::vector<UniqueFd> held;
  for (int i = 0; i < 100; ++i) {
    held.push_back(ConnectToLocalhost(server.port()));
    (void)!::send(held.back().get(), "\x16\x03\x01", 3,
                  MSG_NOSIGNAL);  // a handshake begins like this
  }
  const auto client = server.Connect();
  ASSERT_TRUE(client) << client.error().ToString();
  EXPECT_TRUE(Echo(**client));
  EXPECT_LE(server.counts().most_waiting, 16u);
}

uint64_t ResidentKibibytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    uint64_t value = 0;
    if (word == "VmRSS:" && status >> value) return value;
  }
  return 0;
}

Nanoseconds CpuTime() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) {
    return seconds{t.tv_sec} + std::chrono::microseconds{t.tv_usec};
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

TEST(ServerTest, TenThousandConnectionsDoNotDisturbAClient) {
  ServerOptions options = TestOptions();
  options.accepts_per_second = 20000;  // all of them within seconds
  EchoServer server(options);
  const auto client = server.Connect();
  ASSERT_TRUE(client);
  std::vector<Nanoseconds> calm;
  for (int i = 0; i < 101; ++i) calm.push_back(Echo(**client).value_or(seconds{100}));
  std::nth_element(calm.begin(), calm.begin() + 50, calm.end());
  const uint64_t before = ResidentKibibytes();

  std::atomic<bool> done{false};
  std::thread flood([&] {
    std::vector<UniqueFd> held(200);
    for (size_t i = 0; i < 10000; ++i) {
      UniqueFd& fd = held[i % held.size()];
      fd = ConnectToLocalhost(server.port());
      if (i % 2 == 0) (void)!::send(fd.get(), "\x16\x03\x01\x02\x00noise", 10, MSG_NOSIGNAL);
    }
    done = true;
  });
  Nanoseconds slowest{0};
  int answered = 0;
  while (!done) {
    const auto took = Echo(**client);
    ASSERT_TRUE(took) << (*client)->why_gone()->ToString();
    slowest = std::max(slowest, *took);
    ++answered;
  }
  flood.join();
  EXPECT_TRUE(server.Reaches([](const ServerCounts& c) { return c.accepted == 10001; }));
  const ServerCounts counts = server.counts();
  const uint64_t after = ResidentKibibytes();
  std::printf(
      "10000 connections: %d exchanges meanwhile, slowest %s; %zu waiting at most; "
      "%llu KiB before, %llu KiB after\n",
      answered, FormatDuration(slowest).c_str(), counts.most_waiting,
      static_cast<unsigned long long>(before), static_cast<unsigned long long>(after));
  EXPECT_GT(answered, 10);
  EXPECT_LT(slowest, seconds{1});
  EXPECT_LE(counts.most_waiting, options.max_waiting);
  EXPECT_GE(counts.strangers, 10000 - options.max_waiting);
  if (kResidentMemoryIsOurs) {
    EXPECT_LT(after, before + 32 * 1024);
  } else {
    std::printf("memory is not judged: the sanitizer keeps what is freed\n");
  }
}

TEST(ServerTest, AFloodIsAcceptedAtALimitedRate) {
  ServerOptions options = TestOptions();
  options.accepts_per_second = 100;
  options.accept_burst = 5;
  EchoServer server(options);
  const auto start = LinkClock::now();
  std::vector<UniqueFd> held;
  for (int i = 0; i < 105; ++i) held.push_back(ConnectToLocalhost(server.port()));
  EXPECT_TRUE(server.Reaches([](const ServerCounts& c) { return c.accepted == 105; }));
  EXPECT_GE(LinkClock::now() - start, milliseconds{990});
}

TEST(ServerTest, AnIdleServerUsesNoCpu) {
  ServerOptions options = TestOptions();
  options.accepts_per_second = 0.001;  // the listening socket stays readable and is not looked at
  options.accept_burst = 2;
  const auto server = Server::Listen({"127.0.0.1", 0}, SomeToken(), Identity("server"), options);
  ASSERT_TRUE(server);
  const UniqueFd held = ConnectToLocalhost((*server)->port());
  const UniqueFd also_held = ConnectToLocalhost((*server)->port());
  const UniqueFd in_the_queue = ConnectToLocalhost((*server)->port());
  const Nanoseconds before = CpuTime();
  EXPECT_FALSE((*server)->NextClient(seconds{1}));
  EXPECT_LT(CpuTime() - before, milliseconds{50});
}

}  // namespace
}  // namespace railgauge
