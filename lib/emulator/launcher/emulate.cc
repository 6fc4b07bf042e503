// emulate SPEC COMMAND [ARG…]: runs a command on an emulated machine.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "lib/base/result.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/launcher/machine_file.h"
#include "lib/emulator/launcher/private_machine.h"
#include "lib/emulator/launcher/surroundings.h"
#include "lib/scenario/fault/fault.h"
#include "lib/scenario/load.h"
#include "lib/scenario/tree.h"

namespace railgauge {
namespace {

constexpr int kUsageError = 2;
constexpr int kCannotExecute = 127;

constexpr char kHelp[] =
    R"(emulate: run a command on an emulated machine with EFA devices and GPUs.

  emulate [FLAG…] SPEC COMMAND [ARG…]

SPEC is an instance type or a scenario file: p5.48xlarge, p4d.24xlarge, ./mine.yaml
and the faults that make it sick: SPEC,NAME[:TARGET][=VALUE][@START],… (--list-faults tells them).
The command sees that machine's /sys, /proc/cpuinfo, NUMA nodes, CPUs, GPUs (by libcuda.so.1) and
/dev/infiniband; nothing of it is left when the command ends. Its exit status is the command's own.

  --scenarios=DIR   the folder with instances/ (default: the one built with this binary)
  --user=UID        run as this unprivileged user of the emulated machine (a user namespace)
  --device-mode=OCTAL  permission of /dev/infiniband/uverbs*, which root owns (default 0666)
  --list-faults     all faults, what each takes and what it is
  --argv0=NAME      the name that the command is told to have
  --help            this text

  emulate p5.48xlarge ibv_devinfo -v
  emulate p5.48xlarge lstopo-no-graphics
  emulate p5.48xlarge,slow-nic:rdmap79s0=0.6,missing-gpu:gpu3 railgauge census
  emulate --user=1000 --device-mode=0600 p5.48xlarge railgauge census
)";

struct Options {
  std::string scenarios;
  std::string device_mode;  // empty: the machine's, or the default
  std::string argv0;
  PrivateMachineOptions machine;
  std::string spec;
  std::vector<std::string> command;
};

Error UsageError(const std::string& object, const std::string& reason) {
  return MakeError("emulate", object, reason, "See emulate --help");
}

bool AllDigits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.size() <= 9 && text.find_first_not_of(digits) == text.npos;
}

Status ParseFlag(const std::string& argument, Options& options) {
  const size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (value.empty()) return Fail(UsageError(argument, "unknown flag, or one without a value"));
  if (name == "--scenarios") {
    options.scenarios = value;
  } else if (name == "--argv0") {
    options.argv0 = value;
  } else if (name == "--user") {
    if (!AllDigits(value, "0123456789")) return Fail(UsageError(argument, "not a user number"));
    options.machine.user = static_cast<uid_t>(std::stoul(value));
  } else if (name == "--device-mode") {
    if (!AllDigits(value, "01234567")) return Fail(UsageError(argument, "not an octal number"));
    options.device_mode = value;
  } else {
    return Fail(UsageError(argument, "unknown flag"));
  }
  return {};
}

Result<Options> Parse(const std::vector<std::string>& arguments) {
  Options options;
  size_t i = 1;
  for (; i < arguments.size() && arguments[i].starts_with("--"); ++i) {
    RAILGAUGE_RETURN_IF_ERROR(ParseFlag(arguments[i], options));
  }
  if (i + 2 > arguments.size()) return Fail(UsageError("", "a machine and a command are needed"));
  options.spec = arguments[i];
  options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
  return options;
}

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

Status Prepare(Options& options, const std::string& argv0) {
  if (options.scenarios.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(options.scenarios, FindDataFile("scenarios", argv0));
  }
  std::error_code error;
  options.scenarios = std::filesystem::absolute(options.scenarios, error).string();
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string preload,
                             FindDataFile("lib/emulator/preload/librailgauge_preload.so", argv0));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string cuda,
                             FindDataFile("lib/emulator/cuda/libcuda.so.1", argv0));
  RAILGAUGE_ASSIGN_OR_RETURN(const EmulatedMachine machine,
                             LoadSpec(options.spec, options.scenarios));
  if (options.device_mode.empty()) {
    options.device_mode = fmt::format("{:04o}", machine.surroundings.device_mode.value_or(0666));
  }
  const auto write_tree = [&](const std::string& root) -> Status {
    RAILGAUGE_RETURN_IF_ERROR(WriteTree(machine, root));
    OpenCounters(root);
    RAILGAUGE_RETURN_IF_ERROR(LinkSupport(root, "preload.so", preload));
    RAILGAUGE_RETURN_IF_ERROR(LinkSupport(root, "libcuda.so.1", cuda));
    return WriteFile(root + kMachineFile, SerializeMachine(machine));
  };
  RAILGAUGE_RETURN_IF_ERROR(EnterPrivateMachine(options.machine, write_tree));
  RAILGAUGE_RETURN_IF_ERROR(EnterSurroundings(machine.surroundings));
  setenv(kSpecVariable, options.spec.c_str(), 1);
  setenv(kDeviceModeVariable, options.device_mode.c_str(), 1);
  const std::string folder = kSupportFolder;
  SetInFront("LD_PRELOAD", folder + "/preload.so");
  SetInFront("LD_LIBRARY_PATH", folder);
  return {};
}

// Made from the folder, so that it is never behind.
int PrintFaults(const std::string& argv0) {
  const auto faults = FindDataFile("scenarios", argv0).and_then([](const std::string& scenarios) {
    return LoadFaults(scenarios);
  });
  if (!faults) {
    std::fprintf(stderr, "%s\n", faults.error().ToString().c_str());
    return kUsageError;
  }
  std::fputs(ListFaults(*faults).c_str(), stdout);
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() > 1 && arguments[1] == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (arguments.size() > 1 && arguments[1] == "--list-faults") return PrintFaults(arguments[0]);
  auto options = Parse(arguments);
  if (options) {
    if (auto prepared = Prepare(*options, arguments[0]); !prepared) {
      options = Fail(std::move(prepared).error());
    }
  }
  if (!options) {
    std::fprintf(stderr, "%s\n", options.error().ToString().c_str());
    return kUsageError;
  }
  const std::string program = options->command.front();
  if (!options->argv0.empty()) options->command.front() = options->argv0;
  std::vector<char*> pointers;
  for (std::string& argument : options->command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execvp(program.c_str(), pointers.data());
  std::fprintf(stderr, "%s\n",
               ErrnoError(errno, "execute", program, "Is it installed?").ToString().c_str());
  return kCannotExecute;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  return railgauge::Main(std::vector<std::string>(argv, argv + argc));
}
