#include "lib/emulator/launcher/nodes_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "fmt/core.h"
#include "lib/base/unique_fd.h"
#include "lib/emulator/fabric/fabric_client.h"
#include "lib/emulator/fabric/fabric_server.h"
#include "lib/emulator/launcher/child.h"
#include "lib/emulator/launcher/environment.h"
#include "lib/emulator/launcher/machine_file.h"
#include "lib/scenario/nodes.h"

namespace railgauge {

namespace {

constexpr int kSetUpError = 2;

Result<std::string> FabricOfThisProcess() {
  const char* name = std::getenv(kFabricVariable);
  if (name == nullptr || *name == '\0') {
    return Fail(MakeError("join the machines of emulate --nodes", "", "there is no fabric here",
                          "Use --node and --fabric-status below emulate --nodes=N SPEC COMMAND"));
  }
  return std::string(name);
}

Error Refusal(const FabricClient::Outcome& outcome, const std::string& what) {
  return ErrnoError(outcome.error_number != 0 ? outcome.error_number : EIO, "ask the fabric", what,
                    outcome.error_number == ENODEV ? "It has fewer nodes" : "");
}

// The fabric process counts in the files of this mount namespace for as long as this process lives,
// whatever it executes.
Status ShowCounters(const std::string& fabric, uint32_t node) {
  RAILGAUGE_ASSIGN_OR_RETURN(const auto client, FabricClient::Connect(fabric));
  const UniqueFd tree(open("/sys/class/infiniband", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!tree.valid()) return {};  // a machine without NICs
  Empty nothing;
  const auto outcome = client->Call(FabricOp::kAddTree, 0, NodeRequest{node}, &nothing,
                                    {.segments = {}, .fd = tree.get()});
  if (!outcome.ok()) return Fail(Refusal(outcome, "to show its counters"));
  return {};
}

Result<EmulatedMachine> AskForMachine(FabricClient& client, uint32_t node) {
  Empty nothing;
  const auto outcome = client.Call(FabricOp::kGetMachine, 0, NodeRequest{node}, &nothing);
  const UniqueFd file(outcome.fd);
  if (!outcome.ok() || !file.valid()) {
    return Fail(Refusal(outcome, fmt::format("for node {}", node)));
  }
  std::string text;
  std::vector<char> buffer(size_t{1} << 16);
  for (ssize_t got = 0; (got = read(file.get(), buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return ParseMachine(text, fmt::format("node {}", node));
}

// In the child: becomes the command on that node.
int BecomeNode(const EmulatedMachine& machine, const MachineOptions::Node& node,
               const NodesCommand& command, pid_t parent) {
  MachineOptions options = command.machine;
  options.node = node;
  options.isolation.host_name = fmt::format("emulated-{}", node.index);
  auto ready = EnterMachine(machine, options, command.argv0);
  if (ready) ready = ShowCounters(node.fabric, node.index);
  if (!ready) {
    std::fprintf(stderr, "%s\n", ready.error().ToString().c_str());
    return kSetUpError;
  }
  Child::DieWithParent(parent);
  return command.execute();
}

// A descriptor that is readable when one of the two is.
UniqueFd EitherReadable(int a, int b) {
  UniqueFd either(epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : {a, b}) {
    epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    if (!either.valid() || epoll_ctl(either.get(), EPOLL_CTL_ADD, fd, &event) != 0) return {};
  }
  return either;
}

// The faults of each node of a fabric.
class NodeSwitches {
 public:
  NodeSwitches(FabricServer& server, std::vector<FaultSwitches> nodes)
      : server_(server), nodes_(std::move(nodes)) {}

  std::string Tell(std::string line) {
    size_t first = 0, end = nodes_.size();
    unsigned node = 0;
    int length = 0;
    if (std::sscanf(line.c_str(), "node%u %n", &node, &length) == 1 && length > 0) {
      if (node >= nodes_.size()) {
        return fmt::format("there is no node {}; the fabric has {}", node, nodes_.size());
      }
      line.erase(0, static_cast<size_t>(length));
      first = node;
      end = first + 1;
    }
    std::string answers;
    for (size_t i = first; i < end; ++i) {
      const FaultSwitches::Answer answer = nodes_[i].Tell(line);
      if (!answer.ok) return fmt::format("node{}: {}", i, answer.line);
      if (answer.changed) {
        server_.Switch(static_cast<uint32_t>(i), nodes_[i].machine());
      }
      answers += fmt::format("{}node{} {}", answers.empty() ? "" : "; ", i, answer.line);
    }
    return answers;
  }

 private:
  FabricServer& server_;
  std::vector<FaultSwitches> nodes_;
};

}  // namespace

Error RunFabric(const std::vector<EmulatedMachine>& alone, const NodesCommand& command,
                const std::vector<FaultSwitches>& switches) {
  std::vector<EmulatedMachine> machines;
  for (uint32_t i = 0; i < alone.size(); ++i) machines.push_back(MachineOfNode(alone[i], i));
  const auto server = FabricServer::Create(machines);
  if (!server) return server.error();
  const MachineOptions::Node node = {.fabric = (*server)->name(), .index = 0};
  const pid_t parent = getpid();
  auto child = Child::Start([&] { return BecomeNode(machines[0], node, command, parent); });
  if (!child) return child.error();
  // After the fork: the executor is a thread, and it narrows the CPUs of the one that starts it.
  if (auto started = (*server)->Start(); !started) {
    child->Kill();
    return started.error();
  }
  if (command.control == nullptr || switches.empty()) {
    while (!child->HandleSignals()) (*server)->ServeUntil(child->signals());
    child->EndAsItDid();
  }
  NodeSwitches control(**server, switches);
  const UniqueFd ready = EitherReadable(child->signals(), command.control->fd());
  if (!ready.valid()) return ErrnoError(errno, "epoll", "the control socket");
  while (!child->HandleSignals()) {
    (*server)->ServeUntil(ready.get());
    command.control->Answer([&](const std::string& line) { return control.Tell(line); });
  }
  command.control->Remove();
  child->EndAsItDid();
}

Error RunOnNode(uint32_t node, const NodesCommand& command) {
  const auto fabric = FabricOfThisProcess();
  if (!fabric) return fabric.error();
  const auto client = FabricClient::Connect(*fabric);
  if (!client) return client.error();
  const auto machine = AskForMachine(**client, node);
  if (!machine) return machine.error();
  const pid_t parent = getpid();
  auto child = Child::Start(
      [&] { return BecomeNode(*machine, {.fabric = *fabric, .index = node}, command, parent); });
  if (!child) return child.error();
  bool fabric_lives = true;
  while (!child->HandleSignals()) {
    pollfd ready[] = {
        {.fd = child->signals(), .events = POLLIN, .revents = 0},
        {.fd = fabric_lives ? (*client)->socket() : -1, .events = POLLRDHUP, .revents = 0}};
    if (poll(&ready[0], std::size(ready), -1) < 0 || ready[1].revents == 0) continue;
    // A machine without its fabric is switched off.
    fabric_lives = false;
    child->Kill();
  }
  child->EndAsItDid();
}

Result<std::string> DescribeFabric() {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string fabric, FabricOfThisProcess());
  RAILGAUGE_ASSIGN_OR_RETURN(const auto client, FabricClient::Connect(fabric));
  FabricStatus status;
  const auto outcome = client->Call(FabricOp::kGetStatus, 0, Empty{}, &status);
  if (!outcome.ok()) return Fail(Refusal(outcome, "for its status"));
  const efa::ObjectCounts& objects = status.objects;
  return fmt::format(
      "{{\"nodes\": {}, \"processes\": {}, \"trees\": {}, \"objects\": {{\"pds\": {}, \"uars\": "
      "{}, "
      "\"mrs\": {}, \"ahs\": {}, \"cqs\": {}, \"qps\": {}}}, \"llq_bytes\": {}, "
      "\"arena_bytes\": {}}}\n",
      status.nodes, status.processes, status.trees, objects.pds, objects.uars, objects.mrs,
      objects.ahs, objects.cqs, objects.qps, objects.llq_bytes, status.arena_used_bytes);
}

}  // namespace railgauge
