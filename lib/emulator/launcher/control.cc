#include "lib/emulator/launcher/control.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace railgauge {
namespace {

constexpr size_t kMostBytes = 4096;  // of a line
constexpr int kClientSeconds = 1;    // that a client may keep others waiting
constexpr int kAnswerSeconds = 5;    // that the answer may take
constexpr int kWithoutPidfdMs = 50;  // between looks at the child, on Linux before 5.3

Result<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Fail(MakeError("control socket", path, "the path is too long", "Give a shorter one"));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

void LimitWaiting(int fd, int seconds) {
  const timeval limit = {.tv_sec = seconds, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// Up to the first line end, the end of the stream, or what a client may send at most.
std::string ReadLine(int fd) {
  std::string line;
  char piece[512];
  while (line.size() < kMostBytes) {
    const ssize_t got = recv(fd, piece, sizeof piece, 0);
    if (got <= 0) break;
    line.append(piece, static_cast<size_t>(got));
    if (const size_t end = line.find('\n'); end != std::string::npos) return line.substr(0, end);
  }
  return line;
}

bool SendLine(int fd, const std::string& line) {
  const std::string text = line + "\n";
  return send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

pid_t g_child = 0;

// A terminal sends its signals to the child, too; what another process sent is meant for it.
void ForwardToChild(int signal_number, siginfo_t* info, void*) {
  if (info->si_code <= 0) kill(g_child, signal_number);
}

void LeaveSignalsTo(pid_t child) {
  g_child = child;
  struct sigaction action = {};
  action.sa_sigaction = ForwardToChild;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    sigaction(signal_number, &action, nullptr);
  }
}

void Answer(int listener, const std::function<std::string(const std::string&)>& tell) {
  const UniqueFd client(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!client.valid()) return;
  LimitWaiting(client.get(), kClientSeconds);
  SendLine(client.get(), Printable(tell(ReadLine(client.get()))));
}

}  // namespace

Result<UniqueFd> ListenForControl(const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const mode_t before = umask(0077);
  const bool bound =
      fd.valid() &&
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(fd.get(), 8) == 0;
  const int error = errno;
  umask(before);
  if (bound) return fd;
  return Fail(ErrnoError(error, "make control socket", path,
                         error == EADDRINUSE ? "Remove it, or give another path" : ""));
}

int ServeControl(const UniqueFd& socket, pid_t child,
                 const std::function<std::string(const std::string&)>& tell) {
  LeaveSignalsTo(child);
  constexpr long kPidfdOpen = 434;
  const UniqueFd ended(static_cast<int>(syscall(kPidfdOpen, child, 0)));
  int status = 0;
  for (;;) {
    const pid_t waited = waitpid(child, &status, WNOHANG);
    if (waited == child || (waited < 0 && errno != EINTR)) return status;
    pollfd ready[] = {{.fd = socket.get(), .events = POLLIN, .revents = 0},
                      {.fd = ended.get(), .events = POLLIN, .revents = 0}};
    const int timeout = ended.valid() ? -1 : kWithoutPidfdMs;
    if (poll(ready, 2, timeout) > 0 && ready[0].revents != 0) Answer(socket.get(), tell);
  }
}

Result<std::string> TellControl(const std::string& path, const std::string& line) {
  RAILGAUGE_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.valid()) LimitWaiting(fd.get(), kAnswerSeconds);
  if (!fd.valid() ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Fail(
        ErrnoError(errno, "connect to", path, "Give the path of a running emulate --control=PATH"));
  }
  const bool sent = SendLine(fd.get(), line);
  const std::string answer = sent ? ReadLine(fd.get()) : "";
  if (!answer.empty()) return answer;
  return Fail(MakeError("tell", path, "no answer came", "Does the machine still run?"));
}

}  // namespace railgauge
