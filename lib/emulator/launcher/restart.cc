#include "lib/emulator/launcher/restart.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "lib/base/result.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/emulate_flag.h"

namespace railgauge {

namespace {

constexpr int kSetUpError = 2;

// Set for the program that is executed anew, to the process that it is: executing keeps that, and
// what it starts later is another.
constexpr char kRestartedVariable[] = "RAILGAUGE_RESTARTED_PROCESS";

[[noreturn]] void Die(const std::string& program, const Error& error) {
  const std::string name = program.substr(program.rfind('/') + 1);
  std::fprintf(stderr, "%s: %s\n", Printable(name).c_str(), error.ToString().c_str());
  std::exit(kSetUpError);
}

Result<std::string> ThisProgram() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return Fail(ErrnoError(errno, "read", "/proc/self/exe"));
  return std::string(path, static_cast<size_t>(length));
}

bool IsRestarted() {
  const char* process = std::getenv(kRestartedVariable);
  const bool restarted = process != nullptr && process == std::to_string(getpid());
  unsetenv(kRestartedVariable);
  return restarted;
}

// Keeps those of argv's strings that remain. They are in the same order, so each is found behind
// the one before.
void TakeOut(const std::vector<std::string>& remaining, int* argc, char** argv) {
  size_t kept = 0;
  for (int i = 0; i < *argc; ++i) {
    if (kept < remaining.size() && remaining[kept] == argv[i]) argv[kept++] = argv[i];
  }
  argv[kept] = nullptr;
  *argc = static_cast<int>(kept);
}

}  // namespace

std::vector<std::string> RestartOnEmulatedMachine(int* argc, char** argv) {
  std::vector<std::string> line(argv, argv + *argc);
  if (line.empty()) line.emplace_back("railgauge");
  const auto flag = TakeEmulateFlag(line);
  if (!flag) Die(line[0], flag.error());
  if (!flag->spec.has_value()) return line;
  if (IsRestarted()) {
    TakeOut(flag->remaining, argc, argv);
    return line;
  }
  const auto launcher = FindDataFile("lib/emulator/launcher/emulate", line[0]);
  if (!launcher) Die(line[0], launcher.error());
  const auto program = ThisProgram();
  if (!program) Die(line[0], program.error());
  // The launcher runs the command under the name that this program was called by.
  std::vector<std::string> command = {*launcher, "--argv0=" + line[0], "--", *flag->spec, *program};
  command.insert(command.end(), line.begin() + 1, line.end());
  std::vector<char*> pointers;
  for (std::string& argument : command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  setenv(kRestartedVariable, std::to_string(getpid()).c_str(), 1);
  execv(launcher->c_str(), pointers.data());
  Die(line[0], ErrnoError(errno, "start", *launcher,
                          "The emulator must be built or installed with the tool"));
}

}  // namespace railgauge
