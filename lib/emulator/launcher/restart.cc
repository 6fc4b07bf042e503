#include "lib/emulator/launcher/restart.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "lib/base/result.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/emulate_flag.h"

namespace railgauge {

namespace {

constexpr int kSetUpError = 2;

[[noreturn]] void Die(const Error& error) {
  std::fprintf(stderr, "%s\n", error.ToString().c_str());
  std::exit(kSetUpError);
}

Result<std::string> ThisProgram() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return Fail(ErrnoError(errno, "read", "/proc/self/exe"));
  return std::string(path, static_cast<size_t>(length));
}

}  // namespace

void RestartOnEmulatedMachine(int argc, char** argv) {
  const auto flag = TakeEmulateFlag(std::vector<std::string>(argv, argv + argc));
  if (!flag) Die(flag.error());
  if (!flag->spec.has_value()) return;
  const auto launcher = FindDataFile("lib/emulator/launcher/emulate", flag->remaining.front());
  if (!launcher) Die(launcher.error());
  const auto program = ThisProgram();
  if (!program) Die(program.error());
  // The launcher runs the command under the name that this program was called by.
  std::vector<std::string> command = {*launcher, "--argv0=" + flag->remaining.front(), *flag->spec,
                                      *program};
  command.insert(command.end(), flag->remaining.begin() + 1, flag->remaining.end());
  std::vector<char*> pointers;
  for (std::string& argument : command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(launcher->c_str(), pointers.data());
  Die(ErrnoError(errno, "start", *launcher,
                 "The emulator must be built or installed with the tool"));
}

}  // namespace railgauge
