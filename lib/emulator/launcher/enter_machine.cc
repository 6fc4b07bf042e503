#include "lib/emulator/launcher/enter_machine.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fmt/core.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/launcher/machine_file.h"
#include "lib/emulator/launcher/surroundings.h"
#include "lib/scenario/tree.h"

namespace railgauge {

namespace {

// The counters are written by the emulated processes, whoever they run as.
void OpenCounters(const std::string& root) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const auto& device : fs::directory_iterator(root + "/sys/class/infiniband", error)) {
    const fs::path counters = device.path() / "ports/1/hw_counters";
    for (const auto& counter : fs::directory_iterator(counters, error)) {
      chmod(counter.path().c_str(), 0666);
    }
  }
}

Status LinkSupport(const std::string& root, const std::string& name, const std::string& target) {
  const std::string folder = root + kSupportFolder;
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return Fail(ErrnoError(errno, "make folder", folder));
  }
  const std::string link = folder + "/" + name;
  if (symlink(target.c_str(), link.c_str()) != 0) {
    return Fail(ErrnoError(errno, "make link", link));
  }
  return {};
}

// A new file on a tmpfs: nothing to be atomic or durable about.
Status WriteFile(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content << std::flush;
  if (!file) return Fail(MakeError("write", path, "the file cannot be written"));
  return {};
}

void SetInFront(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  std::string joined = value;
  if (old != nullptr && *old != '\0') joined += std::string(":") + old;
  setenv(variable, joined.c_str(), 1);
}

// The id by which tools tell machines of one type apart.
Status NameNode(const std::string& root, uint32_t node) {
  const std::string file = root + "/sys/devices/virtual/dmi/id/board_asset_tag";
  return WriteFile(file, fmt::format("i-emulated-{}\n", node));
}

void SetEnvironment(const EmulatedMachine& machine, const MachineOptions& options) {
  setenv(kSpecVariable, machine.spec.c_str(), 1);
  const std::string mode =
      options.device_mode.empty()
          ? fmt::format("{:04o}", machine.surroundings.device_mode.value_or(0666))
          : options.device_mode;
  setenv(kDeviceModeVariable, mode.c_str(), 1);
  if (options.node) {
    setenv(kFabricVariable, options.node->fabric.c_str(), 1);
    setenv(kNodeVariable, std::to_string(options.node->index).c_str(), 1);
  } else {
    unsetenv(kFabricVariable);
    unsetenv(kNodeVariable);
  }
  const std::string folder = kSupportFolder;
  SetInFront("LD_PRELOAD", folder + "/preload.so");
  SetInFront("LD_LIBRARY_PATH", folder);
}

}  // namespace

Status EnterMachine(const EmulatedMachine& machine, const MachineOptions& options,
                    const std::string& argv0) {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string preload,
                             FindDataFile("lib/emulator/preload/librailgauge_preload.so", argv0));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string cuda,
                             FindDataFile("lib/emulator/cuda/libcuda.so.1", argv0));
  const auto write_tree = [&](const std::string& root) -> Status {
    RAILGAUGE_RETURN_IF_ERROR(WriteTree(machine, root));
    OpenCounters(root);
    if (options.node) RAILGAUGE_RETURN_IF_ERROR(NameNode(root, options.node->index));
    RAILGAUGE_RETURN_IF_ERROR(LinkSupport(root, "preload.so", preload));
    RAILGAUGE_RETURN_IF_ERROR(LinkSupport(root, "libcuda.so.1", cuda));
    return WriteFile(root + kMachineFile, SerializeMachine(machine));
  };
  RAILGAUGE_RETURN_IF_ERROR(EnterPrivateMachine(options.isolation, write_tree));
  RAILGAUGE_RETURN_IF_ERROR(EnterSurroundings(machine.surroundings));
  SetEnvironment(machine, options);
  return {};
}

}  // namespace railgauge
