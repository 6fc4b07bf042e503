#include "lib/emulator/end_to_end/node_peer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "lib/base/result.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/end_to_end/node_peer_process.h"
#include "lib/emulator/launcher/environment.h"

namespace railgauge {

namespace {

constexpr char kSpawnerFlag[] = "--node-spawner=";
constexpr int kPatienceMs = 20'000;

std::string Launcher() {
  const auto path = FindDataFile("lib/emulator/launcher/emulate");
  RAILGAUGE_CHECK(path.has_value());
  return *path;
}

std::string ThisProgram() {
  char path[4096] = {};
  RAILGAUGE_CHECK(readlink("/proc/self/exe", &path[0], sizeof path - 1) > 0);
  return path;
}

// In a child, or in place of this process.
[[noreturn]] void Execute(const std::vector<std::string>& command) {
  std::vector<char*> pointers;
  for (const std::string& argument : command) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  execv(command.front().c_str(), pointers.data());
  std::perror(command.front().c_str());
  _exit(127);
}

bool IsReadable(int fd) {
  pollfd ready = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&ready, 1, kPatienceMs) == 1;
}

// A new process that is a peer at the other end of `socket`.
pid_t ForkPeer(const std::string& nic, int* socket) {
  int ends[2];
  RAILGAUGE_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, &ends[0]) == 0);
  const pid_t pid = fork();
  RAILGAUGE_CHECK(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    ServeAsPeer(ends[1], nic);
    _exit(0);
  }
  close(ends[1]);
  *socket = ends[0];
  return pid;
}

void SendWithFd(int socket, const void* data, size_t bytes, int fd) {
  iovec part = {.iov_base = const_cast<void*>(data), .iov_len = bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control[0];
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  RAILGAUGE_CHECK(sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes));
}

int ReceiveWithFd(int socket, void* data, size_t bytes) {
  RAILGAUGE_CHECK(IsReadable(socket));
  iovec part = {.iov_base = data, .iov_len = bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control[0];
  message.msg_controllen = sizeof control;
  RAILGAUGE_CHECK(recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == static_cast<ssize_t>(bytes));
  int fd = -1;
  const cmsghdr* rights = CMSG_FIRSTHDR(&message);
  RAILGAUGE_CHECK(rights != nullptr);
  std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
  return fd;
}

// Peers on request until the test closes the socket. Dead ones are reaped by the kernel.
[[noreturn]] void ServeAsSpawner(int socket) {
  signal(SIGCHLD, SIG_IGN);
  PeerCommand command;
  const PeerAnswer ready = {.ok = true};
  RAILGAUGE_CHECK(send(socket, &ready, sizeof ready, MSG_NOSIGNAL) == sizeof ready);
  while (recv(socket, &command, sizeof command, 0) == sizeof command) {
    int peer = -1;
    PeerAnswer answer = {.ok = true};
    answer.value = static_cast<uint64_t>(ForkPeer(command.name.data(), &peer));
    SendWithFd(socket, &answer, sizeof answer, peer);
    close(peer);
  }
  _exit(0);
}

}  // namespace

NodePeer::NodePeer(const std::string& nic) : is_child_(true) {
  pid_ = ForkPeer(nic, &socket_);
  ReceiveAddress();
}

NodePeer::NodePeer(int socket, pid_t pid) : socket_(socket), pid_(pid) { ReceiveAddress(); }

NodePeer::~NodePeer() {
  Kill();
  close(socket_);
}

void NodePeer::ReceiveAddress() {
  RAILGAUGE_CHECK(IsReadable(socket_));
  RAILGAUGE_CHECK(recv(socket_, &address_, sizeof address_, 0) == sizeof address_);
}

void NodePeer::Tell(const PeerCommand& command) const {
  send(socket_, &command, sizeof command, MSG_NOSIGNAL);
}

std::optional<PeerAnswer> NodePeer::Ask(const PeerCommand& command) const {
  Tell(command);
  return NextAnswer();
}

std::optional<PeerAnswer> NodePeer::NextAnswer() const {
  PeerAnswer answer;
  if (!IsReadable(socket_)) return std::nullopt;
  if (recv(socket_, &answer, sizeof answer, 0) != sizeof answer) return std::nullopt;
  return answer;
}

void NodePeer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  if (is_child_) waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

NodeSpawner::NodeSpawner(uint32_t node) {
  const std::string program = ThisProgram();
  int ends[2];
  RAILGAUGE_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, &ends[0]) == 0);
  pid_ = fork();
  RAILGAUGE_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    close(ends[0]);
    Execute({Launcher(), "--node=" + std::to_string(node), program,
             kSpawnerFlag + std::to_string(ends[1])});
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  socket_ = ends[0];
  PeerAnswer ready;
  RAILGAUGE_CHECK(IsReadable(socket_));
  RAILGAUGE_CHECK(recv(socket_, &ready, sizeof ready, 0) == sizeof ready);
}

NodeSpawner::~NodeSpawner() {
  close(socket_);
  kill(pid_, SIGKILL);  // the launcher, and with it the spawner and its peers
  waitpid(pid_, nullptr, 0);
}

std::unique_ptr<NodePeer> NodeSpawner::Spawn(const std::string& nic) const {
  PeerCommand command;
  command.kind = PeerCommand::Kind::kSpawn;
  nic.copy(command.name.data(), command.name.size() - 1);
  RAILGAUGE_CHECK(send(socket_, &command, sizeof command, MSG_NOSIGNAL) == sizeof command);
  PeerAnswer answer;
  const int peer = ReceiveWithFd(socket_, &answer, sizeof answer);
  return std::make_unique<NodePeer>(peer, static_cast<pid_t>(answer.value));
}

void RunOnNodes(int argc, char** argv, const std::string& spec, uint32_t nodes) {
  const std::string flag = kSpawnerFlag;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(flag)) ServeAsSpawner(std::atoi(argument.c_str() + flag.size()));
  }
  if (std::getenv(kFabricVariable) != nullptr) return;
  std::vector<std::string> command = {Launcher(), "--nodes=" + std::to_string(nodes), spec,
                                      ThisProgram()};
  command.insert(command.end(), argv + 1, argv + argc);
  Execute(command);
}

bool Introduce(const NodePeer& a, const NodePeer& b) {
  const auto meet = [](const NodePeer& one, const NodePeer& other) {
    PeerCommand command;
    command.kind = PeerCommand::Kind::kMeet;
    command.address = other.address();
    const auto answer = one.Ask(command);
    return answer && answer->ok;
  };
  return meet(a, b) && meet(b, a);
}

std::string FabricStatusText() {
  FILE* pipe = popen((Launcher() + " --fabric-status").c_str(), "r");
  RAILGAUGE_CHECK(pipe != nullptr);
  std::string text;
  char buffer[1024];
  while (std::fgets(&buffer[0], sizeof buffer, pipe) != nullptr) text += &buffer[0];
  pclose(pipe);
  return text;
}

}  // namespace railgauge
