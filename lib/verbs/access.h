// Access flags of a memory region, as far as a device has the capability.
//
// Asking for remote access that the device cannot serve fails the whole registration with
// EOPNOTSUPP (the kernel driver checks the flags against the device's capabilities), so flags are
// derived from the capabilities and recorded with each census row.
#ifndef RAILGAUGE_LIB_VERBS_ACCESS_H_
#define RAILGAUGE_LIB_VERBS_ACCESS_H_

#include <string>

namespace railgauge {

// IBV_ACCESS_LOCAL_WRITE, and IBV_ACCESS_REMOTE_READ / _REMOTE_WRITE where the device can.
int AccessFlagsFor(bool rdma_read, bool rdma_write);

// "local_write|remote_read", in the order of the bits; "none" for 0. Unknown bits are shown as hex.
std::string AccessFlagsToString(int access);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_ACCESS_H_
