#include "lib/peer/link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace railgauge {
namespace {

// A peer that does not read what it asked for is not waited for with ever more memory.
constexpr size_t kMaxUnsent = 4 * kMaxMessageBytes;

constexpr char kOperation[] = "control channel";

void SetOption(int fd, int level, int name, int value) {
  // None of them is needed for correctness: the link has its own watch.
  (void)::setsockopt(fd, level, name, &value, sizeof(value));
}

int WholeSeconds(Nanoseconds time) {
  return static_cast<int>(
      std::max(int64_t{1}, std::chrono::duration_cast<std::chrono::seconds>(time).count()));
}

}  // namespace

void SetSocketOptions(int fd, const LinkTimings& timings) {
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, WholeSeconds(timings.silence));
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, WholeSeconds(timings.heartbeat));
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * WholeSeconds(timings.silence));
}

Link::Link(UniqueFd socket, const TlsContext& context, const LinkTimings& timings,
           LinkClock::time_point now)
    : socket_(std::move(socket)),
      context_(&context),
      timings_(timings),
      deadline_(now + timings.handshake),
      last_heard_(now),
      last_sent_(now) {
  SetSocketOptions(socket_.get(), timings);
  if (context.side() == TlsContext::Side::kServer) return;
  auto tls = TlsSession::Create(context);
  if (!tls) {
    Close(tls.error());
    return;
  }
  tls_ = *std::move(tls);
  out_ = tls_->TakeOutput();
}

short Link::events() const {
  return static_cast<short>(POLLIN | (out_.empty() || shut_down_ ? 0 : POLLOUT));
}

LinkClock::time_point Link::NextTimer() const {
  auto next = last_heard_ + timings_.silence;
  if (deadline_) next = std::min(next, *deadline_);
  if (proven() && !finishing_) next = std::min(next, last_sent_ + timings_.heartbeat);
  return next;
}

void Link::Drive(short revents, LinkClock::time_point now) {
  if (closed()) return;
  if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0) ReadSocket(now);
  if (closed()) return;
  if (deadline_ && now >= *deadline_) {
    return Close(MakeError(kOperation, "",
                           finishing_ ? "the other side did not end it in time"
                                      : "the other side did not prove that it holds the token and "
                                        "say what it wants in time"));
  }
  if (now >= last_heard_ + timings_.silence) {
    return Close(MakeError(
        kOperation, "", "nothing was heard for " + FormatDuration(now - last_heard_),
        "Look whether the other side's host and process still run and reach this one by network"));
  }
  if (proven() && !finishing_ && now >= last_sent_ + timings_.heartbeat) Send("");
  WriteSocket(now);
}

void Link::ReadSocket(LinkClock::time_point now) {
  char buffer[16384];
  const ssize_t length = ::recv(socket_.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
  if (length < 0) {
    if (errno == EAGAIN || errno == EINTR) return;
    return Close(ErrnoError(errno, kOperation));
  }
  if (length == 0) {
    return Close(
        MakeError(kOperation, "",
                  finishing_ ? ""
                  : proven() ? "the other side's process ended without a word"
                             : "the other side ended it before it proved that it holds the token"));
  }
  if (shut_down_) return;  // it is only waited for its end
  if (!tls_) {
    auto tls = TlsSession::Create(*context_);
    if (!tls) return Close(tls.error());
    tls_ = *std::move(tls);
  }
  std::string plain;
  tls_->Receive({buffer, static_cast<size_t>(length)}, &plain);
  out_ += tls_->TakeOutput();
  HandlePlain(plain, now);
}

void Link::HandlePlain(const std::string& plain, LinkClock::time_point now) {
  // Bytes that carry nothing yet prove no life: a handshake has its own deadline.
  if (proven()) last_heard_ = now;
  reader_.Append(plain);
  if (tls_->state() == TlsSession::State::kFailed) {
    WriteSocket(now);  // the alert
    return Close(MakeError(kOperation, "",
                           tls_->refused()
                               ? "the other side refused this side's token: " + tls_->failure()
                               : "the other side does not hold this token, or is no "
                                 "railgauge (" +
                                     tls_->failure() + ")",
                           "Use copies of one token file on both hosts"));
  }
  if (tls_->state() == TlsSession::State::kClosed) return Close(MakeError(kOperation, "", ""));
}

void Link::WriteSocket(LinkClock::time_point now) {
  while (!out_.empty() && !shut_down_) {
    const ssize_t length =
        ::send(socket_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (length < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      return Close(ErrnoError(errno, kOperation));
    }
    out_.erase(0, static_cast<size_t>(length));
    last_sent_ = now;
  }
  if (finishing_ && !shut_down_) {
    shut_down_ = true;
    (void)::shutdown(socket_.get(), SHUT_WR);
  }
}

void Link::Send(std::string_view message) {
  if (closed() || finishing_ || !proven()) return;
  if (out_.size() > kMaxUnsent) {
    return Close(MakeError(kOperation, "", "the other side does not read what it is sent"));
  }
  tls_->Send(FrameOf(message));
  out_ += tls_->TakeOutput();
}

std::optional<std::string> Link::Receive() {
  while (true) {
    std::optional<std::string> message = reader_.Next();
    if (message && message->empty()) continue;  // a heartbeat
    if (reader_.broken() && !closed()) {
      Close(MakeError(kOperation, "", "the other side sent what is no message"));
    }
    return message;
  }
}

void Link::Finish(LinkClock::time_point now) {
  if (closed() || finishing_) return;
  if (tls_) {
    tls_->Close();
    out_ += tls_->TakeOutput();
  }
  finishing_ = true;
  deadline_ = now + timings_.handshake;
  WriteSocket(now);
}

void Link::Close(Error why) {
  why_ = std::move(why);
  socket_.Reset();
}

}  // namespace railgauge
