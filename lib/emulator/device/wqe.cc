#include "lib/emulator/device/wqe.h"

#include <cstring>

namespace railgauge::efa {
namespace {

constexpr uint64_t Address(uint32_t low, uint32_t high) { return (uint64_t{high} << 32) | low; }

ScatterEntry DecodeBuffer(const efa_io_tx_buf_desc& buffer) {
  return {Address(buffer.buf_addr_lo, buffer.buf_addr_hi), buffer.length,
          GetField(buffer.lkey, kTxLkey)};
}

// Local memory of `count` buffers, or of the inline data.
void DecodePayload(const efa_io_tx_wqe& wqe, const efa_io_tx_buf_desc* buffers, uint32_t capacity,
                   SendRequest& request) {
  const uint32_t count = wqe.meta.length;
  if (count > capacity) {
    request.status = CompletionStatus::kLocalBadLength;
    return;
  }
  request.entry_count = count;
  for (uint32_t i = 0; i < count; ++i) request.entries[i] = DecodeBuffer(buffers[i]);
}

void DecodeInline(const efa_io_tx_wqe& wqe, SendRequest& request) {
  if (wqe.meta.length > request.inline_data.size()) {
    request.status = CompletionStatus::kLocalBadLength;
    return;
  }
  request.inline_length = wqe.meta.length;
  std::memcpy(request.inline_data.data(), wqe.data.inline_data, wqe.meta.length);
}

}  // namespace

SendRequest DecodeSend(const efa_io_tx_wqe& wqe) {
  const efa_io_tx_meta_desc& meta = wqe.meta;
  SendRequest request;
  request.req_id = meta.req_id;
  request.completion_requested = GetField(meta.ctrl2, kTxCompletionRequested) != 0;
  request.has_imm = GetField(meta.ctrl1, kTxHasImm) != 0;
  request.is_inline = GetField(meta.ctrl1, kTxInline) != 0;
  request.imm = meta.immediate_data;
  request.dest_qp_num = meta.dest_qp_num;
  request.ah = meta.ah;
  request.qkey = meta.qkey;

  const uint32_t op = GetField(meta.ctrl1, kTxOpType);
  if (op > EFA_IO_RDMA_WRITE) {
    request.status = CompletionStatus::kUnsupportedOp;
    return request;
  }
  request.op = static_cast<SendOp>(op);
  if (GetField(meta.ctrl1, kTxMetaDesc) == 0 || GetField(meta.ctrl1, kTxMetaExtension) != 0 ||
      GetField(meta.ctrl2, kTxFirst) == 0 || GetField(meta.ctrl2, kTxLast) == 0) {
    request.status = CompletionStatus::kQpInternalError;
    return request;
  }
  if (request.op == SendOp::kSend) {
    if (request.is_inline) {
      DecodeInline(wqe, request);
    } else {
      DecodePayload(wqe, wqe.data.sgl, EFA_IO_TX_DESC_NUM_BUFS, request);
    }
    return request;
  }
  // A descriptor of 64 bytes has no room for inline data behind the remote address, and a read
  // has nowhere to bring an immediate.
  if (request.is_inline || (request.op == SendOp::kRdmaRead && request.has_imm)) {
    request.status = CompletionStatus::kUnsupportedOp;
    return request;
  }
  const efa_io_rdma_req& rdma = wqe.data.rdma_req;
  request.remote_address = Address(rdma.remote_mem.buf_addr_lo, rdma.remote_mem.buf_addr_hi);
  request.remote_length = rdma.remote_mem.length;
  request.rkey = rdma.remote_mem.rkey;
  DecodePayload(wqe, rdma.local_mem, EFA_IO_TX_DESC_NUM_RDMA_BUFS, request);
  return request;
}

ReceiveDescriptor DecodeReceive(const efa_io_rx_desc& descriptor) {
  ReceiveDescriptor result;
  result.req_id = descriptor.req_id;
  result.first = GetField(descriptor.lkey_ctrl, kRxFirst) != 0;
  result.last = GetField(descriptor.lkey_ctrl, kRxLast) != 0;
  result.entry = {Address(descriptor.buf_addr_lo, descriptor.buf_addr_hi), descriptor.length,
                  GetField(descriptor.lkey_ctrl, kRxLkey)};
  return result;
}

}  // namespace railgauge::efa
