// What the launcher tells the preload library, by environment variables of the emulated process.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENVIRONMENT_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENVIRONMENT_H_

namespace railgauge {

// The machine: a specification as scenario/load.h takes it, and the folder of scenarios.
inline constexpr char kSpecVariable[] = "RAILGAUGE_EMULATED_SPEC";
inline constexpr char kScenariosVariable[] = "RAILGAUGE_EMULATED_SCENARIOS";

// Octal permission bits of the uverbs nodes, which belong to root: "0666" as udev sets them.
inline constexpr char kDeviceModeVariable[] = "RAILGAUGE_EMULATED_DEVICE_MODE";

// In the emulated /sys: links to the libraries that the emulated process loads. Also what tells a
// person that this /sys is not real.
inline constexpr char kSupportFolder[] = "/sys/.railgauge-emulated";

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENVIRONMENT_H_
