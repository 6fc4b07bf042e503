#include "lib/verbs/device_events.h"

#include <poll.h>

namespace railgauge {
namespace {

// Whether reading an event would not block.
bool HasEvent(const ibv_context* context) {
  pollfd ready = {.fd = context->async_fd, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN) != 0;
}

}  // namespace

bool TakeDeviceFatal(ibv_context* context) {
  bool fatal = false;
  while (HasEvent(context)) {
    ibv_async_event event = {};
    if (ibv_get_async_event(context, &event) != 0) break;
    fatal = fatal || event.event_type == IBV_EVENT_DEVICE_FATAL;
    ibv_ack_async_event(&event);
  }
  return fatal;
}

}  // namespace railgauge
