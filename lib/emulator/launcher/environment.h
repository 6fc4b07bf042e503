// What the launcher tells the preload library, by environment variables of the emulated process.
#ifndef RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENVIRONMENT_H_
#define RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENVIRONMENT_H_

namespace railgauge {

// Which machine, for people and as the mark of an emulated process; what it is stands in
// kMachineFile.
inline constexpr char kSpecVariable[] = "RAILGAUGE_EMULATED_SPEC";

// Octal permission bits of the uverbs nodes, which belong to root: "0666" as udev sets them.
inline constexpr char kDeviceModeVariable[] = "RAILGAUGE_EMULATED_DEVICE_MODE";

// Of one of several machines on a fabric that another process runs: the abstract name of that
// process's socket, and which machine this is. Absent: the devices live in the process itself.
inline constexpr char kFabricVariable[] = "RAILGAUGE_EMULATED_FABRIC";
inline constexpr char kNodeVariable[] = "RAILGAUGE_EMULATED_NODE";

// In the emulated /sys: links to the libraries that the emulated process loads, and the machine
// (machine_file.h). Also what tells a person that this /sys is not real.
inline constexpr char kSupportFolder[] = "/sys/.railgauge-emulated";
inline constexpr char kMachineFile[] = "/sys/.railgauge-emulated/machine";
// Where faults can be switched: a 64-bit number that counts how often kMachineFile was replaced.
inline constexpr char kSwitchesFile[] = "/sys/.railgauge-emulated/switches";

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_LAUNCHER_ENVIRONMENT_H_
