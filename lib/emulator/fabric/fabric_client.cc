#include "lib/emulator/fabric/fabric_client.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "lib/emulator/fabric/message_socket.h"
#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {

// Far above what any command takes, and below what a person takes for a hang.
constexpr Nanoseconds kPatience = std::chrono::seconds(10);

iovec Part(std::span<const std::byte> bytes) {
  return {.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
}

}  // namespace

Result<std::unique_ptr<FabricClient>> FabricClient::Connect(const std::string& name) {
  const int socket = ConnectTo(name);
  if (socket < 0) {
    return Fail(ErrnoError(-socket, "connect to the emulated fabric", name,
                           "It lives as long as the emulate --nodes command that made it"));
  }
  return std::unique_ptr<FabricClient>(new FabricClient(socket));
}

FabricClient::~FabricClient() {
  RawSyscall(SYS_close, socket_);
  if (notices_ >= 0) RawSyscall(SYS_close, notices_.load());
}

void FabricClient::Lose() {
  lost_.store(true, std::memory_order_release);
  RawSyscall(SYS_shutdown, socket_, SHUT_RDWR);
  const int notices = notices_;
  if (notices >= 0) RawSyscall(SYS_shutdown, notices, SHUT_RDWR);  // wakes the watching thread
}

void FabricClient::LeaveToParent() {
  lost_.store(true, std::memory_order_release);
  // Closed, not shut down: that would end the parent's, too. And while a forked child has it open,
  // the fabric would not see the parent close it.
  RawSyscall(SYS_close, socket_);
  const int notices = notices_;
  if (notices >= 0) RawSyscall(SYS_close, notices);
}

FabricClient::Outcome FabricClient::Exchange(FabricOp op, uint32_t device,
                                             std::span<const std::byte> request,
                                             std::span<std::byte> reply, const Extra& extra) {
  if (IsLost()) return {};
  const std::lock_guard lock(mutex_);
  RequestHeader header;
  header.op = op;
  header.sequence = ++sequence_;
  header.device = device;
  header.segments = static_cast<uint32_t>(extra.segments.size());
  const std::array<iovec, 3> parts = {Part(std::as_bytes(std::span(&header, 1))), Part(request),
                                      Part(std::as_bytes(extra.segments))};
  if (SendPacket(socket_, parts, extra.fd) != 0) {
    Lose();
    return {};
  }
  std::array<std::byte, 1024> buffer;
  const Packet packet = ReceivePacket(socket_, buffer, kPatience);
  ReplyHeader answer;
  const bool good = packet.bytes > 0 &&
                    ReadWire(buffer.data(), static_cast<size_t>(packet.bytes), 0, &answer) &&
                    answer.sequence == header.sequence;
  Outcome outcome = {answer.status, answer.error_number, packet.fd};
  const size_t body = good ? static_cast<size_t>(packet.bytes) - sizeof answer : 0;
  if (!good || (outcome.ok() && body != reply.size())) {
    if (packet.fd >= 0) RawSyscall(SYS_close, packet.fd);
    Lose();
    return {};
  }
  if (outcome.ok()) std::memcpy(reply.data(), buffer.data() + sizeof answer, body);
  return outcome;
}

bool FabricClient::Watch(std::function<void(const Notice&)> on_notice,
                         std::function<void()> on_lost) {
  on_notice_ = std::move(on_notice);
  on_lost_ = std::move(on_lost);
  int ends[2] = {-1, -1};
  if (RawSyscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, &ends[0]) != 0) {
    return false;
  }
  notices_ = ends[0];
  Empty nothing;
  const Outcome outcome =
      Call(FabricOp::kNotices, 0, Empty{}, &nothing, {.segments = {}, .fd = ends[1]});
  RawSyscall(SYS_close, ends[1]);
  if (!outcome.ok()) return false;
  // Signals are the application's.
  uint64_t all = ~uint64_t{0}, before = 0;
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) all &= ~(uint64_t{1} << (fault - 1));
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  pthread_t thread = {};
  const int error = pthread_create(&thread, nullptr, RunWatch, this);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  if (error == 0) pthread_detach(thread);
  return error == 0;
}

void* FabricClient::RunWatch(void* client) {
  RawSyscall(SYS_prctl, PR_SET_NAME, "efa-fabric");
  auto& self = *static_cast<FabricClient*>(client);
  for (;;) {
    pollfd ready = {.fd = self.notices_, .events = POLLIN, .revents = 0};
    const int64_t polled = RawSyscall(SYS_ppoll, &ready, 1, nullptr, nullptr, 0);
    if (polled == -EINTR || polled == 0) continue;
    Notice notice;
    const Packet packet =
        ReceivePacket(self.notices_, std::as_writable_bytes(std::span(&notice, 1)), Nanoseconds(0));
    if (packet.bytes == -EAGAIN) continue;
    if (packet.bytes != sizeof notice) break;
    self.on_notice_(notice);
  }
  self.Lose();
  self.on_lost_();
  return nullptr;
}

}  // namespace railgauge
