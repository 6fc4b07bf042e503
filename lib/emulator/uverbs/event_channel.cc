#include "lib/emulator/uverbs/event_channel.h"

#include <fcntl.h>
#include <rdma/ib_user_verbs.h>
#include <sys/socket.h>

#include <vector>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

namespace {
int64_t Send(int fd, const ib_uverbs_comp_event_desc& event) {
  return RawSyscall(SYS_sendto, fd, &event, sizeof event, MSG_DONTWAIT | MSG_NOSIGNAL);
}
}  // namespace

tl::expected<EventChannel::Created, int> EventChannel::Create() {
  int ends[2] = {-1, -1};
  const int64_t status =
      RawSyscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, &ends[0]);
  if (status != 0) return tl::unexpected(static_cast<int>(-status));
  const int64_t peek = RawSyscall(SYS_fcntl, ends[1], F_DUPFD_CLOEXEC, 0);
  if (peek < 0) {
    RawSyscall(SYS_close, ends[0]);
    RawSyscall(SYS_close, ends[1]);
    return tl::unexpected(static_cast<int>(-peek));
  }
  return Created{std::shared_ptr<EventChannel>(new EventChannel(ends[0], static_cast<int>(peek))),
                 ends[1]};
}

EventChannel::~EventChannel() {
  RawSyscall(SYS_close, device_end_);
  if (peek_end_ >= 0) RawSyscall(SYS_close, peek_end_);
}

bool EventChannel::SendCompletion(uint64_t user_handle) {
  const std::lock_guard lock(mutex_);
  return Send(device_end_, {.cq_handle = user_handle}) == sizeof(ib_uverbs_comp_event_desc);
}

bool EventChannel::SendDeviceEvent(uint32_t event_type) {
  const ib_uverbs_async_event_desc event = {.element = 0, .event_type = event_type, .reserved = 0};
  const std::lock_guard lock(mutex_);
  return RawSyscall(SYS_sendto, device_end_, &event, sizeof event, MSG_DONTWAIT | MSG_NOSIGNAL) ==
         sizeof event;
}

uint32_t EventChannel::RetractCompletions(uint64_t user_handle) {
  const std::lock_guard lock(mutex_);
  uint32_t retracted = 0;
  std::vector<ib_uverbs_comp_event_desc> others;
  ib_uverbs_comp_event_desc event = {};
  while (RawSyscall(SYS_recvfrom, peek_end_, &event, sizeof event, MSG_DONTWAIT) == sizeof event) {
    if (event.cq_handle == user_handle) {
      ++retracted;
    } else {
      others.push_back(event);
    }
  }
  for (const ib_uverbs_comp_event_desc& other : others) Send(device_end_, other);
  return retracted;
}

}  // namespace railgauge
