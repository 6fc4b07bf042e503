#include "lib/peer/channel.h"

#include <poll.h>

#include <utility>

#include "fmt/core.h"
#include "lib/peer/socket.h"

namespace railgauge {
namespace {

// Longer than a server keeps a client waiting for its turn.
constexpr int kPatience = 2;
constexpr size_t kMaxAnswers = 4;

std::string VersionsDiffer(uint32_t peer) {
  return fmt::format("it speaks version {} of the control channel, this railgauge version {}", peer,
                     kProtocolVersion);
}

}  // namespace

Result<std::unique_ptr<Channel>> Channel::Connect(const HostPort& to, const Token& token,
                                                  const PeerIdentity& self,
                                                  const LinkTimings& timings) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto context, TlsContext::Create(TlsContext::Side::kClient, token));
  RAILGAUGE_ASSIGN_OR_RETURN(Waker waker, Waker::Create());
  RAILGAUGE_ASSIGN_OR_RETURN(UniqueFd socket, ConnectTcp(to, timings.connect));
  std::unique_ptr<Channel> channel(
      new Channel(to.ToString(), std::move(context), std::move(waker), std::move(socket), timings));
  RAILGAUGE_RETURN_IF_ERROR(channel->Greet(self, timings));
  return channel;
}

Channel::Channel(std::string name, std::unique_ptr<TlsContext> context, Waker waker,
                 UniqueFd socket, const LinkTimings& timings)
    : name_(std::move(name)),
      context_(std::move(context)),
      waker_(std::move(waker)),
      link_(std::move(socket), *context_, timings, LinkClock::now()) {}

Channel::~Channel() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  waker_.Wake();
  if (thread_.joinable()) thread_.join();
}

Status Channel::Greet(const PeerIdentity& self, const LinkTimings& timings) {
  outgoing_.push_back(Encode(Hello{kProtocolVersion, self}));
  thread_ = StartIoThread([this] { Run(); });
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string answer, Await(timings.handshake * kPatience));
  if (const auto refusal = Decode<Refusal>(answer)) {
    if (refusal->protocol != kProtocolVersion) {
      return Fail(MakeError("control channel", name_, VersionsDiffer(refusal->protocol),
                            "Run one version of railgauge on both hosts"));
    }
    return Fail(MakeError("control channel", name_, refusal->reason,
                          "Wait until it is free, or start another railgauge serve there with a "
                          "--listen port of its own"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const Welcome welcome, Decode<Welcome>(answer));
  if (welcome.protocol != kProtocolVersion) {
    return Fail(MakeError("control channel", name_, VersionsDiffer(welcome.protocol),
                          "Run one version of railgauge on both hosts"));
  }
  peer_ = welcome.identity;
  return {};
}

Result<std::string> Channel::Exchange(std::string_view message, Nanoseconds timeout) {
  {
    const std::lock_guard lock(mutex_);
    if (broken_) return Fail(*broken_);
    outgoing_.emplace_back(message);
  }
  waker_.Wake();
  return Await(timeout);
}

Result<std::string> Channel::Await(Nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  const bool there =
      changed_.wait_for(lock, timeout, [&] { return broken_ || !incoming_.empty(); });
  if (!incoming_.empty()) {
    std::string message = std::move(incoming_.front());
    incoming_.pop_front();
    return message;
  }
  if (!there) {
    // The answer may still come, and would then be taken for that of the next request.
    broken_ =
        MakeError("control channel", name_, "no answer came within " + FormatDuration(timeout),
                  "Look at the output of `railgauge serve` there");
    gone_ = true;
    ending_ = true;
    waker_.Wake();
  }
  return Fail(*broken_);
}

std::optional<Error> Channel::why_gone() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

void Channel::Break(Error error) {
  error.object = name_;
  if (error.reason.empty()) error.reason = "the peer ended it";
  const std::lock_guard lock(mutex_);
  if (!broken_) broken_ = std::move(error);
  gone_ = true;
  changed_.notify_all();
}

void Channel::Run() {
  bool greeted = false;
  while (!link_.closed()) {
    auto now = LinkClock::now();
    pollfd fds[2] = {{waker_.fd(), POLLIN, 0}, {link_.fd(), link_.events(), 0}};
    const int ready = ::poll(fds, 2, PollTimeout(now, link_.NextTimer()));
    now = LinkClock::now();
    if (ready > 0 && fds[0].revents != 0) waker_.Clear();
    link_.Drive(ready > 0 ? fds[1].revents : short{0}, now);
    {
      const std::lock_guard lock(mutex_);
      while (auto message = link_.Receive()) {
        greeted = true;
        incoming_.push_back(*std::move(message));
        changed_.notify_all();
      }
      while (link_.proven() && !outgoing_.empty()) {
        link_.Send(outgoing_.front());
        outgoing_.pop_front();
      }
      // An answer to each request, and no more.
      if (ending_ || incoming_.size() > kMaxAnswers) link_.Finish(now);
    }
    if (greeted) link_.Accept();
    link_.Drive(0, now);  // what was just queued
    if (link_.said_all()) break;
  }
  Break(link_.why());
}

}  // namespace railgauge
