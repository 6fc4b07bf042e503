// SrdQueuePair: owns an EFA queue pair of the scalable reliable datagram type, ready to send.
//
// An SRD queue pair has no peer: every work request names an address handle, a queue pair number
// and a queue key, so one reaches any number of others.
#ifndef RAILGAUGE_LIB_VERBS_SRD_QUEUE_PAIR_H_
#define RAILGAUGE_LIB_VERBS_SRD_QUEUE_PAIR_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>

#include "lib/base/result.h"
#include "lib/verbs/completion_queue.h"
#include "lib/verbs/context.h"
#include "lib/verbs/protection_domain.h"

namespace railgauge {

class SrdQueuePair {
 public:
  // The key that all queue pairs of railgauge have; a request with another one is refused.
  static constexpr uint32_t kQueueKey = 0x7261696c;

  // A queue pair for `depth` RDMA requests in flight that completes into `queue`, brought through
  // INIT and RTR to RTS. It can post the RDMA operations that the device has (none: it can still
  // be the target of the other side's). With room for receive requests it can be the target of a
  // WRITE with immediate, which uses one up, and post them, too. Everything passed in must outlive
  // it.
  static Result<SrdQueuePair> Create(const Context& context, const ProtectionDomain& domain,
                                     const CompletionQueue& queue, uint32_t depth,
                                     uint32_t receives = 0);

  ibv_qp_ex* handle() const { return ibv_qp_to_qp_ex(qp_.get()); }
  uint32_t number() const { return qp_->qp_num; }

 private:
  struct Destroy {
    // Failure means that the device is gone.
    void operator()(ibv_qp* qp) const { (void)ibv_destroy_qp(qp); }
  };
  SrdQueuePair() = default;

  std::unique_ptr<ibv_qp, Destroy> qp_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_SRD_QUEUE_PAIR_H_
