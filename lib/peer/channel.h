// Channel: the measuring host's end of the control channel, kept alive by a thread of its own while
// the caller measures.
#ifndef RAILGAUGE_LIB_PEER_CHANNEL_H_
#define RAILGAUGE_LIB_PEER_CHANNEL_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/peer/host_port.h"
#include "lib/peer/io_thread.h"
#include "lib/peer/link.h"
#include "lib/peer/messages.h"
#include "lib/peer/tls.h"
#include "lib/peer/token.h"

namespace railgauge {

class Channel {
 public:
  // Connects to `railgauge serve` and is let in. Errors, each within its deadline: nobody there,
  // another token, another version, busy with somebody else.
  static Result<std::unique_ptr<Channel>> Connect(const HostPort& to, const Token& token,
                                                  const PeerIdentity& self,
                                                  const LinkTimings& timings = {});
  // Ends the channel in order.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  const PeerIdentity& peer() const { return peer_; }

  // Asks and waits for the answer, at most `timeout`; after that, or once the channel has ended,
  // every call gives the same Error. For one thread.
  template <typename Answer, typename Request>
  Result<Answer> Ask(const Request& request, Nanoseconds timeout) {
    RAILGAUGE_ASSIGN_OR_RETURN(const std::string answer, Exchange(Encode(request), timeout));
    return DecodeAnswer<Answer>(answer);
  }
  Result<std::string> Exchange(std::string_view message, Nanoseconds timeout);

  // Set once the channel has ended, whatever this side is doing then; and why it did.
  const std::atomic<bool>& gone() const { return gone_; }
  std::optional<Error> why_gone() const;

 private:
  Channel(std::string name, std::unique_ptr<TlsContext> context, Waker waker, UniqueFd socket,
          const LinkTimings& timings);

  Status Greet(const PeerIdentity& self, const LinkTimings& timings);
  Result<std::string> Await(Nanoseconds timeout);
  void Run();  // the thread
  void Break(Error error);

  const std::string name_;  // of the peer, as the user gave it
  const std::unique_ptr<TlsContext> context_;
  const Waker waker_;
  PeerIdentity peer_;
  std::atomic<bool> gone_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> outgoing_;
  std::deque<std::string> incoming_;
  std::optional<Error> broken_;
  bool ending_ = false;

  Link link_;  // the thread's own, once that runs
  std::thread thread_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_CHANNEL_H_
