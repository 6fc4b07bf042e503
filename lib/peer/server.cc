#include "lib/peer/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "fmt/core.h"
#include "lib/peer/socket.h"

namespace railgauge {
namespace {

// A client asks one thing at a time.
constexpr size_t kMaxRequests = 4;
// So many at a time, so that the client's own messages never wait for a flood.
constexpr int kAcceptsPerPass = 16;
// After the kernel had no socket to give: it will not have one at once.
constexpr auto kAcceptPause = std::chrono::milliseconds{100};

std::string UtcText(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm fields = {};
  ::gmtime_r(&seconds, &fields);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

}  // namespace

ServedClient::~ServedClient() {
  {
    const std::lock_guard lock(server_->mutex_);
    server_->turn_ = Server::Turn::kOver;
  }
  server_->waker_.Wake();
}

Result<std::optional<std::string>> ServedClient::Next(Nanoseconds timeout) {
  std::unique_lock lock(server_->mutex_);
  server_->changed_.wait_for(lock, timeout,
                             [&] { return server_->client_gone_ || !server_->requests_.empty(); });
  if (!server_->requests_.empty()) {
    std::string request = std::move(server_->requests_.front());
    server_->requests_.pop_front();
    return std::optional(std::move(request));
  }
  if (server_->client_gone_) return Fail(server_->why_gone_);
  return std::nullopt;
}

void ServedClient::Reply(std::string message) {
  {
    const std::lock_guard lock(server_->mutex_);
    server_->replies_.push_back(std::move(message));
  }
  server_->waker_.Wake();
}

const std::atomic<bool>& ServedClient::gone() const { return server_->client_gone_; }

Result<std::unique_ptr<Server>> Server::Listen(const HostPort& at, const Token& token,
                                               const PeerIdentity& self,
                                               const ServerOptions& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto context, TlsContext::Create(TlsContext::Side::kServer, token));
  RAILGAUGE_ASSIGN_OR_RETURN(Waker waker, Waker::Create());
  RAILGAUGE_ASSIGN_OR_RETURN(UniqueFd socket, ListenTcp(at, options.timings.connect));
  std::unique_ptr<Server> server(
      new Server(std::move(context), std::move(waker), std::move(socket), self, options));
  server->thread_ = StartIoThread([&server = *server] { server.Run(); });
  return server;
}

Server::Server(std::unique_ptr<TlsContext> context, Waker waker, UniqueFd socket, PeerIdentity self,
               const ServerOptions& options)
    : context_(std::move(context)),
      waker_(std::move(waker)),
      socket_(std::move(socket)),
      self_(std::move(self)),
      options_(options),
      port_(PortOf(socket_.get())),
      accept_credit_(options.accept_burst),
      credit_at_(LinkClock::now()),
      no_accept_before_(credit_at_) {}

Server::~Server() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  waker_.Wake();
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<ServedClient> Server::NextClient(Nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, timeout, [&] { return turn_ == Turn::kOffered; })) return nullptr;
  turn_ = Turn::kTaken;
  return std::unique_ptr<ServedClient>(new ServedClient(this, client_identity_, client_address_));
}

ServerCounts Server::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Server::Run() {
  std::vector<pollfd> fds;
  while (true) {
    Poll(&fds);
    const auto now = LinkClock::now();
    // In the order in which Poll listed them. The client first: the others have time.
    if (fds[0].revents != 0) waker_.Clear();
    {
      const std::lock_guard lock(mutex_);
      if (ending_) break;
    }
    EndTurn(now);
    DriveClient(fds[1].revents, now);
    size_t index = 3;  // EndTurn may have added one that poll(2) did not see
    for (Waiting& waiting : waiting_) {
      DriveWaiting(&waiting, index < fds.size() ? fds[index].revents : short{0}, now);
      ++index;
    }
    GiveTurn(now);
    std::erase_if(waiting_, [](const Waiting& waiting) { return waiting.link.closed(); });
    if (fds[2].revents != 0) AcceptSome(now);
  }
  // The client is told; nobody waits for the others.
  if (client_) client_->Finish(LinkClock::now());
}

void Server::Poll(std::vector<pollfd>* fds) {
  const auto now = LinkClock::now();
  fds->clear();
  fds->push_back({waker_.fd(), POLLIN, 0});
  // poll(2) passes over what has a negative descriptor.
  const bool has_client = client_ && !client_->closed();
  fds->push_back({has_client ? client_->fd() : -1, has_client ? client_->events() : short{0}, 0});
  fds->push_back({MayAccept(now) ? socket_.get() : -1, POLLIN, 0});
  for (const Waiting& waiting : waiting_) {
    fds->push_back({waiting.link.fd(), waiting.link.events(), 0});
  }
  if (::poll(fds->data(), fds->size(), PollTimeout(now, NextTimer(now))) <= 0) {
    for (pollfd& fd : *fds) fd.revents = 0;
  }
}

LinkClock::time_point Server::NextTimer(LinkClock::time_point now) const {
  auto next = now + std::chrono::hours{1};
  if (no_accept_before_ > now) next = std::min(next, no_accept_before_);
  if (client_ && !client_->closed()) next = std::min(next, client_->NextTimer());
  for (const Waiting& waiting : waiting_) {
    next = std::min(next, waiting.link.NextTimer());
    if (waiting.hello) next = std::min(next, waiting.since + options_.timings.handshake / 2);
  }
  return next;
}

