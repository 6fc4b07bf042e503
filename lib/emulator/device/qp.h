// QueuePair: state, rings and requests in flight of one UD or SRD queue pair.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_QP_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_QP_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/catch_up.h"
#include "lib/emulator/device/cq.h"
#include "lib/emulator/device/efa_io.h"
#include "lib/emulator/device/id_pool.h"
#include "lib/emulator/device/shared_memory.h"
#include "lib/emulator/device/wqe.h"

namespace railgauge::efa {

struct DeviceState;
struct Flow;
struct Path;
struct Transfer;

// HeardPeers: the remote QPs from which a QP got any answer. What tells a peer that does not
// respond any more from one that never did.
class HeardPeers {
 public:
  void Add(const DeviceState* device, uint32_t qp_handle) {
    const Peer peer{device, qp_handle};
    if (peer == last_) return;  // nearly always
    last_ = peer;
    peers_.insert(peer);
  }
  bool Has(const DeviceState* device, uint32_t qp_handle) const {
    return peers_.contains({device, qp_handle});
  }

 private:
  struct Peer {
    const DeviceState* device = nullptr;
    uint32_t qp_handle = 0;
    friend bool operator==(const Peer&, const Peer&) = default;
  };
  struct Hash {
    size_t operator()(const Peer& peer) const {
      return std::hash<const void*>()(peer.device) ^ (size_t{peer.qp_handle} * 0x9e3779b97f4a7c15u);
    }
  };
  Peer last_;
  std::unordered_set<Peer, Hash> peers_;
};

// Whether ModifyQp may go from one state to another: RESET, INIT, RTR, RTS in this order, RTS and
// SQD to each other, SQE to RTS, staying where a driver may change attributes, and from anywhere to
// ERR and RESET. From ERR only RESET leads out.
bool IsTransitionAllowed(QpState from, QpState to);

// A ring of descriptors that the application fills. Positions are 16-bit counters, as in the
// doorbell; the depth is a power of two, or 0 for a queue that does not exist.
class DescriptorRing {
 public:
  static constexpr uint32_t kMaxDepth = 1u << 15;  // more could not be told from less by 16 bits

  DescriptorRing() = default;
  DescriptorRing(std::byte* memory, uint32_t depth) : memory_(memory), depth_(depth) {}

  uint32_t depth() const { return depth_; }
  uint32_t pending() const { return static_cast<uint16_t>(producer_ - consumer_); }

  // A doorbell: the producer's counter. A value that claims more than the ring holds is no
  // doorbell that a driver could have written and changes nothing.
  void SetProducer(uint32_t value) {
    const auto counter = static_cast<uint16_t>(value);
    if (static_cast<uint16_t>(counter - consumer_) <= depth_) producer_ = counter;
  }

  // The descriptor `ahead` of the next one; `ahead` < pending().
  template <typename T>
  T Peek(uint32_t ahead) const {
    const uint32_t index = (consumer_ + ahead) & (depth_ - 1);
    return LoadShared<T>(memory_ + size_t{index} * sizeof(T));
  }
  void Pop(uint32_t count) { consumer_ = static_cast<uint16_t>(consumer_ + count); }

  void Reset() { producer_ = consumer_ = 0; }

 private:
  std::byte* memory_ = nullptr;
  uint32_t depth_ = 0;
  uint16_t producer_ = 0, consumer_ = 0;
};

struct ReceiveRequest {
  uint16_t req_id = 0;
  // The descriptors do not form a request: first and last flags are wrong or there are too many.
  bool malformed = false;
  std::vector<ScatterEntry> entries;
};

struct QueuePair {
  uint32_t handle = 0;
  uint16_t number = 0;
  QpType type = QpType::kSrd;
  uint16_t pd = 0;
  bool unsolicited_write_recv = false;

  uint16_t send_cq = 0, recv_cq = 0;
  uint16_t send_sub_cq = 0, recv_sub_cq = 0;

  QpState state = QpState::kReset;
  uint32_t resets = 0;  // what is on its way to it when it is reset is not for what comes after
  uint32_t qkey = 0;
  uint32_t sq_psn = 0;
  uint8_t rnr_retry = kInfiniteRnrRetry;

  DescriptorRing sq, rq;
  uint32_t llq_offset = 0, llq_bytes = 0;
  uint32_t sq_db_offset = 0, rq_db_offset = 0;

  std::vector<Transfer*> in_flight;  // of this QP's send queue; see Transfer::position
  CatchUp catch_up;
  HeardPeers heard;

  // What it moves along a pair of paths, the last used first.
  struct PathFlow {
    const Path* local;
    const Path* remote;
    Flow* flow;
  };
  std::vector<PathFlow> flows;

  static constexpr uint8_t kInfiniteRnrRetry = 7;

  // Other QPs may send to it.
  bool CanReceive() const {
    return state == QpState::kRtr || state == QpState::kRts || state == QpState::kSqd ||
           state == QpState::kSqe;
  }

  // Takes the next receive request off the ring; empty when there is no complete one.
  std::optional<ReceiveRequest> TakeReceive(uint32_t max_entries);
};

// The queue pairs of one device. Numbers are below 65536 and differ modulo the table size, which is
// how libefa finds a QP again.
class QpTable {
 public:
  explicit QpTable(uint32_t limit);

  // A new QP with number and handle; null when the table is full.
  QueuePair* Add();
  void Remove(uint32_t handle);

  QueuePair* FindByHandle(uint32_t handle) const;
  QueuePair* FindByNumber(uint16_t number) const;
  uint32_t count() const { return slots_.in_use(); }

  // The QP's process died. Remembered, also beyond Remove, until the number is given again.
  void MarkDead(uint32_t handle) { dead_[static_cast<uint16_t>(handle)] = handle; }
  bool IsDead(uint32_t handle) const {
    return FindDead(static_cast<uint16_t>(handle)) == std::optional(handle);
  }
  // The handle of the dead QP that last had the number.
  std::optional<uint32_t> FindDead(uint16_t number) const;

 private:
  IdPool slots_;
  uint32_t size_;                                        // a power of two
  std::vector<std::unique_ptr<QueuePair>> queue_pairs_;  // by slot
  uint32_t serial_ = 0;
  std::map<uint16_t, uint32_t> dead_;  // number to handle
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_QP_H_
