// A stranger on the control channel, for tests: goes on being one until its stdin ends, or has
// connected ten thousand times, and checks that it is refused each time.
//
//   stranger KIND PORT TOKEN-FILE    of a server on this host
//
// Kinds: wrong_token, noise (no TLS at all), slow_loris (a good first message, byte by byte),
// old_version (holds the token, speaks protocol 0), flood (ten thousand connections, 200 of them
// held). Prints "begun", and at the end "N tries, N refused".

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/messages.h"
#include "lib/peer/raw_peer_testutil.h"
#include "lib/peer/tls.h"
#include "lib/peer/token.h"

namespace railgauge {
namespace {

struct Tally {
  uint64_t tries = 0;
  uint64_t refused = 0;
};

struct Target {
  uint16_t port = 0;
  Token token;
};

bool GoesOn() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) == 0;
}

void Send(const UniqueFd& fd, std::string_view bytes) {
  (void)!::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Tries one thing after the other.
Tally Repeat(const std::function<bool(uint64_t)>& is_refused) {
  Tally tally;
  do {
    tally.refused += is_refused(tally.tries) ? 1 : 0;
    ++tally.tries;
  } while (GoesOn());
  return tally;
}

Tally WrongToken(const Target& target) {
  return Repeat([&](uint64_t) {
    RawPeer peer(ConnectToLocalhost(target.port), TlsContext::Side::kClient, *Token::Random());
    return !peer.Open();
  });
}

Tally Noise(const Target& target) {
  const std::string noises[] = {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
                                std::string(60000, '\xff'), std::string(60000, '\0')};
  return Repeat([&](uint64_t number) {
    const UniqueFd fd = ConnectToLocalhost(target.port);
    Send(fd, noises[number % std::size(noises)]);
    return EndsWithin(fd, std::chrono::seconds{20});
  });
}

Tally OldVersion(const Target& target) {
  return Repeat([&](uint64_t) {
    RawPeer peer(ConnectToLocalhost(target.port), TlsContext::Side::kClient, target.token);
    if (!peer.Open()) return false;
    peer.Send(R"({"type":"hello","protocol":0,"name":"the very first"})");
    const auto answer = peer.Receive();
    if (!answer) return false;
    const auto refusal = Decode<Refusal>(*answer);
    return refusal && refusal->reason.find("you speak version 0") != std::string::npos;
  });
}

// As many at once as may wait, nearly. One that the server has ended is begun anew.
Tally SlowLoris(const Target& target) {
  const auto context = *TlsContext::Create(TlsContext::Side::kClient, target.token);
  const std::string hello = TlsSession::Create(*context)->TakeOutput();
  struct Dripping {
    UniqueFd fd;
    size_t sent = 0;
  };
  std::vector<Dripping> all(60);
  Tally tally;
  do {
    for (Dripping& one : all) {
      if (!one.fd.valid()) {
        one = {ConnectToLocalhost(target.port), 0};
        ++tally.tries;
      }
      if (one.sent + 1 < hello.size()) Send(one.fd, {&hello[one.sent++], 1});
      if (!EndsWithin(one.fd, std::chrono::milliseconds{1})) continue;
      ++tally.refused;
      one.fd.Reset();
    }
  } while (GoesOn());
  // Those that are held still have some of their time left.
  for (const Dripping& one : all) {
    if (one.fd.valid()) tally.refused += EndsWithin(one.fd, std::chrono::seconds{20}) ? 1 : 0;
  }
  return tally;
}

// Who of them is refused, the server counts: most give way before they would see it.
Tally Flood(const Target& target) {
  Tally tally;
  std::vector<UniqueFd> held(200);
  for (; tally.tries < 10000; ++tally.tries) {
    UniqueFd& fd = held[tally.tries % held.size()];
    fd = ConnectToLocalhost(target.port);
    if (tally.tries % 2 == 0) Send(fd, std::string_view("\x16\x03\x01\x02\x00noise", 10));
  }
  tally.refused = tally.tries;
  return tally;
}

int Main(int argc, char** argv) {
  static const std::map<std::string_view, Tally (*)(const Target&)> kinds = {
      {"wrong_token", WrongToken}, {"noise", Noise}, {"slow_loris", SlowLoris},
      {"old_version", OldVersion}, {"flood", Flood},
  };
  const auto kind = argc == 4 ? kinds.find(argv[1]) : kinds.end();
  if (kind == kinds.end()) return 2;
  Target target;
  const std::string_view port = argv[2];
  std::from_chars(port.data(), port.data() + port.size(), target.port);
  const auto token = ReadTokenFile(argv[3]);
  if (!token) {
    std::fprintf(stderr, "stranger: %s\n", token.error().ToString().c_str());
    return 2;
  }
  target.token = *token;
  std::printf("begun\n");
  std::fflush(stdout);
  const Tally tally = kind->second(target);
  std::printf("%llu tries, %llu refused\n", static_cast<unsigned long long>(tally.tries),
              static_cast<unsigned long long>(tally.refused));
  return tally.refused == tally.tries ? 0 : 1;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) { return railgauge::Main(argc, argv); }
