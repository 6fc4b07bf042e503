#include "lib/emulator/end_to_end/messenger.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "lib/base/result.h"

namespace railgauge {

namespace {

ibv_context* Open(const std::string& name) {
  ibv_device** list = ibv_get_device_list(nullptr);
  ibv_context* context = nullptr;
  for (ibv_device** device = list; *device != nullptr; ++device) {
    if (name == ibv_get_device_name(*device)) context = ibv_open_device(*device);
  }
  ibv_free_device_list(list);
  RAILGAUGE_CHECK(context != nullptr);
  return context;
}

}  // namespace

Messenger::Messenger(const std::string& device, const Options& options)
    : context(Open(device)), options_(options) {
  RAILGAUGE_CHECK(ibv_query_gid(context, 1, 0, &gid) == 0);
  pd = ibv_alloc_pd(context);
  RAILGAUGE_CHECK(pd != nullptr);
  if (options_.with_events) channel = ibv_create_comp_channel(context);
  send_cq = CreateCq();
  recv_cq = CreateCq();
  CreateQp();
  ToReady();
  scratch_mr_.reset(ibv_reg_mr(pd, scratch_.data(), scratch_.size(), IBV_ACCESS_LOCAL_WRITE));
  RAILGAUGE_CHECK(scratch_mr_ != nullptr);
}

Messenger::~Messenger() {
  scratch_mr_.reset();
  RAILGAUGE_CHECK(ibv_destroy_qp(qp) == 0);
  RAILGAUGE_CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(send_cq)) == 0);
  RAILGAUGE_CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(recv_cq)) == 0);
  if (channel != nullptr) RAILGAUGE_CHECK(ibv_destroy_comp_channel(channel) == 0);
  RAILGAUGE_CHECK(ibv_dealloc_pd(pd) == 0);
  RAILGAUGE_CHECK(ibv_close_device(context) == 0);
}

ibv_cq_ex* Messenger::CreateCq() {
  ibv_cq_init_attr_ex attributes = {};
  attributes.cqe = 2 * options_.depth;
  attributes.channel = channel;
  attributes.wc_flags =
      IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_SRC_QP;
  efadv_device_attr device = {};
  RAILGAUGE_CHECK(efadv_query_device(context, &device, sizeof device) == 0);
  efadv_cq_init_attr efa = {};
  if ((device.device_caps & EFADV_DEVICE_ATTR_CAPS_CQ_WITH_SGID) != 0) {
    efa.wc_flags |= EFADV_WC_EX_WITH_SGID;
  }
  if ((device.device_caps & EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV) != 0) {
    efa.wc_flags |= EFADV_WC_EX_WITH_IS_UNSOLICITED;
  }
  ibv_cq_ex* cq = efadv_create_cq(context, &attributes, &efa, sizeof efa);
  RAILGAUGE_CHECK(cq != nullptr);
  return cq;
}

void Messenger::CreateQp() {
  ibv_qp_init_attr_ex attributes = {};
  attributes.qp_type = options_.datagrams ? IBV_QPT_UD : IBV_QPT_DRIVER;
  attributes.send_cq = ibv_cq_ex_to_cq(send_cq);
  attributes.recv_cq = ibv_cq_ex_to_cq(recv_cq);
  attributes.cap = {.max_send_wr = options_.depth,
                    .max_recv_wr = options_.depth,
                    .max_send_sge = 2,
                    .max_recv_sge = 2,
                    .max_inline_data = 32};
  attributes.pd = pd;
  attributes.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  attributes.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
  efadv_device_attr device = {};
  RAILGAUGE_CHECK(efadv_query_device(context, &device, sizeof device) == 0);
  if (!options_.datagrams && (device.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE) != 0) {
    attributes.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
  }
  efadv_qp_init_attr efa = {};
  efa.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD;
  if (options_.unsolicited_writes) efa.flags = EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV;
  qp = options_.datagrams ? ibv_create_qp_ex(context, &attributes)
                          : efadv_create_qp_ex(context, &attributes, &efa, sizeof efa);
  RAILGAUGE_CHECK(qp != nullptr);
}

void Messenger::ToReady() {
  ibv_qp_attr state = {};
  state.qp_state = IBV_QPS_INIT;
  state.port_num = 1;
  state.qkey = kQkey;
  RAILGAUGE_CHECK(
      ibv_modify_qp(qp, &state, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) == 0);
  state.qp_state = IBV_QPS_RTR;
  RAILGAUGE_CHECK(ibv_modify_qp(qp, &state, IBV_QP_STATE) == 0);
  state.qp_state = IBV_QPS_RTS;
  state.rnr_retry = options_.rnr_retry;
  const int rnr_retry = options_.datagrams ? 0 : IBV_QP_RNR_RETRY;
  RAILGAUGE_CHECK(ibv_modify_qp(qp, &state, IBV_QP_STATE | IBV_QP_SQ_PSN | rnr_retry) == 0);
}

void Messenger::ToState(ibv_qp_state state) {
  ibv_qp_attr attributes = {};
  attributes.qp_state = state;
  RAILGAUGE_CHECK(ibv_modify_qp(qp, &attributes, IBV_QP_STATE) == 0);
}

