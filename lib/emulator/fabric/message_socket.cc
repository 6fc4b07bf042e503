#include "lib/emulator/fabric/message_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include <cerrno>
#include <cstring>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

struct Address {
  sockaddr_un address = {};
  uint32_t length = 0;
};

Address AbstractAddress(const std::string& name) {
  Address result;
  result.address.sun_family = AF_UNIX;
  // The leading zero byte is what makes it abstract.
  const size_t length = std::min(name.size(), sizeof result.address.sun_path - 1);
  std::memcpy(&result.address.sun_path[1], name.data(), length);
  result.length = static_cast<uint32_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return result;
}

int NewSocket() {
  return static_cast<int>(RawSyscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

Nanoseconds Now() {
  timespec now = {};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

// 0, or -ETIMEDOUT.
int WaitForPacket(int socket, Nanoseconds deadline) {
  for (;;) {
    const Nanoseconds left = deadline - Now();
    if (left <= Nanoseconds(0)) return -ETIMEDOUT;
    timespec timeout = {.tv_sec = left.count() / 1'000'000'000,
                        .tv_nsec = left.count() % 1'000'000'000};
    pollfd ready = {.fd = socket, .events = POLLIN, .revents = 0};
    if (RawSyscall(SYS_ppoll, &ready, 1, &timeout, nullptr, 0) > 0) return 0;
  }
}

constexpr size_t kControlBytes = CMSG_SPACE(sizeof(int));

}  // namespace

int ListenOn(const std::string& name) {
  const int fd = NewSocket();
  if (fd < 0) return fd;
  const Address address = AbstractAddress(name);
  int64_t status = RawSyscall(SYS_bind, fd, &address.address, address.length);
  constexpr int kBacklog = 128;
  if (status == 0) status = RawSyscall(SYS_listen, fd, kBacklog);
  if (status == 0) return fd;
  RawSyscall(SYS_close, fd);
  return static_cast<int>(status);
}

int ConnectTo(const std::string& name) {
  const int fd = NewSocket();
  if (fd < 0) return fd;
  const Address address = AbstractAddress(name);
  const int64_t status = RawSyscall(SYS_connect, fd, &address.address, address.length);
  if (status == 0) return fd;
  RawSyscall(SYS_close, fd);
  return static_cast<int>(status);
}

int SendPacket(int socket, std::span<const iovec> parts, int fd) {
  msghdr message = {};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  alignas(cmsghdr) char control[kControlBytes] = {};
  if (fd >= 0) {
    message.msg_control = &control[0];
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  for (;;) {
    const int64_t sent = RawSyscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return 0;
    if (sent != -EINTR) return static_cast<int>(sent);
  }
}

Packet ReceivePacket(int socket, std::span<std::byte> buffer, Nanoseconds patience) {
  if (patience > Nanoseconds(0)) {
    if (const int error = WaitForPacket(socket, Now() + patience))
      return {.bytes = error, .fd = -1};
  }
  iovec part = {.iov_base = buffer.data(), .iov_len = buffer.size()};
  alignas(cmsghdr) char control[kControlBytes] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control[0];
  message.msg_controllen = sizeof control;
  Packet packet;
  do {
    packet.bytes = RawSyscall(SYS_recvmsg, socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (packet.bytes == -EINTR);
  if (packet.bytes < 0) return packet;
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&message); part_of != nullptr;
       part_of = CMSG_NXTHDR(&message, part_of)) {
    if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) continue;
    std::memcpy(&packet.fd, CMSG_DATA(part_of), sizeof packet.fd);
  }
  return packet;
}

}  // namespace railgauge
