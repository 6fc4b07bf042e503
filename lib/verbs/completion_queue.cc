#include "lib/verbs/completion_queue.h"

#include <cerrno>

#include "fmt/core.h"

namespace railgauge {

Result<CompletionQueue> CompletionQueue::Create(const Context& context, uint32_t entries,
                                                uint64_t fields) {
  const uint32_t limit = context.attributes().max_completion_entries;
  if (limit != 0 && entries > limit) {
    return Fail(MakeError("create completion queue", context.name(),
                          fmt::format("{} entries are more than its {}", entries, limit),
                          "Ask for a smaller depth"));
  }
  ibv_cq_init_attr_ex attributes = {};
  attributes.cqe = entries;
  attributes.wc_flags = fields;
  CompletionQueue queue;
  queue.cq_.reset(ibv_create_cq_ex(context.handle(), &attributes));
  if (queue.cq_ == nullptr) return Fail(ErrnoError(errno, "ibv_create_cq_ex", context.name()));
  return queue;
}

void CompletionQueue::Destroy::operator()(ibv_cq_ex* cq) const {
  RAILGAUGE_CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) != EBUSY);  // a queue pair outlived it
}

}  // namespace railgauge
