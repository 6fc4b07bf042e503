#include "lib/fleet/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "lib/base/unique_fd.h"

extern char** environ;

namespace railgauge {
namespace {

// posix_spawn's two kinds of settings, freed.
struct Settings {
  Settings() {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
  }
  ~Settings() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
};

int AsShellsSayIt(int status) {
  constexpr int kKilled = 128;
  return WIFSIGNALED(status) ? kKilled + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& argv,
                                         const std::string& log) {
  RAILGAUGE_CHECK(!argv.empty());
  const UniqueFd out(
      ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!out.valid()) return Fail(ErrnoError(errno, "open", log));
  Settings settings;
  posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.actions, out.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&settings.actions, out.get(), STDERR_FILENO);
  sigset_t defaults;
  sigfillset(&defaults);
  posix_spawnattr_setsigdefault(&settings.attributes, &defaults);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, pointers[0], &settings.actions, &settings.attributes,
                                   pointers.data(), environ);
  if (error != 0) {
    return Fail(ErrnoError(error, "start", argv[0], "Is it installed, and in a folder of PATH?"));
  }
  return ChildProcess(pid);
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  Kill();
  while (!status_ && ::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> ChildProcess::Poll() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = AsShellsSayIt(status);
  return status_;
}

void ChildProcess::Terminate() const {
  if (!status_) ::kill(pid_, SIGTERM);
}

// Of a leader that ended, the group may be empty, and its number another's: only a group that has
// members keeps it.
void ChildProcess::Kill() const {
  if (!status_) ::kill(-pid_, SIGKILL);
}

}  // namespace railgauge
