// Messenger: a device with a queue pair that sends and receives, by plain libibverbs and efadv.
#ifndef RAILGAUGE_LIB_EMULATOR_END_TO_END_MESSENGER_H_
#define RAILGAUGE_LIB_EMULATOR_END_TO_END_MESSENGER_H_

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/emulator/end_to_end/rig.h"

namespace railgauge {

ibv_sge Piece(const ibv_mr& mr, size_t offset, size_t bytes);

class Messenger {
 public:
  struct Options {
    bool with_events = false;         // CQs with a completion channel
    bool datagrams = false;           // UD in place of SRD
    bool unsolicited_writes = false;  // hears of WRITE with immediate without a receive request
    uint8_t rnr_retry = 7;            // 7: without limit
    uint32_t depth = 64;
  };

  Messenger(const std::string& device, const Options& options);
  explicit Messenger(const std::string& device) : Messenger(device, Options()) {}
  ~Messenger();
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  Mr Register(const NodeMemory& memory) const;
  Ah AddressOf(const Messenger& peer) const;

  // A request to `peer`; more than one piece is for SEND only.
  struct Request {
    ibv_wr_opcode opcode = IBV_WR_SEND;
    ibv_ah* ah = nullptr;
    uint32_t qp_num = 0;
    std::vector<ibv_sge> pieces;
    const void* inline_data = nullptr;  // in place of pieces
    size_t inline_bytes = 0;
    uint32_t immediate = 0;  // in this host's order
    uint64_t remote_address = 0;
    uint32_t rkey = 0;
    uint64_t id = 0;
  };
  Request To(const Messenger& peer, ibv_ah* ah, std::vector<ibv_sge> pieces) const;
  void Post(const Request& request);
  void PostReceive(std::vector<ibv_sge> pieces, uint64_t id);
  // One whose memory does not matter. (libefa makes nothing of a receive request without any.)
  void PostReceive(uint64_t id) { PostReceive({Piece(*scratch_mr_, 0, 64)}, id); }

  struct Completion {
    ibv_wc_status status = IBV_WC_GENERAL_ERR;
    uint64_t id = 0;
    ibv_wc_opcode opcode = IBV_WC_SEND;
    uint32_t vendor_error = 0, bytes = 0, source_qp = 0, immediate = 0;
    bool has_immediate = false, unsolicited = false, knows_source_gid = false;
    ibv_gid source_gid = {};
  };
  static std::optional<Completion> Poll(ibv_cq_ex* cq);
  // Empty after ten seconds without one.
  static std::optional<Completion> WaitFor(ibv_cq_ex* cq);
  // The next of each; a test failure and an error when there is none.
  Completion Sent();
  Completion Received();

  ibv_qp_attr Query(int mask) const;
  void ToReady();
  // Reset does not leave requests behind: they are not completed.
  void ToState(ibv_qp_state state);

  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_comp_channel* channel = nullptr;
  ibv_cq_ex* send_cq = nullptr;
  ibv_cq_ex* recv_cq = nullptr;
  ibv_qp* qp = nullptr;
  ibv_gid gid = {};

  static constexpr uint32_t kQkey = 0x22222222;

 private:
  ibv_cq_ex* CreateCq();
  void CreateQp();

  const Options options_;
  NodeMemory scratch_{4096, 0};
  Mr scratch_mr_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_END_TO_END_MESSENGER_H_
