#include "lib/peer/socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "lib/peer/io_thread.h"

namespace railgauge {
namespace {

using Clock = LinkClock;

// Both hosts are often started at the same time, so one that does not listen yet is tried again.
constexpr std::chrono::milliseconds kRetryInterval{200};

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

// What a resolving thread and who waits for it share; the thread may be the last to hold it.
struct Resolution {
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  int error = 0;
  int error_number = 0;
  std::vector<Address> addresses;
};

void Resolve(const HostPort& name, int flags, Resolution* result) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(name.port);
  const int error = ::getaddrinfo(name.host.c_str(), port.c_str(), &hints, &list);
  const int error_number = errno;
  const std::lock_guard lock(result->mutex);
  result->error = error;
  result->error_number = error_number;
  for (const addrinfo* item = list; item != nullptr; item = item->ai_next) {
    Address address;
    std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
    address.length = item->ai_addrlen;
    result->addresses.push_back(address);
  }
  if (list != nullptr) ::freeaddrinfo(list);
  result->finished = true;
  result->done.notify_all();
}

// getaddrinfo(3) waits for name servers as long as it likes, so it does that on a thread of its
// own, which is left alone when the time is up.
Result<std::vector<Address>> AddressesOf(const HostPort& name, int flags, Nanoseconds timeout,
                                         const char* operation) {
  const auto shared = std::make_shared<Resolution>();
  // What is an address already needs no name server, and so no thread.
  Resolve(name, flags | AI_NUMERICHOST, shared.get());
  if (shared->error == EAI_NONAME) {
    shared->finished = false;
    StartIoThread([=] { Resolve(name, flags, shared.get()); }).detach();
  }
  std::unique_lock lock(shared->mutex);
  if (!shared->done.wait_for(lock, timeout, [&] { return shared->finished; })) {
    return Fail(MakeError(operation, name.ToString(),
                          "the name was not resolved within " + FormatDuration(timeout),
                          "Use an IP address, or look after the name servers"));
  }
  if (shared->error == EAI_SYSTEM) {
    return Fail(ErrnoError(shared->error_number, operation, name.ToString()));
  }
  if (shared->error != 0) {
    return Fail(MakeError(operation, name.ToString(), ::gai_strerror(shared->error),
                          "Check the host's name"));
  }
  return shared->addresses;
}

// 0, or the errno why not.
int ConnectWithin(int fd, const Address& address, Clock::time_point deadline) {
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(fd, generic, address.length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  while (true) {
    pollfd waiting = {fd, POLLOUT, 0};
    const int ready = ::poll(&waiting, 1, PollTimeout(Clock::now(), deadline));
    if (ready < 0 && errno == EINTR) return EINTR;  // a signal ends the wait, as everywhere
    if (ready < 0) return errno;
    if (ready == 0 && Clock::now() < deadline) continue;
    if (ready == 0) return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof(error);
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
    return error;
  }
}

const char* ConnectAdvice(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "Start `railgauge serve` there, or name its port: HOST:PORT";
    case ETIMEDOUT:
      return "Look whether the host is up, and whether its security group or firewall lets TCP to "
             "this port in";
    case EINTR:
      return "It was interrupted";
    default:
      return "";
  }
}

UniqueFd NewSocket(int family) {
  return UniqueFd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Tries one after the other, each for its share of the time. 0, or the errno of the last.
int ConnectToAny(const std::vector<Address>& addresses, Clock::time_point deadline,
                 UniqueFd* connected) {
  int error = ETIMEDOUT;
  for (size_t i = 0; i < addresses.size(); ++i) {
    UniqueFd fd = NewSocket(addresses[i].storage.ss_family);
    if (!fd.valid()) {
      error = errno;
      continue;
    }
    const auto now = Clock::now();
    const auto share = (deadline - now) / static_cast<int64_t>(addresses.size() - i);
    error = ConnectWithin(fd.get(), addresses[i], now + share);
    if (error == 0) *connected = std::move(fd);
    if (error == 0 || error == EINTR) break;
  }
  return error;
}

// 0, or the errno why not.
int BindAndListen(int fd, const Address& address) {
  const int on = 1;
  const int off = 0;
  // A server that was restarted must not wait for its old connections to time out.
  (void)::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.storage.ss_family == AF_INET6) {
    (void)::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address.storage);
  constexpr int kBacklog = 128;
  if (::bind(fd, generic, address.length) != 0 || ::listen(fd, kBacklog) != 0) return errno;
  return 0;
}

std::vector<Address> EveryAddress(uint16_t port) {
  Address ipv6;
  auto* const any6 = reinterpret_cast<sockaddr_in6*>(&ipv6.storage);
  any6->sin6_family = AF_INET6;
  any6->sin6_port = htons(port);
  ipv6.length = sizeof(*any6);
  Address ipv4;
  auto* const any4 = reinterpret_cast<sockaddr_in*>(&ipv4.storage);
  any4->sin_family = AF_INET;
  any4->sin_port = htons(port);
  ipv4.length = sizeof(*any4);
  return {ipv6, ipv4};  // the first takes IPv4 too; the second is for hosts without IPv6
}

}  // namespace

Result<UniqueFd> ConnectTcp(const HostPort& to, Nanoseconds timeout) {
  constexpr char kOperation[] = "connect to peer";
  const auto deadline = Clock::now() + timeout;
  RAILGAUGE_ASSIGN_OR_RETURN(const auto addresses, AddressesOf(to, 0, timeout, kOperation));
  while (true) {
    UniqueFd fd;
    int error = ConnectToAny(addresses, deadline, &fd);
    if (error == 0) return fd;
    if (error == ECONNREFUSED && Clock::now() + kRetryInterval < deadline) {
      if (::poll(nullptr, 0, static_cast<int>(kRetryInterval.count())) == 0) continue;
      error = errno;
    }
    return Fail(ErrnoError(error, kOperation, to.ToString(), ConnectAdvice(error)));
  }
}

Result<UniqueFd> ListenTcp(const HostPort& at, Nanoseconds timeout) {
  constexpr char kOperation[] = "listen on";
  std::vector<Address> addresses = EveryAddress(at.port);
  if (!at.host.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(addresses, AddressesOf(at, AI_PASSIVE, timeout, kOperation));
  }
  int error = EADDRNOTAVAIL;
  for (const Address& address : addresses) {
    UniqueFd fd = NewSocket(address.storage.ss_family);
    error = fd.valid() ? BindAndListen(fd.get(), address) : errno;
    if (error == 0) return fd;
    if (error == EADDRINUSE) break;
  }
  return Fail(ErrnoError(error, kOperation, at.ToString(),
                         error == EADDRINUSE ? "Another process has this port: end it, or choose "
                                               "another port (0: any free one)"
                                             : ""));
}

uint16_t PortOf(int fd) {
  sockaddr_storage address = {};
  socklen_t length = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

std::string AddressText(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (address.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr, text,
                sizeof(text));
  } else if (address.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr, text,
                sizeof(text));
  }
  const std::string result = text;
  constexpr std::string_view kMapped = "::ffff:";
  const bool mapped = result.starts_with(kMapped) && result.find('.') != std::string::npos;
  return mapped ? result.substr(kMapped.size()) : result;
}

}  // namespace railgauge