ibv_qp_attr Messenger::Query(int mask) const {
  ibv_qp_attr attributes = {};
  ibv_qp_init_attr init = {};
  RAILGAUGE_CHECK(ibv_query_qp(qp, &attributes, mask, &init) == 0);
  return attributes;
}

Mr Messenger::Register(const NodeMemory& memory) const {
  Mr mr(ibv_reg_mr(pd, memory.data(), memory.size(), kAllAccess));
  RAILGAUGE_CHECK(mr != nullptr);
  return mr;
}

Ah Messenger::AddressOf(const Messenger& peer) const {
  ibv_ah_attr attributes = {};
  attributes.is_global = 1;
  attributes.port_num = 1;
  attributes.grh.dgid = peer.gid;
  Ah ah(ibv_create_ah(pd, &attributes));
  RAILGAUGE_CHECK(ah != nullptr);
  return ah;
}

Messenger::Request Messenger::To(const Messenger& peer, ibv_ah* ah,
                                 std::vector<ibv_sge> pieces) const {
  Request request;
  request.ah = ah;
  request.qp_num = peer.qp->qp_num;
  request.pieces = std::move(pieces);
  return request;
}

void Messenger::Post(const Request& request) {
  ibv_qp_ex* ex = ibv_qp_to_qp_ex(qp);
  ibv_wr_start(ex);
  ex->wr_id = request.id;
  ex->wr_flags = IBV_SEND_SIGNALED;
  const uint32_t immediate = htonl(request.immediate);
  switch (request.opcode) {
    case IBV_WR_SEND:
      ibv_wr_send(ex);
      break;
    case IBV_WR_SEND_WITH_IMM:
      ibv_wr_send_imm(ex, immediate);
      break;
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      ibv_wr_rdma_write_imm(ex, request.rkey, request.remote_address, immediate);
      break;
    default:
      RAILGAUGE_CHECK(request.opcode == IBV_WR_RDMA_WRITE);
      ibv_wr_rdma_write(ex, request.rkey, request.remote_address);
  }
  if (request.inline_data != nullptr) {
    ibv_wr_set_inline_data(ex, const_cast<void*>(request.inline_data), request.inline_bytes);
  } else {
    ibv_wr_set_sge_list(ex, request.pieces.size(), request.pieces.data());
  }
  ibv_wr_set_ud_addr(ex, request.ah, request.qp_num, kQkey);
  RAILGAUGE_CHECK(ibv_wr_complete(ex) == 0);
}

void Messenger::PostReceive(std::vector<ibv_sge> pieces, uint64_t id) {
  ibv_recv_wr request = {};
  request.wr_id = id;
  request.sg_list = pieces.data();
  request.num_sge = static_cast<int>(pieces.size());
  ibv_recv_wr* bad = nullptr;
  RAILGAUGE_CHECK(ibv_post_recv(qp, &request, &bad) == 0);
}

std::optional<Messenger::Completion> Messenger::Poll(ibv_cq_ex* cq) {
  ibv_poll_cq_attr attributes = {};
  const int error = ibv_start_poll(cq, &attributes);
  if (error == ENOENT) return std::nullopt;
  RAILGAUGE_CHECK(error == 0);
  Completion completion;
  completion.status = cq->status;
  completion.id = cq->wr_id;
  completion.vendor_error = ibv_wc_read_vendor_err(cq);
  if (completion.status == IBV_WC_SUCCESS) {
    completion.opcode = ibv_wc_read_opcode(cq);
    const bool received = (completion.opcode & IBV_WC_RECV) != 0;
    if (received) {
      completion.bytes = ibv_wc_read_byte_len(cq);
      completion.source_qp = ibv_wc_read_src_qp(cq);
      efadv_cq* efa = efadv_cq_from_ibv_cq_ex(cq);
      completion.unsolicited = efa->wc_is_unsolicited != nullptr && efadv_wc_is_unsolicited(efa);
      completion.knows_source_gid =
          efa->wc_read_sgid != nullptr && efadv_wc_read_sgid(efa, &completion.source_gid) == 0;
      completion.has_immediate = (ibv_wc_read_wc_flags(cq) & IBV_WC_WITH_IMM) != 0;
      if (completion.has_immediate) completion.immediate = ntohl(ibv_wc_read_imm_data(cq));
    }
  }
  ibv_end_poll(cq);
  return completion;
}

std::optional<Messenger::Completion> Messenger::WaitFor(ibv_cq_ex* cq) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    if (auto completion = Poll(cq)) return completion;
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
  }
}

Messenger::Completion Messenger::Sent() {
  const auto completion = WaitFor(send_cq);
  EXPECT_TRUE(completion.has_value()) << "nothing was sent";
  return completion.value_or(Completion());
}

Messenger::Completion Messenger::Received() {
  const auto completion = WaitFor(recv_cq);
  EXPECT_TRUE(completion.has_value()) << "nothing was received";
  return completion.value_or(Completion());
}

ibv_sge Piece(const ibv_mr& mr, size_t offset, size_t bytes) {
  return {.addr = reinterpret_cast<uint64_t>(mr.addr) + offset,
          .length = static_cast<uint32_t>(bytes),
          .lkey = mr.lkey};
}

}  // namespace railgauge
