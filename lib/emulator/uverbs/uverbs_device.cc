#include "lib/emulator/uverbs/uverbs_device.h"

namespace railgauge {

int UverbsDevice::RegistrationError(RegistrationWay way) const {
  for (const EmulatedNicFault& fault : nic->faults) {
    const bool registration = fault.kind == EmulatedNicFault::Kind::kRegistrationFails;
    if (registration && fault.way == way) return static_cast<int>(fault.code);
  }
  return 0;
}

int UverbsDevice::OpenError() const {
  for (const EmulatedNicFault& fault : nic->faults) {
    if (fault.kind == EmulatedNicFault::Kind::kOpenFails) return static_cast<int>(fault.code);
  }
  return 0;
}

}  // namespace railgauge
