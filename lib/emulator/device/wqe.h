// Work requests as the device sees them after decoding.
//
// Everything in a ring comes from the application and may be wrong; decoding says what a descriptor
// asks for and refuses what cannot be a request at all. Whether keys, handles and lengths are good
// is the requester's and the responder's business.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_WQE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_WQE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "lib/emulator/device/efa_io.h"

namespace railgauge::efa {

// Local memory that a work request names.
struct ScatterEntry {
  uint64_t address = 0;
  uint32_t length = 0;
  uint32_t lkey = 0;
};

struct SendRequest {
  // Not kOk: nothing but `req_id` and `op` counts.
  CompletionStatus status = CompletionStatus::kOk;
  uint16_t req_id = 0;
  SendOp op = SendOp::kSend;
  bool completion_requested = true;
  bool has_imm = false;
  bool is_inline = false;
  uint32_t imm = 0;
  uint16_t dest_qp_num = 0;
  uint16_t ah = 0;
  uint32_t qkey = 0;

  uint32_t entry_count = 0;
  std::array<ScatterEntry, EFA_IO_TX_DESC_NUM_BUFS> entries{};

  uint32_t inline_length = 0;
  std::array<std::byte, EFA_IO_TX_DESC_INLINE_MAX_SIZE> inline_data{};

  // RDMA only.
  uint64_t remote_address = 0;
  uint32_t remote_length = 0;
  uint32_t rkey = 0;
};

// The phase bit is not looked at: libefa does not reset it with the QP, and the doorbell says how
// many descriptors are there.
SendRequest DecodeSend(const efa_io_tx_wqe& wqe);

struct ReceiveDescriptor {
  uint16_t req_id = 0;
  bool first = false, last = false;
  ScatterEntry entry;
};

ReceiveDescriptor DecodeReceive(const efa_io_rx_desc& descriptor);

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_WQE_H_
