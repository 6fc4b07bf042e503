// Server: the serving host's end of the control channel: one client at a time, the others told so,
// and strangers kept cheap.
//
// One thread drives all connections. Whoever connects has the time of a handshake to prove that it
// holds the token and to say hello; until then it costs a socket, some bytes and no more than a
// fixed number of others: when there are too many, the one that has waited longest without proving
// anything gives way, so that those who only hold connections open keep nobody out. Connections
// are accepted at a limited rate, which bounds what a flood costs in CPU time; beyond it the
// kernel's own short queue is full and it drops them.
#ifndef RAILGAUGE_LIB_PEER_SERVER_H_
#define RAILGAUGE_LIB_PEER_SERVER_H_

#include <poll.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/peer/host_port.h"
#include "lib/peer/io_thread.h"
#include "lib/peer/link.h"
#include "lib/peer/messages.h"
#include "lib/peer/tls.h"
#include "lib/peer/token.h"

namespace railgauge {

struct ServerOptions {
  LinkTimings timings;
  size_t max_waiting = 64;  // connections that are not the client's
  double accepts_per_second = 1000;
  double accept_burst = 64;
};

// What a server has seen so far.
struct ServerCounts {
  uint64_t accepted = 0;   // connections
  uint64_t strangers = 0;  // ended without proof or without a hello that can be read
  uint64_t other_versions = 0;
  uint64_t told_busy = 0;
  uint64_t clients = 0;     // let in
  size_t most_waiting = 0;  // at once, beside the client
};

class Server;

// The client whose turn it is. Destroying it ends the turn.
class ServedClient {
 public:
  ~ServedClient();
  ServedClient(const ServedClient&) = delete;
  ServedClient& operator=(const ServedClient&) = delete;

  const PeerIdentity& identity() const { return identity_; }
  const std::string& address() const { return address_; }  // "10.0.0.7"

  // The next request; empty after `timeout` without one; an Error once the client is gone (with an
  // empty reason when it ended in order).
  Result<std::optional<std::string>> Next(Nanoseconds timeout);
  void Reply(std::string message);

  // Set once it is gone, whatever the caller is doing for it then.
  const std::atomic<bool>& gone() const;

 private:
  friend class Server;
  ServedClient(Server* server, PeerIdentity identity, std::string address)
      : server_(server), identity_(std::move(identity)), address_(std::move(address)) {}

  Server* server_;
  PeerIdentity identity_;
  std::string address_;
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> Listen(const HostPort& at, const Token& token,
                                                const PeerIdentity& self,
                                                const ServerOptions& options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const { return port_; }

  // Waits for a client, at most `timeout`; null when none came. It must be destroyed before the
  // next is asked for.
  std::unique_ptr<ServedClient> NextClient(Nanoseconds timeout);

  ServerCounts counts() const;

 private:
  friend class ServedClient;

  // A connection that is not the client's.
  struct Waiting {
    Link link;
    std::string address;
    LinkClock::time_point since;
    std::optional<PeerIdentity> hello;  // it is proven and may be the next client
    bool refused = false;               // told why not; it only ends now
  };
  // The client's turn, as the thread and the caller share it.
  enum class Turn {
    kFree,
    kOffered,  // let in, and not yet taken by NextClient
    kTaken,
    kOver,  // the caller is done with it; the thread is not yet
  };

  Server(std::unique_ptr<TlsContext> context, Waker waker, UniqueFd socket, PeerIdentity self,
         const ServerOptions& options);

  // The thread.
  void Run();
  void Poll(std::vector<pollfd>* fds);
  LinkClock::time_point NextTimer(LinkClock::time_point now) const;
  void AcceptSome(LinkClock::time_point now);
  bool MayAccept(LinkClock::time_point now);
  void DriveWaiting(Waiting* waiting, short revents, LinkClock::time_point now);
  void HearHello(Waiting* waiting, const std::string& message, LinkClock::time_point now);
  void DriveClient(short revents, LinkClock::time_point now);
  void EndTurn(LinkClock::time_point now);
  void GiveTurn(LinkClock::time_point now);
  void Refuse(Waiting* waiting, std::string reason, LinkClock::time_point now);
  std::string BusyText() const;

  const std::unique_ptr<TlsContext> context_;
  const Waker waker_;
  const UniqueFd socket_;
  const PeerIdentity self_;
  const ServerOptions options_;
  const uint16_t port_;

  // The thread's own.
  std::list<Waiting> waiting_;  // the longest waiting first
  std::optional<Link> client_;
  std::string client_name_;
  std::chrono::system_clock::time_point client_since_;
  double accept_credit_;
  LinkClock::time_point credit_at_;
  LinkClock::time_point no_accept_before_;

  // Shared.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Turn turn_ = Turn::kFree;
  PeerIdentity client_identity_;
  std::string client_address_;
  std::deque<std::string> requests_;
  std::deque<std::string> replies_;
  Error why_gone_;
  ServerCounts counts_;
  bool ending_ = false;
  std::atomic<bool> client_gone_{false};

  std::thread thread_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_SERVER_H_
