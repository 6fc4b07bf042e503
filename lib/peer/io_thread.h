// What the channel's threads need: to be woken from poll(2), and to leave signals to others.
#ifndef RAILGAUGE_LIB_PEER_IO_THREAD_H_
#define RAILGAUGE_LIB_PEER_IO_THREAD_H_

#include <functional>
#include <thread>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/peer/link.h"

namespace railgauge {

// Wakes a thread that polls fd() for reading.
class Waker {
 public:
  static Result<Waker> Create();

  int fd() const { return fd_.get(); }
  void Wake() const;
  void Clear() const;  // by the thread that was woken

 private:
  UniqueFd fd_;  // of eventfd(2)
};

// A thread on which no signal is handled that is meant for the process: an interrupt has to end the
// waits of the main thread, not these.
std::thread StartIoThread(std::function<void()> run);

// What poll(2) is to wait: until `when`, rounded up so that it does not wake just before.
int PollTimeout(LinkClock::time_point now, LinkClock::time_point when);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_IO_THREAD_H_
