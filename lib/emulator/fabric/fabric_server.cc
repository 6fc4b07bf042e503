#include "lib/emulator/fabric/fabric_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include "fmt/core.h"
#include "lib/emulator/fabric/message_socket.h"
#include "lib/emulator/launcher/machine_file.h"
#include "lib/emulator/preload/fault_handler.h"

namespace railgauge {

namespace {

std::string NewName() {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) random = 0;
  return fmt::format("railgauge-fabric-{}-{:016x}", getpid(), random);
}

UniqueFd OpenProcess(pid_t pid) {
  constexpr int kPidfdOpen = 434;  // Linux 5.3
  return UniqueFd(static_cast<int>(syscall(kPidfdOpen, pid, 0)));
}

iovec Part(const void* data, size_t bytes) {
  return {.iov_base = const_cast<void*>(data), .iov_len = bytes};
}

bool CanReach(pid_t pid, uint64_t probe_address) {
  uint64_t probe = 0;
  const iovec here = Part(&probe, sizeof probe);
  const iovec there = Part(reinterpret_cast<const void*>(probe_address), sizeof probe);
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof probe &&
         probe == HelloRequest::kProbe;
}

}  // namespace

Result<FabricServer*> FabricServer::Create(const std::vector<EmulatedMachine>& nodes) {
  auto* server = new FabricServer();
  server->machines_ = nodes;
  server->name_ = NewName();
  const int listener = ListenOn(server->name_);
  if (listener < 0) return Fail(ErrnoError(-listener, "listen", server->name_));
  server->listener_ = UniqueFd(listener);
  FabricServer* raw = server;
  RAILGAUGE_ASSIGN_OR_RETURN(
      server->host_, HostedFabric::Create(server->machines_,
                                          {.now = Executor::Now,
                                           .wake = [raw] { raw->executor_->Wake(); },
                                           .completion_event = {},
                                           .device_removed = {},
                                           .copy =
                                               [raw](std::span<const efa::MemoryCopy> copies) {
                                                 return raw->copy_.Copy(copies);
                                               },
                                           .between_copies = [raw] { raw->DrainDoorbells(); }}));
  server->host_->SetRemovalListener(
      [raw](size_t node, size_t index) { raw->SendNotice(node, index); });
  const auto wake_word = server->host_->arena().Allocate(sizeof(WakeWord));
  RAILGAUGE_CHECK(wake_word.has_value());
  server->wake_word_ = *wake_word;
  auto* wake = new (server->host_->arena().At(*wake_word, sizeof(WakeWord)).data()) WakeWord();
  server->executor_ = std::make_unique<Executor>([raw] { raw->PublishCounters(); }, wake);
  return server;
}

Status FabricServer::Start() {
  InstallFaultHandler([](uint64_t) { return false; }, [](uint64_t, uint32_t) { return false; });
  if (!executor_->Start(&host_->fabric(), [this] { DrainDoorbells(); })) {
    return railgauge::Fail(ErrnoError(ENOMEM, "start", "the thread of the emulated fabric"));
  }
  return {};
}

void FabricServer::Switch(uint32_t node, const EmulatedMachine& machine) {
  efa::Fabric& fabric = host_->fabric();
  EmulatedMachine& held = machines_[node];
  held.resources = machine.resources;
  fabric.SetCapacities(node, machine.resources);
  for (size_t i = 0; i < held.nics.size(); ++i) {
    // Only those that changed, so that a fault which is to start later does so in time.
    if (held.nics[i].faults == machine.nics[i].faults) continue;
    held.nics[i].faults = machine.nics[i].faults;
    fabric.SetFaults(node, held.nics[i].address, held.nics[i].faults);
  }
}

void FabricServer::ServeUntil(int stop) {
  std::vector<pollfd> ready;
  for (;;) {
    ready.assign({{.fd = stop, .events = POLLIN, .revents = 0},
                  {.fd = listener_.get(), .events = POLLIN, .revents = 0}});
    for (const Connection& connection : connections_) {
      ready.push_back({.fd = connection.socket.get(), .events = POLLIN, .revents = 0});
      ready.push_back({.fd = connection.process.get(), .events = POLLIN, .revents = 0});
    }
    if (poll(ready.data(), ready.size(), -1) < 0) continue;  // EINTR
    size_t at = 2;
    for (auto it = connections_.begin(); it != connections_.end(); at += 2) {
      const auto connection = it++;
      // A death counts before what the dead process still had to say.
      const bool over =
          ready[at + 1].revents != 0 || (ready[at].revents != 0 && !Serve(*connection));
      if (!over) continue;
      if (ready[at + 1].revents == 0 && connection->lives_as_process &&
          connection->process.valid()) {
        connection->socket.Reset();
        continue;
      }
      End(*connection);
      connections_.erase(connection);
    }
    if (ready[1].revents != 0) Accept();
    if (ready[0].revents != 0) return;
  }
}

