// RawPeer: one end of a control channel driven by hand, for tests of what no railgauge does: an old
// version, a frozen process, one that dies in the middle.
#ifndef RAILGAUGE_LIB_PEER_RAW_PEER_TESTUTIL_H_
#define RAILGAUGE_LIB_PEER_RAW_PEER_TESTUTIL_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/base/units.h"
#include "lib/peer/frame.h"
#include "lib/peer/link.h"
#include "lib/peer/tls.h"
#include "lib/peer/token.h"

namespace railgauge {

// Timings short enough to wait for in a test, and long enough for a busy host.
LinkTimings TestTimings();

// A plain TCP connection to 127.0.0.1.
UniqueFd ConnectToLocalhost(uint16_t port);
// The next connection of a socket of ListenTcp.
UniqueFd AcceptFrom(const UniqueFd& listening);
// Whether the other side ends the connection within `timeout`; what it sends before is dropped.
bool EndsWithin(const UniqueFd& fd, Nanoseconds timeout);

class RawPeer {
 public:
  RawPeer(UniqueFd socket, TlsContext::Side side, const Token& token);

  // Goes through the handshake; false when it fails.
  bool Open();
  void Send(std::string_view message);
  // The next message, heartbeats left out; empty when the other side ended or nothing came.
  std::optional<std::string> Receive(Nanoseconds timeout = std::chrono::seconds{20});
  // As a process that is killed: no word of it.
  void Die() { socket_.Reset(); }
  const UniqueFd& socket() const { return socket_; }

 private:
  bool Pump(LinkClock::time_point deadline);
  void Flush();

  UniqueFd socket_;
  std::unique_ptr<TlsContext> context_;
  TlsSession tls_;
  FrameReader reader_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_RAW_PEER_TESTUTIL_H_
