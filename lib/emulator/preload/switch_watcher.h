// SwitchWatcher: the thread that takes over what was switched on the emulated machine while it
// runs.
//
// The launcher writes the machine anew (launcher/machine_file.h) and counts a number up; this looks
// at the number some fifty times a second. There is no thread where the machine has no control
// socket.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_SWITCH_WATCHER_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_SWITCH_WATCHER_H_

#include <cstdint>

#include "lib/emulator/device/device.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

class SwitchWatcher {
 public:
  // Starts the thread where there is something to watch. `fabric` runs `machine` as its node 0 and
  // lives from here on.
  static void Start(efa::Fabric* fabric, const EmulatedMachine& machine);

 private:
  SwitchWatcher(efa::Fabric* fabric, const EmulatedMachine& machine, int file)
      : fabric_(*fabric), machine_(machine), file_(file) {}
  static void* Run(void* watcher);
  void Loop();
  uint64_t Generation() const;
  void TakeOver();

  efa::Fabric& fabric_;
  EmulatedMachine machine_;  // as the fabric has it
  const int file_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_SWITCH_WATCHER_H_
