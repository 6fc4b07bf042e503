// StubNic: an ibv_qp_ex and ibv_cq_ex that cost next to nothing and complete every request at once,
// so that what is left of a run is the loop alone. A WRITE with immediate is answered at once, too.
//
// Its functions allocate nothing, lock nothing and make no system call, and lie in a section of
// their own, so that a counted instruction is known to be the stub's or the loop's.
#ifndef RAILGAUGE_LIB_MEASURE_STUB_NIC_TESTUTIL_H_
#define RAILGAUGE_LIB_MEASURE_STUB_NIC_TESTUTIL_H_

#include <infiniband/verbs.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "lib/measure/answer_loop.h"
#include "lib/measure/latency_histogram.h"
#include "lib/measure/loop.h"

namespace railgauge {

class StubNic {
 public:
  static constexpr uint32_t kQueuePairs = 4;

  StubNic();
  StubNic(const StubNic&) = delete;
  StubNic& operator=(const StubNic&) = delete;

  // A run over it, of 4 KiB messages that rotate over working sets of a usual size. Its window is
  // open from the first pass on, and ends after `completions` of them.
  LoopSetup Setup(uint32_t depth, uint64_t completions);

  // An exchange of one WRITE with immediate at a time over it.
  LoopSetup ExchangeSetup(uint64_t completions, LatencyHistogram* latencies);
  // The answering end of one, which is asked anew with every answer; `stop` is its caller's.
  AnswerSetup AnsweringSetup(const std::atomic<bool>* stop);

  // Called at the start of every poll pass, with its number (from 1 on). Null: nothing is.
  void (*at_pass)(uint64_t pass) = nullptr;

  uint64_t passes() const { return passes_; }
  uint64_t doorbells() const { return doorbells_; }
  // Completions handed out.
  uint64_t completions() const { return taken_; }

  // Whether code at that address is the stub's.
  static bool Contains(uint64_t address);

 private:
  struct Calls;
  struct QueuePair {
    ibv_qp_ex qp{};  // first, as of Cq: the stub finds itself from it
    StubNic* nic = nullptr;
    uint64_t listed = 0;  // requests of the list that is being built
    uint64_t last_address = 0;
  };
  struct Cq {
    ibv_cq_ex cq{};
    StubNic* nic = nullptr;
  };

  // Requests posted and not yet completed: more than any depth that is tried.
  static constexpr uint64_t kRing = 4096;

  std::array<QueuePair, kQueuePairs> pairs_;
  std::vector<ibv_qp_ex*> handles_;
  std::vector<uint32_t> numbers_;
  Cq cq_;
  std::array<uint64_t, kRing> ring_{};  // wr_id of each
  ibv_context context_{};               // what ibv_post_recv(3) goes through
  uint64_t posted_ = 0;
  uint64_t taken_ = 0;
  uint64_t passes_ = 0;
  uint64_t doorbells_ = 0;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_STUB_NIC_TESTUTIL_H_
