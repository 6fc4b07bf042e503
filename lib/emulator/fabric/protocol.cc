#include "lib/emulator/fabric/protocol.h"

namespace railgauge {

namespace {

// One list of fields for both ways; structured bindings fail to compile when a field is missing.
template <typename A, typename B>
void CopyNumbers(const A& from, B& to) {
  const auto& [firmware, gid, mtu, max_rdma_size, rdma_read, rdma_write, rnr_retry,
               cq_notifications, cq_with_sgid, data_polling_128, unsolicited_write_recv, max_qp,
               max_sq_depth, max_rq_depth, max_cq, max_cq_depth, max_mr, max_pd, max_ah,
               max_llq_size, max_mr_pages, max_send_sge, max_recv_sge, max_rdma_sge,
               inline_buf_size, max_tx_batch, min_sq_depth, sub_cqs_per_cq] = from;
  (void)firmware;
  to.gid = gid;
  to.mtu = mtu;
  to.max_rdma_size = max_rdma_size;
  to.rdma_read = rdma_read;
  to.rdma_write = rdma_write;
  to.rnr_retry = rnr_retry;
  to.cq_notifications = cq_notifications;
  to.cq_with_sgid = cq_with_sgid;
  to.data_polling_128 = data_polling_128;
  to.unsolicited_write_recv = unsolicited_write_recv;
  to.max_qp = max_qp;
  to.max_sq_depth = max_sq_depth;
  to.max_rq_depth = max_rq_depth;
  to.max_cq = max_cq;
  to.max_cq_depth = max_cq_depth;
  to.max_mr = max_mr;
  to.max_pd = max_pd;
  to.max_ah = max_ah;
  to.max_llq_size = max_llq_size;
  to.max_mr_pages = max_mr_pages;
  to.max_send_sge = max_send_sge;
  to.max_recv_sge = max_recv_sge;
  to.max_rdma_sge = max_rdma_sge;
  to.inline_buf_size = inline_buf_size;
  to.max_tx_batch = max_tx_batch;
  to.min_sq_depth = min_sq_depth;
  to.sub_cqs_per_cq = sub_cqs_per_cq;
}

}  // namespace

WireAttributes ToWire(const efa::DeviceAttributes& attributes) {
  WireAttributes wire;
  const size_t length = std::min(attributes.firmware.size(), wire.firmware.size() - 1);
  std::copy_n(attributes.firmware.data(), length, wire.firmware.data());
  CopyNumbers(attributes, wire);
  return wire;
}

efa::DeviceAttributes FromWire(const WireAttributes& wire) {
  efa::DeviceAttributes attributes;
  attributes.firmware.assign(wire.firmware.data(),
                             strnlen(wire.firmware.data(), wire.firmware.size()));
  CopyNumbers(wire, attributes);
  return attributes;
}

}  // namespace railgauge
