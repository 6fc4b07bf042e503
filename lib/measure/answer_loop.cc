#include "lib/measure/answer_loop.h"

#include <cerrno>

#include "lib/measure/exchange.h"
#include "lib/measure/slot_walk.h"
#include "lib/verbs/completion_status.h"

namespace railgauge {
namespace {

// A message that comes uses up a receive request, which is posted again before the answer: the
// asker, which waits for that, finds one whenever it asks.
class AnswerLoop {
 public:
  explicit AnswerLoop(const AnswerSetup& setup)
      : setup_(setup), local_(setup.local, 0), remote_(setup.remote, 0) {}

  LoopResult Run() {
    while (!failed() && !IsOver()) Poll();
    return result_;
  }

 private:
  bool failed() const { return result_.failure != LoopResult::Failure::kNone; }

  bool IsOver() {
    if (setup_.cancelled != nullptr && setup_.cancelled->load(std::memory_order_relaxed)) {
      return true;
    }
    if (!setup_.stop->load(std::memory_order_relaxed)) return false;
    if (result_.in_flight == 0) return true;
    const auto now = MeasuringClock::now();
    if (!stops_at_) stops_at_ = now + setup_.drain;
    return now >= *stops_at_;
  }

  void Poll() {
    ibv_poll_cq_attr attributes = {};
    int error = ibv_start_poll(setup_.cq, &attributes);
    if (error == ENOENT) return;
    if (error != 0) return Fail(LoopResult::Failure::kPoll, error);
    // No more than an asker has outstanding, so that one that never waits cannot keep this from
    // being stopped.
    for (uint32_t left = 2 * kExchangeReceives; error == 0; --left) {
      Take();
      error = failed() || left == 1 ? ENOENT : ibv_next_poll(setup_.cq);
    }
    ibv_end_poll(setup_.cq);
    if (error != ENOENT) Fail(LoopResult::Failure::kPoll, error);
  }

  void Take() {
    if (setup_.cq->status != IBV_WC_SUCCESS) {
      result_.status = setup_.cq->status;
      result_.vendor_error = ibv_wc_read_vendor_err(setup_.cq);
      return Fail(LoopResult::Failure::kCompletion, 0);
    }
    if (setup_.cq->wr_id != kReceiveId) {
      --result_.in_flight;
      ++result_.completed;
      return;
    }
    const uint32_t asker = ibv_wc_read_src_qp(setup_.cq);
    const int error = PostReceive(setup_.qp, setup_.local.address, setup_.local.key);
    if (error != 0) return Fail(LoopResult::Failure::kPost, error);
    Answer(asker);
  }

  void Answer(uint32_t asker) {
    ibv_qp_ex* const qp = setup_.qp;
    ibv_wr_start(qp);
    qp->wr_id = 0;
    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write_imm(qp, setup_.remote.key, remote_.Next(), 0);
    ibv_wr_set_ud_addr(qp, setup_.asker, asker, setup_.asker_queue_key);
    ibv_wr_set_sge(qp, setup_.local.key, local_.Next(), setup_.message_size);
    if (const int error = ibv_wr_complete(qp); error != 0) {
      return Fail(LoopResult::Failure::kPost, error);
    }
    ++result_.in_flight;
    ++result_.posted;
  }

  void Fail(LoopResult::Failure failure, int error) {
    if (failed()) return;
    result_.failure = failure;
    result_.error_number = error;
  }

  const AnswerSetup& setup_;
  SlotWalk local_;
  SlotWalk remote_;
  LoopResult result_;
  std::optional<MeasuringClock::time_point> stops_at_;
};

}  // namespace

int PrepareToAnswer(const AnswerSetup& setup) {
  for (uint32_t i = 0; i < kExchangeReceives; ++i) {
    const int error = PostReceive(setup.qp, setup.local.address, setup.local.key);
    if (error != 0) return error;
  }
  return 0;
}

std::optional<Error> AnswerError(const LoopResult& result, const std::string& device) {
  constexpr char kWhat[] = "answer rdma write";
  switch (result.failure) {
    case LoopResult::Failure::kCompletion:
      return CompletionError(kWhat, device, result.status, result.vendor_error);
    case LoopResult::Failure::kPost:
      return ErrnoError(result.error_number, kWhat, device);
    case LoopResult::Failure::kPoll:
      return ErrnoError(result.error_number, std::string(kWhat) + ": ibv_start_poll", device);
    default:
      return std::nullopt;
  }
}

LoopResult RunAnswerLoop(const AnswerSetup& setup) { return AnswerLoop(setup).Run(); }

}  // namespace railgauge
