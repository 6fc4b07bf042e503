#include "lib/emulator/uverbs/completion_events.h"

#include <utility>

namespace railgauge {

int LocalCompletionEvents::Attach(uint16_t cq, std::shared_ptr<EventChannel> channel,
                                  uint64_t user_handle) {
  const std::lock_guard lock(mutex_);
  routes_[cq] = {std::move(channel), user_handle, 0};
  return 0;
}

uint32_t LocalCompletionEvents::Detach(uint16_t cq) {
  const std::lock_guard lock(mutex_);
  const auto route = routes_.find(cq);
  if (route == routes_.end()) return 0;
  const uint32_t sent = route->second.sent;
  routes_.erase(route);
  return sent;
}

void LocalCompletionEvents::Raise(uint16_t cq) {
  const std::lock_guard lock(mutex_);
  const auto route = routes_.find(cq);
  if (route == routes_.end()) return;
  if (route->second.channel->SendCompletion(route->second.user_handle)) ++route->second.sent;
}

}  // namespace railgauge
