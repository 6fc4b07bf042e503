#include "lib/verbs/srd_queue_pair.h"

#include <infiniband/efadv.h>

#include <algorithm>
#include <cerrno>

#include "fmt/core.h"

namespace railgauge {
namespace {

Status Modify(ibv_qp* qp, ibv_qp_attr attributes, int mask, const char* state,
              const Context& context) {
  const int error = ibv_modify_qp(qp, &attributes, mask | IBV_QP_STATE);
  if (error == 0) return {};
  return Fail(ErrnoError(error, fmt::format("ibv_modify_qp to {}", state), context.name()));
}

Status BringUp(ibv_qp* qp, const Context& context) {
  ibv_qp_attr init = {};
  init.qp_state = IBV_QPS_INIT;
  init.port_num = kPort;
  init.pkey_index = 0;
  init.qkey = SrdQueuePair::kQueueKey;
  RAILGAUGE_RETURN_IF_ERROR(
      Modify(qp, init, IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY, "INIT", context));
  ibv_qp_attr ready_to_receive = {};
  ready_to_receive.qp_state = IBV_QPS_RTR;
  RAILGAUGE_RETURN_IF_ERROR(Modify(qp, ready_to_receive, 0, "RTR", context));
  ibv_qp_attr ready_to_send = {};
  ready_to_send.qp_state = IBV_QPS_RTS;
  ready_to_send.sq_psn = 0;
  return Modify(qp, ready_to_send, IBV_QP_SQ_PSN, "RTS", context);
}

}  // namespace

Result<SrdQueuePair> SrdQueuePair::Create(const Context& context, const ProtectionDomain& domain,
                                          const CompletionQueue& queue, uint32_t depth,
                                          uint32_t receives) {
  const DeviceAttributes& device = context.attributes();
  if (depth > device.max_send_requests) {
    return Fail(
        MakeError("create queue pair", device.name,
                  fmt::format("a depth of {} is more than its {}", depth, device.max_send_requests),
                  "Ask for a smaller depth"));
  }
  ibv_qp_init_attr_ex attributes = {};
  attributes.qp_type = IBV_QPT_DRIVER;
  attributes.send_cq = ibv_cq_ex_to_cq(queue.handle());
  attributes.recv_cq = attributes.send_cq;
  attributes.cap.max_send_wr = depth;
  attributes.cap.max_send_sge = 1;
  // Also where nothing is received, libefa divides by the receive SGEs.
  attributes.cap.max_recv_wr = std::max(receives, 1u);
  attributes.cap.max_recv_sge = 1;
  attributes.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  attributes.pd = domain.handle();
  attributes.send_ops_flags = IBV_QP_EX_WITH_SEND;
  if (device.rdma_read) attributes.send_ops_flags |= IBV_QP_EX_WITH_RDMA_READ;
  if (device.rdma_write) attributes.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE;
  if (device.rdma_write && receives > 0) {
    attributes.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
  }
  efadv_qp_init_attr efa_attributes = {};
  efa_attributes.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD;

  SrdQueuePair pair;
  pair.qp_.reset(
      efadv_create_qp_ex(context.handle(), &attributes, &efa_attributes, sizeof(efa_attributes)));
  if (pair.qp_ == nullptr) return Fail(ErrnoError(errno, "efadv_create_qp_ex", device.name));
  RAILGAUGE_RETURN_IF_ERROR(BringUp(pair.qp_.get(), context));
  return pair;
}

}  // namespace railgauge