void FabricServer::Accept() {
  UniqueFd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid()) return;
  ucred peer = {};
  socklen_t length = sizeof peer;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return;
  const bool same_user = peer.uid == geteuid();
  // An abstract socket has no permissions. Memory of another user's process only root may reach.
  if (!same_user && geteuid() != 0) return;
  Connection& connection = connections_.emplace_back();
  connection.socket = std::move(socket);
  connection.process = OpenProcess(peer.pid);
  connection.pid = peer.pid;
  connection.same_user = same_user;
}

bool FabricServer::Serve(Connection& connection) {
  const Packet packet = ReceivePacket(connection.socket.get(), buffer_, Nanoseconds(0));
  if (packet.bytes == -EAGAIN) return true;
  if (packet.bytes <= 0) return false;
  FabricRequest request;
  request.fd = UniqueFd(packet.fd);
  const auto bytes = static_cast<size_t>(packet.bytes);
  if (!ReadWire(buffer_.data(), bytes, 0, &request.header) ||
      request.header.protocol != kFabricProtocol) {
    return false;
  }
  request.body = std::span(buffer_).subspan(sizeof(RequestHeader), bytes - sizeof(RequestHeader));
  FabricReply reply;
  reply.header.sequence = request.header.sequence;
  Dispatch(connection, request, reply);
  const std::array<iovec, 2> parts = {Part(&reply.header, sizeof reply.header),
                                      Part(reply.body.data(), reply.body_bytes)};
  return SendPacket(connection.socket.get(), parts, reply.fd.get()) == 0;
}

void FabricServer::Dispatch(Connection& connection, FabricRequest& request, FabricReply& reply) {
  NodeRequest wire;
  switch (request.header.op) {
    case FabricOp::kGetMachine:
      return GetMachine(request, reply);
    case FabricOp::kAddTree:
      if (!ReadWire(request.body.data(), request.body.size(), 0, &wire)) return reply.Fail(EINVAL);
      if (const int error = AddTree(connection, wire.node, std::move(request.fd))) {
        return reply.Fail(error);
      }
      connection.lives_as_process = true;
      return reply.Set(Empty{});
    case FabricOp::kGetStatus:
      return reply.Set(GetStatus());
    case FabricOp::kPublishCounters:
      PublishCounters();
      return reply.Set(Empty{});
    case FabricOp::kHello:
      return Hello(connection, request, reply);
    default:
      if (connection.session == nullptr) return reply.Fail(efa::AdminStatus::kBadOpcode);
      if (request.header.op == FabricOp::kNotices) {
        const std::lock_guard lock(notices_mutex_);
        listeners_.push_back({&connection, connection.node, std::move(request.fd)});
        return reply.Set(Empty{});
      }
      connection.session->Handle(request, reply);
      executor_->Wake();  // counters of commands moved
  }
}

void FabricServer::GetMachine(const FabricRequest& request, FabricReply& reply) {
  NodeRequest wire;
  if (!ReadWire(request.body.data(), request.body.size(), 0, &wire) ||
      wire.node >= machines_.size()) {
    return reply.Fail(ENODEV);
  }
  const std::string text = SerializeMachine(machines_[wire.node]);
  UniqueFd file(memfd_create("railgauge-machine", MFD_CLOEXEC));
  if (!file.valid() ||
      write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(file.get(), 0, SEEK_SET) != 0) {
    return reply.Fail(errno);
  }
  reply.fd = std::move(file);
  reply.Set(Empty{});
}

