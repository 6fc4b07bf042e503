// ReferenceModel: what must come of operations on the device model, by a second and much simpler
// account of it: tables of what exists, and for every request the statuses that it may end with.
//
// A request's fate is settled when it starts, unless something that it needs goes away while it is
// in flight: then it may still succeed, or end with the status that the loss explains. Order of
// completion is not asserted: SRD does not promise any.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_REFERENCE_MODEL_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_REFERENCE_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/emulator/device/message_memory.h"
#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {

struct ModelPd {
  uint16_t number = 0;
  uint32_t users = 0;
};

struct ModelCq {
  std::unique_ptr<TestCq> reader;
  uint32_t depth = 0;
  uint32_t users = 0;     // queues bound to it
  uint32_t promised = 0;  // completions that may still come; never more than `depth`
  bool with_events = false;
  bool armed = false;
  uint32_t events_due = 0, events_seen = 0;
};

struct ModelMr {
  RegMrResult keys;
  std::shared_ptr<ModelPd> pd;
  std::shared_ptr<MessageMemory> memory;
  uint64_t first_slot = 0, slots = 0;
  uint32_t permissions = 0;
  bool alive = true;

  uint64_t begin() const { return memory->iova() + first_slot * MessageMemory::kSlotBytes; }
  bool Holds(uint64_t address, uint64_t bytes) const {
    const uint64_t length = slots * MessageMemory::kSlotBytes;
    return address >= begin() && address - begin() <= length &&
           bytes <= length - (address - begin());
  }
};

struct ModelAh {
  std::shared_ptr<ModelPd> pd;
  PciAddress peer;  // no NIC has it: a GID that nobody has
  uint16_t number = 0;
};

struct ModelQp;

struct ModelReceive {
  uint16_t req_id = 0;
  std::shared_ptr<MessageRange> range;
  uint32_t length = 0;       // of all its entries
  uint32_t descriptors = 1;  // that it takes of the ring
  std::shared_ptr<ModelMr> mr;
  bool bad_key = false;
};

struct ModelRequest {
  // What was asked for.
  uint32_t serial = 0;  // also its immediate
  uint16_t req_id = 0;
  SendOp op = SendOp::kSend;
  bool has_imm = false, malformed = false;
  uint64_t length = 0;
  uint16_t ah = 0, dest_qp_num = 0;
  uint32_t qkey = 0;
  uint64_t local_address = 0, remote_address = 0;
  uint32_t lkey = 0, rkey = 0;
  bool is_inline = false;
  std::shared_ptr<MessageRange> source, destination;  // destination: RDMA only
  std::shared_ptr<ModelCq> promised_cq;  // of a target that hears of writes without a receive

  // What is known of it since it started.
  std::shared_ptr<ModelQp> initiator, target;
  std::shared_ptr<ModelMr> local_mr, remote_mr;
  bool started = false;
  std::set<CompletionStatus> allowed;
  bool fails_at_once = false;
  bool needs_receive = false;
  bool disturbed = false;  // its target stopped receiving while it was in flight

  // What came of it.
  std::optional<CompletionStatus> sent;      // its own completion
  std::optional<CompletionStatus> received;  // the receiver's
  bool dropped = false;                      // its queue pair was reset or destroyed
};

struct ModelQp {
  PciAddress nic;
  std::unique_ptr<TestQp> writer;
  std::shared_ptr<ModelPd> pd;
  std::shared_ptr<ModelCq> send_cq, recv_cq;
  QpState state = QpState::kReset;
  uint32_t sq_depth = 0, rq_depth = 0;
  bool unsolicited = false;
  bool alive = true;
  uint16_t next_req_id = 0;
  uint64_t sq_posted = 0, rq_posted = 0;  // descriptors since the last reset
  uint64_t sq_laps = 0, rq_laps = 0;      // before it

  std::map<uint16_t, std::shared_ptr<ModelRequest>> requests;  // not completed, by req_id
  std::vector<std::shared_ptr<ModelRequest>> waiting;          // not started
  std::map<uint16_t, ModelReceive> receives;                   // not completed, by req_id
  uint32_t takers = 0;  // requests in flight that need a receive of this queue pair
  std::set<std::pair<PciAddress, uint32_t>> heard;  // the queue pairs that ever answered, by handle

