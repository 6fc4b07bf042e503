// CompletionEvents: which event channel hears of which completion queue of one device.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_COMPLETION_EVENTS_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_COMPLETION_EVENTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "lib/emulator/uverbs/event_channel.h"

namespace railgauge {

class CompletionEvents {
 public:
  virtual ~CompletionEvents() = default;
  // Events of `cq` go to `channel` from here on, as those of the CQ that user space knows as
  // `user_handle`. 0 or an errno value.
  virtual int Attach(uint16_t cq, std::shared_ptr<EventChannel> channel, uint64_t user_handle) = 0;
  // The opposite, after the CQ is destroyed. How many events were sent.
  virtual uint32_t Detach(uint16_t cq) = 0;
};

// Of a device whose model runs in this process. Thread-safe.
class LocalCompletionEvents : public CompletionEvents {
 public:
  int Attach(uint16_t cq, std::shared_ptr<EventChannel> channel, uint64_t user_handle) override;
  uint32_t Detach(uint16_t cq) override;
  // An armed CQ got a completion.
  void Raise(uint16_t cq);

 private:
  struct Route {
    std::shared_ptr<EventChannel> channel;
    uint64_t user_handle = 0;
    uint32_t sent = 0;
  };
  std::mutex mutex_;
  std::map<uint16_t, Route> routes_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_COMPLETION_EVENTS_H_
