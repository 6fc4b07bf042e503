// CompletionQueue: owns an extended completion queue (ibv_cq_ex), which is polled in passes by
// ibv_start_poll(3).
#ifndef RAILGAUGE_LIB_VERBS_COMPLETION_QUEUE_H_
#define RAILGAUGE_LIB_VERBS_COMPLETION_QUEUE_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>

#include "lib/base/result.h"
#include "lib/verbs/context.h"

namespace railgauge {

class CompletionQueue {
 public:
  // Room for `entries` completions that were not polled yet; EFA rounds up to a power of two. A
  // queue that overflows loses completions, so `entries` is at least the depth of all queue pairs
  // that complete into it.
  // `fields` (IBV_WC_EX_WITH_…) can be read of each.
  static Result<CompletionQueue> Create(const Context& context, uint32_t entries,
                                        uint64_t fields = 0);

  ibv_cq_ex* handle() const { return cq_.get(); }

 private:
  struct Destroy {
    void operator()(ibv_cq_ex* cq) const;
  };
  CompletionQueue() = default;

  std::unique_ptr<ibv_cq_ex, Destroy> cq_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_COMPLETION_QUEUE_H_
