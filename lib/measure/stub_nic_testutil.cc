#include "lib/measure/stub_nic_testutil.h"

#include <cerrno>

#include "lib/base/result.h"
#include "lib/measure/exchange.h"

// Where the linker puts the section.
extern "C" {
extern const char __start_railgauge_stub_nic[];  // NOLINT(bugprone-reserved-identifier)
extern const char __stop_railgauge_stub_nic[];   // NOLINT(bugprone-reserved-identifier)
}

namespace railgauge {

#define RAILGAUGE_STUB_NIC static __attribute__((section("railgauge_stub_nic"), noinline))

struct StubNic::Calls {
  RAILGAUGE_STUB_NIC void Start(ibv_qp_ex* qp) { Of(qp)->listed = 0; }
  RAILGAUGE_STUB_NIC void Request(ibv_qp_ex* qp, uint32_t, uint64_t address) {
    QueuePair* pair = Of(qp);
    StubNic* nic = pair->nic;
    nic->ring_[(nic->posted_ + pair->listed++) % kRing] = qp->wr_id;
    pair->last_address = address;
  }
  RAILGAUGE_STUB_NIC void RequestWithImmediate(ibv_qp_ex* qp, uint32_t key, uint64_t address,
                                               __be32) {
    Request(qp, key, address);
    QueuePair* pair = Of(qp);
    pair->nic->ring_[(pair->nic->posted_ + pair->listed++) % kRing] = kReceiveId;
  }
  RAILGAUGE_STUB_NIC int PostReceive(ibv_qp*, ibv_recv_wr*, ibv_recv_wr**) { return 0; }
  RAILGAUGE_STUB_NIC uint32_t SourceQueuePair(ibv_cq_ex*) { return 100; }
  RAILGAUGE_STUB_NIC void SetAddress(ibv_qp_ex*, ibv_ah*, uint32_t, uint32_t) {}
  RAILGAUGE_STUB_NIC void SetSge(ibv_qp_ex* qp, uint32_t, uint64_t address, uint32_t) {
    Of(qp)->last_address = address;
  }
  RAILGAUGE_STUB_NIC int Complete(ibv_qp_ex* qp) {
    Of(qp)->nic->posted_ += Of(qp)->listed;
    ++Of(qp)->nic->doorbells_;
    return 0;
  }

  RAILGAUGE_STUB_NIC int StartPoll(ibv_cq_ex* cq, ibv_poll_cq_attr*) {
    StubNic* nic = Of(cq);
    ++nic->passes_;
    if (nic->at_pass != nullptr) nic->at_pass(nic->passes_);
    return NextPoll(cq);
  }
  RAILGAUGE_STUB_NIC int NextPoll(ibv_cq_ex* cq) {
    StubNic* nic = Of(cq);
    if (nic->taken_ == nic->posted_) return ENOENT;
    cq->wr_id = nic->ring_[nic->taken_++ % kRing];
    cq->status = IBV_WC_SUCCESS;
    return 0;
  }
  RAILGAUGE_STUB_NIC void EndPoll(ibv_cq_ex*) {}
  RAILGAUGE_STUB_NIC uint32_t VendorError(ibv_cq_ex*) { return 0; }

  // Inlined: the section's own functions call nothing but each other.
  static __attribute__((always_inline)) inline QueuePair* Of(ibv_qp_ex* qp) {
    return reinterpret_cast<QueuePair*>(qp);
  }
  static __attribute__((always_inline)) inline StubNic* Of(ibv_cq_ex* cq) {
    return reinterpret_cast<Cq*>(cq)->nic;
  }
};

StubNic::StubNic() {
  for (QueuePair& pair : pairs_) {
    pair.nic = this;
    pair.qp.wr_start = &Calls::Start;
    pair.qp.wr_rdma_read = &Calls::Request;
    pair.qp.wr_rdma_write = &Calls::Request;
    pair.qp.wr_rdma_write_imm = &Calls::RequestWithImmediate;
    pair.qp.qp_base.context = &context_;
    pair.qp.wr_set_ud_addr = &Calls::SetAddress;
    pair.qp.wr_set_sge = &Calls::SetSge;
    pair.qp.wr_complete = &Calls::Complete;
    handles_.push_back(&pair.qp);
    numbers_.push_back(static_cast<uint32_t>(100 + numbers_.size()));
  }
  context_.ops.post_recv = &Calls::PostReceive;
  cq_.nic = this;
  cq_.cq.start_poll = &Calls::StartPoll;
  cq_.cq.next_poll = &Calls::NextPoll;
  cq_.cq.end_poll = &Calls::EndPoll;
  cq_.cq.read_vendor_err = &Calls::VendorError;
  cq_.cq.read_src_qp = &Calls::SourceQueuePair;
}

LoopSetup StubNic::Setup(uint32_t depth, uint64_t completions) {
  RAILGAUGE_CHECK(depth < kRing);
  constexpr Bytes kMessage{4096};
  LoopSetup setup;
  setup.queue_pairs = handles_;
  setup.cq = &cq_.cq;
  setup.target_numbers = numbers_;
  setup.target_queue_key = 0x11;
  setup.local = {uint64_t{1} << 32, 5, SlotsFor(kMessage, Bytes{uint64_t{64} << 20})};
  setup.remote = {uint64_t{2} << 32, 6, SlotsFor(kMessage, Bytes{uint64_t{210} << 20})};
  setup.message_size = static_cast<uint32_t>(kMessage.count);
  setup.shape = ShapeFor(depth, kQueuePairs);
  setup.window = Nanoseconds{0};
  setup.min_completions = completions;
  return setup;
}

LoopSetup StubNic::ExchangeSetup(uint64_t completions, LatencyHistogram* latencies) {
  LoopSetup setup = Setup(1, completions);
  setup.latencies = latencies;
  return setup;
}

AnswerSetup StubNic::AnsweringSetup(const std::atomic<bool>* stop) {
  const LoopSetup loop = Setup(1, 1);
  AnswerSetup setup;
  setup.qp = handles_[0];
  setup.cq = &cq_.cq;
  setup.local = loop.local;
  setup.remote = loop.remote;
  setup.message_size = loop.message_size;
  setup.stop = stop;
  ring_[posted_++ % kRing] = kReceiveId;
  return setup;
}

bool StubNic::Contains(uint64_t address) {
  return address >= reinterpret_cast<uint64_t>(__start_railgauge_stub_nic) &&
         address < reinterpret_cast<uint64_t>(__stop_railgauge_stub_nic);
}

}  // namespace railgauge
