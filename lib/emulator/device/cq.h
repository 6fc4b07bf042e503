// CompletionQueue: the rings into which a device writes completions, and the arming of events.
//
// A CQ has several sub-CQs, each a ring of its own in the same memory; a QP's send and receive
// queues are bound to one each. The phase bit of an entry is 1 in the first lap and flips with
// every lap, which is how the reader finds new entries.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_CQ_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_CQ_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/efa_io.h"

namespace railgauge::efa {

struct Completion {
  uint16_t req_id = 0;
  CompletionStatus status = CompletionStatus::kOk;
  QueueType queue = QueueType::kSend;
  SendOp op = SendOp::kSend;
  uint16_t qp_num = 0;
  // Of receives only.
  bool has_imm = false;
  bool unsolicited = false;  // no receive request belongs to it
  uint32_t length = 0;
  uint16_t ah = kUnknownAh;
  uint16_t src_qp_num = 0;
  uint32_t imm = 0;
  Gid src_gid{};
};

class CompletionQueue {
 public:
  struct Shape {
    std::byte* ring = nullptr;  // num_sub_cqs rings of `depth` entries
    uint32_t depth = 0;         // a power of two
    uint16_t num_sub_cqs = 1;
    uint32_t entry_size = 32;  // 16 or 32
    bool set_src_addr = false;
    bool interrupt_mode = false;
  };

  explicit CompletionQueue(const Shape& shape) : shape_(shape), produced_(shape.num_sub_cqs, 0) {}

  // The sub-CQ for the next queue bound to this CQ: in turn.
  uint16_t AssignSubCq();

  enum class Outcome { kWritten, kWrittenWithEvent, kOverrun };
  // An overrun loses the entry. It can only be seen where the reader reports its index, which
  // libefa does for CQs with a completion channel; what hardware does is not public. In other
  // CQs a reader that is too late finds overwritten entries.
  Outcome Write(uint16_t sub_cq, const Completion& completion);

  // A write to the CQ's doorbell: consumer index, and perhaps a request for one event at the next
  // completion. A request with the sequence number of an event that was raised is void: the
  // application has not yet seen that event.
  void Doorbell(uint32_t value);

  uint32_t users = 0;  // queues bound to this CQ
  uint16_t uar = 0;
  uint32_t db_offset = 0;

 private:
  bool Overrun() const;

  Shape shape_;
  std::vector<uint32_t> produced_;  // by sub-CQ
  uint32_t total_produced_ = 0;
  uint16_t next_sub_cq_ = 0;
  uint16_t consumed_ = 0;  // of all sub-CQs together, as the reader counts
  bool armed_ = false;
  uint32_t armed_sequence_ = 0;
  std::optional<uint32_t> raised_sequence_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_CQ_H_
