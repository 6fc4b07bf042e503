// Link: one end of the control channel: a connected socket with TLS, frames and heartbeats on it.
//
// It never waits and has no thread: its owner polls the socket for events() until NextTimer() and
// calls Drive. Either side sends a heartbeat whenever it has sent nothing for a while, and takes
// the other for dead when it has heard nothing for a longer one, so that a host that lost its
// power, its network or its process is noticed in seconds, whatever is being measured.
#ifndef RAILGAUGE_LIB_PEER_LINK_H_
#define RAILGAUGE_LIB_PEER_LINK_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/base/units.h"
#include "lib/peer/frame.h"
#include "lib/peer/tls.h"

namespace railgauge {

using LinkClock = std::chrono::steady_clock;

struct LinkTimings {
  Nanoseconds connect = std::chrono::seconds{10};   // name resolution and TCP together
  Nanoseconds handshake = std::chrono::seconds{5};  // from the connection to the first message
  Nanoseconds heartbeat = std::chrono::seconds{1};
  Nanoseconds silence = std::chrono::seconds{5};
};

class Link {
 public:
  // `socket` is connected and non-blocking; `context` must outlive the link.
  Link(UniqueFd socket, const TlsContext& context, const LinkTimings& timings,
       LinkClock::time_point now);

  int fd() const { return socket_.get(); }
  short events() const;  // for poll(2)
  LinkClock::time_point NextTimer() const;

  // Does what can be done without waiting. `revents` is what poll(2) found; 0: only time passed.
  void Drive(short revents, LinkClock::time_point now);

  // Queues a message; a later Drive sends it. Nothing once the link is closed.
  void Send(std::string_view message);
  // The next message that has come; also those that came before the link closed.
  std::optional<std::string> Receive();

  // Ends it in order: what is queued is sent, then this side says that it ends, then the link waits
  // for the other side to end too (else the kernel may throw away what it has not read yet), at
  // most for the time of a handshake.
  void Finish(LinkClock::time_point now);

  // The other side has proven that it holds the token.
  bool proven() const { return tls_ && tls_->state() == TlsSession::State::kOpen; }
  // The first message has come. Until then the time for a handshake runs.
  void Accept() {
    if (!finishing_) deadline_.reset();
  }

  // After Finish: all is sent, only the other side's end is still waited for.
  bool said_all() const { return shut_down_; }
  bool closed() const { return !socket_.valid(); }
  // Why it closed, in words. Its reason is empty when the other side ended it in order.
  const Error& why() const { return why_; }

 private:
  void ReadSocket(LinkClock::time_point now);
  void WriteSocket(LinkClock::time_point now);
  void HandlePlain(const std::string& plain, LinkClock::time_point now);
  void Close(Error why);

  UniqueFd socket_;
  const TlsContext* context_;
  LinkTimings timings_;
  // A server makes it with the first bytes, so that those who only connect cost little.
  std::optional<TlsSession> tls_;
  FrameReader reader_;
  std::string out_;  // for the network
  bool finishing_ = false;
  bool shut_down_ = false;
  std::optional<LinkClock::time_point> deadline_;  // of the handshake, and of finishing
  LinkClock::time_point last_heard_;
  LinkClock::time_point last_sent_;
  Error why_;
};

// What every socket of the channel has set: no delay, and the kernel's own watch over the
// connection, for what is still in its buffers when a process dies.
void SetSocketOptions(int fd, const LinkTimings& timings);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_LINK_H_
