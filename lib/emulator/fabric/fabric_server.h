// FabricServer: the fabric process: devices of all nodes, and the processes that use them.
//
// Two threads: this one answers requests and watches who is alive, the executor lets time pass. No
// lock is shared with another process. A process is known by its pidfd: a socket says only that its
// last descriptor was closed, and a forked child may hold one.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_SERVER_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/emulator/fabric/fabric_session.h"
#include "lib/emulator/fabric/process_copy.h"
#include "lib/emulator/fabric/protocol.h"
#include "lib/emulator/preload/counter_files.h"
#include "lib/emulator/preload/executor.h"
#include "lib/emulator/uverbs/hosted_fabric.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

class FabricServer {
 public:
  // Listens on an abstract socket of a name that nobody guesses. One per process; never destroyed,
  // since the executor's thread never ends. Its clients see by their sockets that the process does.
  static Result<FabricServer*> Create(const std::vector<EmulatedMachine>& nodes);
  FabricServer(const FabricServer&) = delete;
  FabricServer& operator=(const FabricServer&) = delete;

  // For kFabricVariable.
  const std::string& name() const { return name_; }

  // Starts the executor. After fork(), if there is one: it makes a thread.
  Status Start();

  // From now on `node` has the capacities and the device faults of `machine`, which is otherwise
  // its own. Not while ServeUntil runs.
  void Switch(uint32_t node, const EmulatedMachine& machine);

  // Serves until `stop` is readable.
  void ServeUntil(int stop);

 private:
  struct Connection {
    UniqueFd socket, process;  // a pidfd; invalid where the kernel has none
    pid_t pid = 0;
    bool same_user = false;
    uint32_t node = 0;
    std::shared_ptr<FabricSession> session;  // after kHello
    // A tree is shown to whatever the process executes, which closes the socket.
    bool lives_as_process = false;
  };
  // A node's /sys/class/infiniband, as some mount namespace shows it.
  struct Tree {
    uint64_t device = 0, inode = 0;
    std::unique_ptr<CounterFiles> files;
    std::vector<const Connection*> holders;
  };

  FabricServer() = default;
  void Accept();
  bool Serve(Connection& connection);  // false: the connection is over
  void Dispatch(Connection& connection, FabricRequest& request, FabricReply& reply);
  void Hello(Connection& connection, FabricRequest& request, FabricReply& reply);
  void GetMachine(const FabricRequest& request, FabricReply& reply);
  void SendNotice(size_t node, size_t index);
  int AddTree(Connection& connection, uint32_t node, UniqueFd tree);
  FabricStatus GetStatus();
  void End(Connection& connection);
  void DrainDoorbells();
  void PublishCounters();

  std::string name_;
  UniqueFd listener_;
  std::vector<EmulatedMachine> machines_;
  std::unique_ptr<HostedFabric> host_;
  ProcessCopy copy_;
  uint64_t wake_word_ = 0;
  std::unique_ptr<Executor> executor_;
  std::list<Connection> connections_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kMaxMessageBytes);

  std::mutex sessions_mutex_;
  std::vector<std::shared_ptr<FabricSession>> sessions_;
  // Not sessions_mutex_: a device may go while the doorbells of a session are executed.
  std::mutex notices_mutex_;
  struct Listener {
    const Connection* connection = nullptr;
    uint32_t node = 0;
    UniqueFd socket;
  };
  std::vector<Listener> listeners_;
  std::mutex trees_mutex_;
  std::list<Tree> trees_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_SERVER_H_
