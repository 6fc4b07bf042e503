#include "lib/emulator/launcher/control.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace railgauge {
namespace {

constexpr size_t kMostBytes = 4096;  // of a line
constexpr int kClientSeconds = 1;    // that a client may keep others waiting
constexpr int kAnswerSeconds = 5;    // that the answer may take

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

int ConnectTo(int fd, const sockaddr_un& address) {
  return connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// Whether `address` is a socket that nobody listens at any more: what a killed launcher leaves.
bool IsAbandoned(const sockaddr_un& address) {
  struct stat facts = {};
  if (lstat(address.sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return false;
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return fd.valid() && ConnectTo(fd.get(), address) != 0 && errno == ECONNREFUSED;
}

bool SendLine(int fd, const std::string& line) {
  const std::string text = line + "\n";
  return send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

}  // namespace

Result<ControlSocket> ControlSocket::Listen(const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const mode_t before = umask(0077);
  if (IsAbandoned(address)) unlink(path.c_str());
  const bool bound =
      fd.valid() &&
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(fd.get(), 8) == 0;
  const int error = errno;
  umask(before);
  if (bound) return ControlSocket(path, std::move(fd));
  return Fail(ErrnoError(error, "make control socket", path,
                         error == EADDRINUSE
                             ? "Give another path: this is a file, or the socket of "
                               "a machine that runs"
                             : ""));
}

void ControlSocket::Answer(const std::function<std::string(const std::string&)>& tell) const {
  const UniqueFd client(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client.valid()) return;
  LimitWaiting(client.get(), kClientSeconds);
  SendLine(client.get(), Printable(tell(ReadLine(client.get()))));
}

void ControlSocket::Remove() const { unlink(path_.c_str()); }

Result<std::string> TellControl(const std::string& path, const std::string& line) {
  RAILGAUGE_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.valid()) LimitWaiting(fd.get(), kAnswerSeconds);
  if (!fd.valid() || ConnectTo(fd.get(), address) != 0) {
    return Fail(
        ErrnoError(errno, "connect to", path, "Give the path of a running emulate --control=PATH"));
  }
  const bool sent = SendLine(fd.get(), line);
  const std::string answer = sent ? ReadLine(fd.get()) : "";
  if (!answer.empty()) return answer;
  return Fail(MakeError("tell", path, "no answer came", "Does the machine still run?"));
}

}  // namespace railgauge