bool Server::MayAccept(LinkClock::time_point now) {
  if (now < no_accept_before_) return false;
  const double seconds = std::chrono::duration<double>(now - credit_at_).count();
  credit_at_ = now;
  accept_credit_ =
      std::min(options_.accept_burst, accept_credit_ + seconds * options_.accepts_per_second);
  if (accept_credit_ >= 1) return true;
  no_accept_before_ = now + std::chrono::ceil<Nanoseconds>(std::chrono::duration<double>(
                                (1 - accept_credit_) / options_.accepts_per_second));
  return false;
}

void Server::AcceptSome(LinkClock::time_point now) {
  for (int i = 0; i < kAcceptsPerPass && accept_credit_ >= 1; ++i) {
    sockaddr_storage address = {};
    socklen_t length = sizeof(address);
    UniqueFd fd(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.valid()) {
      // EMFILE and the like leave it in the queue: without a pause poll(2) would report it at once.
      const bool none = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
      if (!none) no_accept_before_ = now + kAcceptPause;
      return;
    }
    accept_credit_ -= 1;
    const std::lock_guard lock(mutex_);
    ++counts_.accepted;
    if (waiting_.size() >= options_.max_waiting) {
      if (!waiting_.front().refused) ++counts_.strangers;
      waiting_.pop_front();
    }
    waiting_.push_back({Link(std::move(fd), *context_, options_.timings, now), AddressText(address),
                        now, std::nullopt, false});
    counts_.most_waiting = std::max(counts_.most_waiting, waiting_.size());
  }
}

void Server::DriveWaiting(Waiting* waiting, short revents, LinkClock::time_point now) {
  waiting->link.Drive(revents, now);
  while (auto message = waiting->link.Receive()) {
    if (!waiting->refused && !waiting->hello) HearHello(waiting, *message, now);
  }
  if (waiting->link.closed() && !waiting->refused) {
    const std::lock_guard lock(mutex_);
    ++counts_.strangers;
  }
}

void Server::HearHello(Waiting* waiting, const std::string& message, LinkClock::time_point now) {
  const auto any = Decode<AnyHello>(message);
  if (any && any->protocol != kProtocolVersion) {
    {
      const std::lock_guard lock(mutex_);
      ++counts_.other_versions;
    }
    return Refuse(waiting,
                  fmt::format("it speaks version {} of the control channel, you speak version {}",
                              kProtocolVersion, any->protocol),
                  now);
  }
  const auto hello = Decode<Hello>(message);
  if (!hello) {
    {
      const std::lock_guard lock(mutex_);
      ++counts_.strangers;
    }
    return Refuse(waiting, hello.error().ToString(), now);
  }
  waiting->hello = hello->identity;
}

void Server::Refuse(Waiting* waiting, std::string reason, LinkClock::time_point now) {
  waiting->refused = true;
  waiting->hello.reset();
  waiting->link.Send(Encode(Refusal{kProtocolVersion, std::move(reason)}));
  waiting->link.Finish(now);
}

void Server::DriveClient(short revents, LinkClock::time_point now) {
  if (!client_ || client_->closed()) return;
  client_->Drive(revents, now);
  const std::lock_guard lock(mutex_);
  while (auto message = client_->Receive()) requests_.push_back(*std::move(message));
  if (requests_.size() > kMaxRequests) {
    client_->Finish(now);  // no railgauge does that
    requests_.clear();
  }
  for (; !replies_.empty(); replies_.pop_front()) client_->Send(replies_.front());
  client_->Drive(0, now);
  if (client_->closed()) {
    why_gone_ = client_->why();
    why_gone_.object = client_name_;
    client_gone_ = true;
  }
  // Also of a request: else it waits until its reader looks for something else.
  if (client_gone_ || !requests_.empty()) changed_.notify_all();
}

// When the caller is done with the client, its link ends in order among the waiting ones.
void Server::EndTurn(LinkClock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (turn_ != Turn::kOver) return;
  for (; !replies_.empty(); replies_.pop_front()) client_->Send(replies_.front());
  if (!client_->closed()) {
    client_->Finish(now);
    waiting_.push_back({*std::move(client_), client_address_, now, std::nullopt, true});
  }
  client_.reset();
  requests_.clear();
  client_gone_ = false;
  turn_ = Turn::kFree;
}

// Lets the one in that has waited longest with a good hello; tells the others that it is busy. Only
// while a client that is gone is still being cleared away, they may wait a little for their turn.
void Server::GiveTurn(LinkClock::time_point now) {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const auto here = it++;
    if (!here->hello || here->link.closed()) continue;
    if (!client_) {
      const std::lock_guard lock(mutex_);
      client_identity_ = *here->hello;
      client_address_ = here->address;
      client_name_ = fmt::format("{} ({})", client_identity_.host, client_address_);
      client_since_ = std::chrono::system_clock::now();
      client_ = std::move(here->link);
      client_->Accept();
      client_->Send(Encode(Welcome{kProtocolVersion, self_}));
      client_->Drive(0, now);
      waiting_.erase(here);
      turn_ = Turn::kOffered;
      ++counts_.clients;
      changed_.notify_all();
    } else if (!client_->closed() || now >= here->since + options_.timings.handshake / 2) {
      {
        const std::lock_guard lock(mutex_);
        ++counts_.told_busy;
      }
      Refuse(&*here, BusyText(), now);
    }
  }
}

std::string Server::BusyText() const {
  return fmt::format("busy with {} since {}", client_name_, UtcText(client_since_));
}

}  // namespace railgauge