void FabricServer::Hello(Connection& connection, FabricRequest& request, FabricReply& reply) {
  HelloRequest wire;
  if (!ReadWire(request.body.data(), request.body.size(), 0, &wire) ||
      connection.session != nullptr) {
    return reply.Fail(EINVAL);
  }
  if (!CanReach(connection.pid, wire.probe_address)) return reply.Fail(EPERM);
  if (wire.node >= machines_.size()) return reply.Fail(ENODEV);
  auto session =
      FabricSession::Create(host_.get(), wire.node, static_cast<efa::MemoryOwner>(connection.pid));
  reply.fd = UniqueFd(host_->arena().Duplicate(/*close_on_exec=*/true));
  if (session == nullptr || !reply.fd.valid()) return reply.Fail(ENOMEM);
  if (request.fd.valid()) AddTree(connection, wire.node, std::move(request.fd));
  connection.session = std::move(session);
  connection.node = wire.node;
  reply.Set(Welcome{.layout = host_->layout(wire.node),
                    .ring_memory_bytes = host_->arena().bytes(),
                    .wake_word = wake_word_,
                    .doorbell_ring = connection.session->doorbell_ring()});
  const std::lock_guard lock(sessions_mutex_);
  sessions_.push_back(connection.session);
}

int FabricServer::AddTree(Connection& connection, uint32_t node, UniqueFd tree) {
  // Files are written there, with this process's rights.
  if (!connection.same_user) return EPERM;
  struct stat status = {};
  if (node >= machines_.size()) return ENODEV;
  if (fstat(tree.get(), &status) != 0 || !S_ISDIR(status.st_mode)) return EINVAL;
  const std::lock_guard lock(trees_mutex_);
  for (Tree& known : trees_) {
    if (known.device != status.st_dev || known.inode != status.st_ino) continue;
    known.holders.push_back(&connection);
    return 0;
  }
  Tree& added = trees_.emplace_back();
  added.device = status.st_dev;
  added.inode = status.st_ino;
  added.holders.push_back(&connection);
  added.files = std::make_unique<CounterFiles>(".", std::move(tree));
  for (size_t i = 0; i < machines_[node].nics.size(); ++i) {
    added.files->AddDevice(machines_[node].nics[i].name, &host_->device(node, i));
  }
  added.files->Publish();
  return 0;
}

FabricStatus FabricServer::GetStatus() {
  FabricStatus status;
  status.nodes = static_cast<uint32_t>(machines_.size());
  for (size_t node = 0; node < machines_.size(); ++node) {
    for (size_t i = 0; i < host_->num_devices(node); ++i) {
      const efa::ObjectCounts counts = host_->device(node, i).CountObjects();
      status.objects.pds += counts.pds;
      status.objects.uars += counts.uars;
      status.objects.mrs += counts.mrs;
      status.objects.ahs += counts.ahs;
      status.objects.cqs += counts.cqs;
      status.objects.qps += counts.qps;
      status.objects.llq_bytes += counts.llq_bytes;
    }
    const BarLayout& layout = host_->layout(node);
    status.arena_used_bytes -=
        layout.num_devices * (BarLayout::kLlqBytes + BarLayout::kDoorbellBytes);
  }
  status.arena_used_bytes += host_->arena().UsedBytes();
  {
    const std::lock_guard lock(sessions_mutex_);
    status.processes = static_cast<uint32_t>(sessions_.size());
  }
  const std::lock_guard lock(trees_mutex_);
  status.trees = static_cast<uint32_t>(trees_.size());
  return status;
}

void FabricServer::End(Connection& connection) {
  if (connection.session != nullptr) {
    {
      const std::lock_guard lock(sessions_mutex_);
      std::erase(sessions_, connection.session);
    }
    connection.session.reset();  // outside the lock: it waits for the executor
    executor_->Wake();
  }
  {
    const std::lock_guard lock(notices_mutex_);
    std::erase_if(listeners_, [&](const Listener& one) { return one.connection == &connection; });
  }
  const std::lock_guard lock(trees_mutex_);
  for (Tree& tree : trees_) std::erase(tree.holders, &connection);
  trees_.remove_if([](const Tree& tree) { return tree.holders.empty(); });
}

void FabricServer::SendNotice(size_t node, size_t index) {
  const Notice notice = {.device = static_cast<uint32_t>(index)};
  const iovec part = Part(&notice, sizeof notice);
  const std::lock_guard lock(notices_mutex_);
  for (const Listener& listener : listeners_) {
    if (listener.node == node) SendPacket(listener.socket.get(), std::span(&part, 1));
  }
}

void FabricServer::DrainDoorbells() {
  const std::lock_guard lock(sessions_mutex_);
  for (const auto& session : sessions_) session->DrainDoorbells();
}

void FabricServer::PublishCounters() {
  const std::lock_guard lock(trees_mutex_);
  for (const Tree& tree : trees_) tree.files->Publish();
}

}  // namespace railgauge
