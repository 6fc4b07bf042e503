// How an admin command of a device runs: under the fabric's lock, counted, and not at all on a
// device that is gone.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_ADMIN_COMMAND_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_ADMIN_COMMAND_H_

#include <type_traits>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/fabric_state.h"

namespace railgauge::efa {

inline bool Succeeded(AdminStatus status) { return status == AdminStatus::kSuccess; }
template <typename T>
bool Succeeded(const AdminResult<T>& result) {
  return result.has_value();
}

// Runs an admin command under the fabric's lock, and counts it.
template <typename Body>
auto Execute(DeviceState& device, Body body) {
  Engine& engine = device.fabric.engine;
  Engine::Lock lock = engine.Acquire();
  ++device.stats.submitted_cmds;
  auto result = body(lock);
  ++device.stats.completed_cmds;
  if (!Succeeded(result)) ++device.stats.cmds_err;
  engine.Release(lock);
  return result;
}

inline bool IsGone(const DeviceState& device) {
  return device.faults.IsRemoved(device.fabric.engine.Now());
}

// As Execute, for commands that a device which is gone does not answer: all but those that give
// something back, which a driver then does by itself.
template <typename Body>
auto ExecuteUnlessGone(DeviceState& device, Body body) {
  return Execute(device, [&](Engine::Lock& lock) -> decltype(body(lock)) {
    if (!IsGone(device)) return body(lock);
    if constexpr (std::is_same_v<decltype(body(lock)), AdminStatus>) {
      return AdminStatus::kNoDevice;
    } else {
      return tl::unexpected(AdminStatus::kNoDevice);
    }
  });
}

inline tl::unexpected<AdminStatus> Refuse(AdminStatus status) { return tl::unexpected(status); }

inline tl::unexpected<AdminStatus> Exhausted() {
  return Refuse(AdminStatus::kResourceAllocationFailure);
}

inline tl::unexpected<AdminStatus> Illegal() { return Refuse(AdminStatus::kIllegalParameter); }

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_ADMIN_COMMAND_H_
