// Registers a Buffer with a device in one of the registration ways.
//
// Whether a way works is found out by a real registration, each way on its own: a module that is
// loaded proves nothing, and dma-buf may work where peer memory does not.
#ifndef RAILGAUGE_LIB_MEMORY_REGISTRATION_H_
#define RAILGAUGE_LIB_MEMORY_REGISTRATION_H_

#include <span>

#include "lib/base/result.h"
#include "lib/memory/buffer.h"
#include "lib/record/place.h"
#include "lib/verbs/memory_region.h"
#include "lib/verbs/protection_domain.h"

namespace railgauge {

// The ways that make sense for a place: host memory has kHost; a GPU has kDmabuf and kPeerMemory,
// in the order in which to prefer them.
std::span<const RegistrationWay> WaysOf(const MemoryPlace& place);

// The whole buffer, which must outlive the region; work requests name it by buffer.address().
// `way` is of WaysOf(buffer.place()). `access`: see Context::AccessFlags(). Errors name the device,
// the place and the way, and what to do.
Result<MemoryRegion> RegisterBuffer(const ProtectionDomain& domain, const Buffer& buffer,
                                    RegistrationWay way, int access);

// By the first of WaysOf() that works, which `*way` then names; else the error of the first.
Result<MemoryRegion> RegisterBufferAnyWay(const ProtectionDomain& domain, const Buffer& buffer,
                                          int access, RegistrationWay* way);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_REGISTRATION_H_