  bool Receives() const {
    return state == QpState::kRtr || state == QpState::kRts || state == QpState::kSqd;
  }
  uint32_t ReceiveDescriptors() const {
    uint32_t used = 0;
    for (const auto& [id, receive] : receives) used += receive.descriptors;
    return used;
  }
};

// What a process holds; on one NIC.
struct ModelProcess {
  PciAddress nic;
  bool resident = false;  // never killed, and its objects are never destroyed
  uint16_t uar = 0;
  std::vector<std::shared_ptr<MessageMemory>> memory;
  std::vector<std::shared_ptr<ModelPd>> pds;
  std::vector<std::shared_ptr<ModelCq>> cqs;
  std::vector<std::shared_ptr<ModelMr>> mrs;
  std::vector<std::shared_ptr<ModelAh>> ahs;
  std::vector<std::shared_ptr<ModelQp>> qps;
};

class ReferenceModel {
 public:
  explicit ReferenceModel(TestFabric& rig) : rig_(rig) {}

  std::vector<std::unique_ptr<ModelProcess>> processes;

  // The first thing that was wrong; empty: nothing.
  const std::string& failure() const { return failure_; }
  void Fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }

  // Starts what waits in the send queue of a queue pair that was told to send: settles each
  // request's fate.
  void StartWaiting(const std::shared_ptr<ModelQp>& qp);

  // Told before the device is: what may become of requests in flight when this goes away.
  void MrGoes(ModelMr& mr);
  void QpStopsReceiving(const ModelQp& qp);
  void QpFails(ModelQp& qp);       // to ERR
  void QpDies(const ModelQp& qp);  // with its process

  // Told after: requests and receives of the queue pair are gone without a completion.
  void QpWasEmptied(ModelQp& qp);

  // The number of a dead queue pair is another's now.
  void NumberIsGiven(const ModelQp& qp) { dead_.erase({qp.nic, qp.writer->number()}); }

  // Reads all completions that are there and checks each.
  void Drain();
  void DrainCq(ModelCq& cq, const PciAddress& nic);
  // Counts the events that the devices raised since the last call.
  void TakeEvents();
  // A request was written into a send queue; it starts when StartWaiting says so.
  void Posted(const std::shared_ptr<ModelRequest>& request);

  std::shared_ptr<ModelQp> FindQp(const PciAddress& nic, uint16_t number) const;
  std::shared_ptr<ModelMr> FindMr(const PciAddress& nic, uint32_t key, bool remote) const;

  // With nothing in flight: nothing is left to complete, what happened at both ends agrees,
  // nobody's memory was touched, and the devices counted what they did.
  void CheckIdle();

  uint64_t completions() const { return completions_; }
  uint64_t failed_requests() const { return failed_; }

 private:
  struct Amounts {
    uint64_t send_wrs = 0, send_bytes = 0, recv_wrs = 0, recv_bytes = 0, read_wrs = 0,
             read_bytes = 0, read_resp_bytes = 0, write_wrs = 0, write_bytes = 0,
             write_recv_bytes = 0;
  };

  const ModelAh* FindAh(const PciAddress& nic, const ModelPd& pd, uint16_t number) const;
  bool KnowsPeer(const PciAddress& nic, const ModelPd& pd, const PciAddress& peer) const;

  void Start(const std::shared_ptr<ModelRequest>& request);
  CompletionStatus FateOf(ModelRequest& request) const;
  CompletionStatus RemoteFateOf(ModelRequest& request, const PciAddress& nic) const;
  CompletionStatus FateWithDead(ModelRequest& request, const PciAddress& nic,
                                uint32_t qp_handle) const;
  void OnSent(ModelQp& qp, const TestCompletion& completion);
  void OnReceived(ModelQp& qp, const TestCompletion& completion);
  ModelRequest* RequestOf(ModelQp& qp, const TestCompletion& completion);
  void CheckReceived(ModelQp& qp, const ModelReceive& receive, const TestCompletion& completion);
  void CheckMemory(const ModelRequest& request);
  void CheckAgreement(const ModelRequest& request);
  void CheckCounters();
  void Count(const ModelRequest& request);

  TestFabric& rig_;
  std::string failure_;
  std::map<std::pair<PciAddress, uint16_t>, uint32_t> dead_;  // NIC and number to handle
  std::map<uint32_t, std::shared_ptr<ModelRequest>> all_;  // by serial; of those not agreed on yet
  std::map<PciAddress, Amounts> amounts_;
  uint64_t completions_ = 0, failed_ = 0;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_REFERENCE_MODEL_H_
