// EventChannel: the descriptor from which user space reads events, one per read(2).
//
// A SEQPACKET socket pair: poll(2), O_NONBLOCK and blocking reads work with no interposition. What
// the application has not read yet can be taken back, as destroying a CQ does.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_EVENT_CHANNEL_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_EVENT_CHANNEL_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <tl/expected.hpp>

namespace railgauge {

class EventChannel {
 public:
  struct Created;
  // ENFILE, EMFILE and the like as errno values.
  static tl::expected<Created, int> Create();
  // Only the sending end, of a channel that another process made; owns it.
  explicit EventChannel(int device_end) : EventChannel(device_end, -1) {}
  ~EventChannel();
  EventChannel(const EventChannel&) = delete;
  EventChannel& operator=(const EventChannel&) = delete;

  // A completion event of the CQ that user space knows as `user_handle`. False when the channel is
  // full or closed, and the event lost.
  bool SendCompletion(uint64_t user_handle);

  // An asynchronous event of the whole device; `event_type` as in enum ibv_event_type.
  bool SendDeviceEvent(uint32_t event_type);

  // The end that events are sent to.
  int device_end() const { return device_end_; }

  // Takes back unread completion events of that CQ; how many there were.
  uint32_t RetractCompletions(uint64_t user_handle);

 private:
  EventChannel(int device_end, int peek_end) : device_end_(device_end), peek_end_(peek_end) {}
  std::mutex mutex_;
  const int device_end_;
  const int peek_end_;  // the application's end once more, to take events back
};

struct EventChannel::Created {
  std::shared_ptr<EventChannel> channel;
  int application_fd = -1;  // owned by the application from here on
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_EVENT_CHANNEL_H_
