// NodePeer: a process on some node with a NIC, which a test tells what to do, and kills.
//
// The test process itself opens no device: it starts such processes, on its own node by fork() and
// on others by a spawner that `emulate --node=K` runs, and passes their addresses between them.
// Commands and answers are packets of one plain struct each.
#ifndef RAILGAUGE_LIB_EMULATOR_END_TO_END_NODE_PEER_H_
#define RAILGAUGE_LIB_EMULATOR_END_TO_END_NODE_PEER_H_

#include <infiniband/verbs.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace railgauge {

// Both places hold kPeerBytes.
enum class PeerPlace : uint32_t { kHost = 0, kGpu = 1 };
inline constexpr uint32_t kPeerBytes = 1u << 20;

struct PeerAddress {
  ibv_gid gid = {};
  uint32_t qp_num = 0;
  std::array<uint64_t, 2> address = {};  // by place
  std::array<uint32_t, 2> rkey = {};
};

enum class PeerOp : uint32_t { kRead, kWrite, kWriteWithImmediate, kSend };

struct PeerCommand {
  enum class Kind : uint32_t {
    kMeet,          // `address`: makes an address handle and remembers
    kFill,          // `place` with a pattern of `seed`
    kCheck,         // whether `length` bytes of `place` are so
    kTransfer,      // `op` over `length` bytes from or to the remembered peer
    kReceive,       // posts a receive request of `length` bytes
    kWaitReceive,   // for its completion
    kSleepReceive,  // the same, asleep in the event channel; answers once more when it is armed
    kCounter,       // of its NIC, by `name`
    kHostName,
    kTraffic,  // reads and writes of all sizes until kStop; no answer
    kStop,     // ends traffic: how its requests completed
    kSpawn,    // of a spawner: a new peer, whose socket comes with the answer
  };
  Kind kind = Kind::kStop;
  PeerAddress address = {};
  PeerOp op = PeerOp::kRead;
  PeerPlace place = PeerPlace::kHost, remote_place = PeerPlace::kHost;
  uint32_t length = 0, seed = 0;
  std::array<char, 64> name = {};
};

struct PeerAnswer {
  bool ok = false;
  uint32_t status = 0, vendor_error = 0, opcode = 0, bytes = 0, immediate = 0;
  uint64_t value = 0;
  std::array<char, 64> name = {};
  std::array<uint32_t, 32> vendor_errors = {};  // kStop: completions by efa_io status
  uint32_t lost = 0;                            // kStop: requests that did not complete
};

inline constexpr uint32_t kPeerImmediate = 0x1234;

// The test's handle. Not copied; the destructor kills what is left of the process.
class NodePeer {
 public:
  // On the test's own node.
  explicit NodePeer(const std::string& nic);
  // By a spawner.
  NodePeer(int socket, pid_t pid);
  ~NodePeer();
  NodePeer(const NodePeer&) = delete;
  NodePeer& operator=(const NodePeer&) = delete;

  const PeerAddress& address() const { return address_; }
  pid_t pid() const { return pid_; }

  // The answer; empty when there is none in 20 seconds or the process is gone.
  std::optional<PeerAnswer> Ask(const PeerCommand& command) const;
  void Tell(const PeerCommand& command) const;
  std::optional<PeerAnswer> NextAnswer() const;
  void Kill();

 private:
  void ReceiveAddress();
  int socket_ = -1;
  pid_t pid_ = -1;
  bool is_child_ = false;
  PeerAddress address_;
};

// Makes peers on another node.
class NodeSpawner {
 public:
  // Runs this program once more, whose main() calls RunOnNodes first of all.
  explicit NodeSpawner(uint32_t node);
  ~NodeSpawner();
  std::unique_ptr<NodePeer> Spawn(const std::string& nic) const;

 private:
  int socket_ = -1;
  pid_t pid_ = -1;
};

// What main() of such a test calls first: restarts it on `nodes` emulated machines, or, in a
// process that a NodeSpawner started, is the spawner and does not return.
void RunOnNodes(int argc, char** argv, const std::string& spec, uint32_t nodes);

// Both learn the other's address.
bool Introduce(const NodePeer& a, const NodePeer& b);

// `emulate --fabric-status`.
std::string FabricStatusText();

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_END_TO_END_NODE_PEER_H_
