// The answering end of an exchange of WRITEs with immediate (exchange.h): answers each that comes
// by one of the same size, until it is told to stop.
#ifndef RAILGAUGE_LIB_MEASURE_ANSWER_LOOP_H_
#define RAILGAUGE_LIB_MEASURE_ANSWER_LOOP_H_

#include <infiniband/verbs.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/measure/loop.h"

namespace railgauge {

struct AnswerSetup {
  // With room for kExchangeReceives of either kind. The queue pair that asks is read from its
  // messages (IBV_WC_EX_WITH_SRC_QP).
  ibv_qp_ex* qp = nullptr;
  ibv_cq_ex* cq = nullptr;
  ibv_ah* asker = nullptr;
  uint32_t asker_queue_key = 0;
  LoopMemory local;   // where answers come from
  LoopMemory remote;  // the asker's
  uint32_t message_size = 0;
  // Set from another thread: it ends when its own answers are acknowledged, which a NIC that is
  // gone never does, so that it waits for that no longer than `drain`.
  const std::atomic<bool>* stop = nullptr;
  Nanoseconds drain = std::chrono::seconds{1};
  // Once set, it ends at its next pass: another host, which it works with, is gone. Null: nothing
  // does that.
  const std::atomic<bool>* cancelled = nullptr;
};

// Posts the receive requests: before anything is asked. What ibv_post_recv(3) returns.
int PrepareToAnswer(const AnswerSetup& setup);

// Of the result, `posted` answers, those `completed` and the failure count. Between two passes it
// allocates, locks and calls nothing but the queues and, when it has nothing to do, the clock.
LoopResult RunAnswerLoop(const AnswerSetup& setup);

// The failure in words, about the NIC `device`; empty without one.
std::optional<Error> AnswerError(const LoopResult& result, const std::string& device);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_ANSWER_LOOP_H_
