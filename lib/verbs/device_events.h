// Asynchronous events of a device (ibv_get_async_event(3)), for those who only want to know whether
// it is still there.
#ifndef RAILGAUGE_LIB_VERBS_DEVICE_EVENTS_H_
#define RAILGAUGE_LIB_VERBS_DEVICE_EVENTS_H_

#include <infiniband/verbs.h>

namespace railgauge {

// Takes the events that have come, without waiting for any. True when one of them says that the
// device is lost: IBV_EVENT_DEVICE_FATAL, which the kernel sends when it was removed or reset, and
// after which nothing of it completes any more. One thread at a time.
bool TakeDeviceFatal(ibv_context* context);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_DEVICE_EVENTS_H_
