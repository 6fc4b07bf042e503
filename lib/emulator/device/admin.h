// The admin commands of an EFA function, as the device model understands them.
//
// A front end (uverbs in user space, later a PCI function) plays the driver: it translates what its
// caller asks for into these parameters and results and knows nothing else of the device. The names
// are those of the public EFA admin interface (Linux drivers/infiniband/hw/efa,
// efa_admin_cmds_defs.h); the structs are ours, since no front end in this project needs the wire
// layout of a command descriptor.
//
// "DMA address": what a device is given in place of a pointer. Front ends register ranges of it in
// a DmaSpace, each with the memory behind it and the place where that memory lies; the device finds
// out by which interconnect it reaches a page only from there, as hardware does from the bus.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_ADMIN_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_ADMIN_H_

#include <array>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace railgauge::efa {

enum class AdminStatus : uint8_t {
  kSuccess = 0,
  kResourceAllocationFailure = 1,  // a limit is reached; drivers say ENOMEM
  kBadOpcode = 2,
  kUnsupportedOpcode = 3,  // EOPNOTSUPP
  kMalformedRequest = 4,
  kIllegalParameter = 5,  // EINVAL
  kUnknownError = 6,
  kResourceBusy = 7,  // EBUSY
  // Not an answer but the lack of one: the device is no more (EIO).
  kNoDevice = 255,
};

template <typename T>
using AdminResult = tl::expected<T, AdminStatus>;

using Gid = std::array<uint8_t, 16>;

struct DeviceAttributes {
  std::string firmware;
  Gid gid{};
  uint32_t mtu = 0;
  uint32_t max_rdma_size = 0;
  bool rdma_read = false, rdma_write = false, rnr_retry = false, cq_notifications = false,
       cq_with_sgid = false, data_polling_128 = false, unsolicited_write_recv = false;
  uint32_t max_qp = 0, max_sq_depth = 0, max_rq_depth = 0, max_cq = 0, max_cq_depth = 0;
  uint32_t max_mr = 0, max_pd = 0, max_ah = 0, max_llq_size = 0;
  uint64_t max_mr_pages = 0;
  uint16_t max_send_sge = 0, max_recv_sge = 0, max_rdma_sge = 1, inline_buf_size = 0,
           max_tx_batch = 0, min_sq_depth = 0, sub_cqs_per_cq = 0;
};

enum class QpType : uint8_t { kUd = 1, kSrd = 2 };
enum class QpState : uint8_t {
  kReset = 0,
  kInit = 1,
  kRtr = 2,
  kRts = 3,
  kSqd = 4,
  kSqe = 5,
  kErr = 6
};

struct CreateQpParams {
  uint16_t pd = 0;
  QpType type = QpType::kSrd;
  uint16_t send_cq = 0, recv_cq = 0;
  uint16_t uar = 0;
  uint32_t sq_depth = 0, sq_ring_bytes = 0;  // ring of 64- or 128-byte WQEs in the LLQ BAR
  uint32_t rq_depth = 0, rq_ring_bytes = 0;  // ring in host memory
  uint64_t rq_dma_address = 0;               // 0 when rq_ring_bytes is 0
  bool unsolicited_write_recv = false;
};

struct CreateQpResult {
  uint32_t qp_handle = 0;
  uint16_t qp_num = 0;
  uint32_t llq_offset = 0;    // in the LLQ BAR
  uint32_t sq_db_offset = 0;  // in the doorbell BAR, within the UAR's page
  uint32_t rq_db_offset = 0;
  uint16_t send_sub_cq = 0, recv_sub_cq = 0;
};

struct ModifyQpParams {
  uint32_t qp_handle = 0;
  bool set_state = false, set_qkey = false, set_sq_psn = false, set_rnr_retry = false;
  QpState state = QpState::kReset;
  uint32_t qkey = 0;
  uint32_t sq_psn = 0;
  uint8_t rnr_retry = 0;
};

struct QueryQpResult {
  QpState state = QpState::kReset;
  uint32_t qkey = 0;
  uint32_t sq_psn = 0;
  uint8_t rnr_retry = 0;
  bool sq_draining = false;
};

struct CreateCqParams {
  uint16_t uar = 0;
  uint32_t depth = 0;  // entries of one sub-CQ; a power of two
  uint16_t num_sub_cqs = 0;
  uint32_t entry_size_bytes = 0;  // 16 or 32
  uint64_t dma_address = 0;       // num_sub_cqs rings of depth entries, one after the other
  bool set_src_addr = false;      // write the source GID where the AH is unknown (32-byte entries)
  bool interrupt_mode = false;    // wants completion events
};

struct CreateCqResult {
  uint16_t cq = 0;
  uint32_t actual_depth = 0;
  uint32_t db_offset = 0;  // in the doorbell BAR, within the UAR's page
};

// Access of a memory region, as the device checks it.
enum MrPermission : uint32_t {
  kLocalWrite = 1u << 0,
  kRemoteWrite = 1u << 1,
  kRemoteRead = 1u << 2,
};

struct DmaSegment {
  uint64_t dma_address = 0;
  uint64_t length = 0;
};

struct RegMrParams {
  uint16_t pd = 0;
  uint64_t iova = 0;  // the address that work requests name
  uint64_t length = 0;
  uint32_t permissions = 0;
  std::vector<DmaSegment> pages;   // in order; their lengths add up to at least `length`
  uint64_t first_page_offset = 0;  // of iova within pages[0]
};

struct RegMrResult {
  uint32_t lkey = 0;  // 24 bits
  uint32_t rkey = 0;
  // Bits of `validity` as EFADV_MR_ATTR_VALIDITY_*; ids are 8 bits on the wire.
  uint8_t validity = 0;
  uint8_t recv_ic_id = 0, rdma_read_ic_id = 0, rdma_recv_ic_id = 0;
};

// Everything that GET_STATS reports, by the name of its hw_counters file; monotonic.
struct DeviceStats {
  uint64_t tx_bytes = 0, tx_pkts = 0, rx_bytes = 0, rx_pkts = 0, rx_drops = 0;
  uint64_t send_bytes = 0, send_wrs = 0, recv_bytes = 0, recv_wrs = 0;
  uint64_t rdma_read_wrs = 0, rdma_read_bytes = 0, rdma_read_wr_err = 0, rdma_read_resp_bytes = 0;
  uint64_t rdma_write_wrs = 0, rdma_write_bytes = 0, rdma_write_wr_err = 0,
           rdma_write_recv_bytes = 0;
  uint64_t retrans_bytes = 0, retrans_pkts = 0, retrans_timeout_events = 0,
           unresponsive_remote_events = 0, impaired_remote_conn_events = 0;
  // Driver-side counters of completed and failed admin commands.
  uint64_t submitted_cmds = 0, completed_cmds = 0, cmds_err = 0;
  // The emulator's own, without a hw_counters file: completions lost because a CQ was full.
  uint64_t cq_overruns = 0;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_ADMIN_H_
