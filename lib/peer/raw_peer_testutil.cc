#include "lib/peer/raw_peer_testutil.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "lib/peer/io_thread.h"
#include "lib/peer/socket.h"

namespace railgauge {

LinkTimings TestTimings() {
  LinkTimings timings;
  timings.connect = std::chrono::seconds{10};
  timings.handshake = std::chrono::seconds{2};
  timings.heartbeat = std::chrono::milliseconds{100};
  timings.silence = std::chrono::seconds{2};
  return timings;
}

UniqueFd ConnectToLocalhost(uint16_t port) {
  auto fd = ConnectTcp({"127.0.0.1", port}, std::chrono::seconds{20});
  RAILGAUGE_CHECK(fd.has_value());
  return *std::move(fd);
}

UniqueFd AcceptFrom(const UniqueFd& listening) {
  pollfd waiting = {listening.get(), POLLIN, 0};
  RAILGAUGE_CHECK(::poll(&waiting, 1, 20000) == 1);
  UniqueFd fd(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  RAILGAUGE_CHECK(fd.valid());
  return fd;
}

bool EndsWithin(const UniqueFd& fd, Nanoseconds timeout) {
  const auto deadline = LinkClock::now() + timeout;
  while (LinkClock::now() < deadline) {
    pollfd waiting = {fd.get(), POLLIN, 0};
    ::poll(&waiting, 1, PollTimeout(LinkClock::now(), deadline));
    char buffer[4096];
    const ssize_t length = ::recv(fd.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (length == 0 || (length < 0 && errno != EAGAIN)) return true;
  }
  return false;
}

RawPeer::RawPeer(UniqueFd socket, TlsContext::Side side, const Token& token)
    : socket_(std::move(socket)),
      context_(*TlsContext::Create(side, token)),
      tls_(*TlsSession::Create(*context_)) {}

void RawPeer::Flush() {
  const std::string bytes = tls_.TakeOutput();
  // Test messages are small: they fit into the socket's buffer.
  (void)!::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

bool RawPeer::Pump(LinkClock::time_point deadline) {
  Flush();
  pollfd waiting = {socket_.get(), POLLIN, 0};
  if (::poll(&waiting, 1, PollTimeout(LinkClock::now(), deadline)) != 1) return false;
  char buffer[16384];
  const ssize_t length = ::recv(socket_.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
  if (length <= 0) return false;
  std::string plain;
  tls_.Receive({buffer, static_cast<size_t>(length)}, &plain);
  reader_.Append(plain);
  Flush();
  return tls_.state() == TlsSession::State::kHandshake || tls_.state() == TlsSession::State::kOpen;
}

bool RawPeer::Open() {
  const auto deadline = LinkClock::now() + std::chrono::seconds{20};
  while (tls_.state() == TlsSession::State::kHandshake) {
    if (!Pump(deadline)) return false;
  }
  return tls_.state() == TlsSession::State::kOpen;
}

void RawPeer::Send(std::string_view message) {
  tls_.Send(FrameOf(message));
  Flush();
}

std::optional<std::string> RawPeer::Receive(Nanoseconds timeout) {
  const auto deadline = LinkClock::now() + timeout;
  for (bool more = true;; more = Pump(deadline)) {
    while (auto message = reader_.Next()) {
      if (!message->empty()) return message;
    }
    // Only now: what came with the other side's last word counts too.
    if (!more) return std::nullopt;
  }
}

}  // namespace railgauge
