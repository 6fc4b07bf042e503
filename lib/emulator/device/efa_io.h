// The formats of EFA work requests and completions, from rdma-core's efa_io_defs.h.
//
// That header expects the kernel's BIT and GENMASK; they are defined for it here and nowhere else.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_EFA_IO_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_EFA_IO_H_

#include <bit>
#include <cstdint>

#define BIT(nr) (1u << (nr))
#define GENMASK(h, l) ((~0u >> (31 - (h))) & (~0u << (l)))
#include <efa_io_defs.h>

namespace railgauge::efa {

enum class CompletionStatus : uint8_t {
  kOk = EFA_IO_COMP_STATUS_OK,
  kFlushed = EFA_IO_COMP_STATUS_FLUSHED,
  kQpInternalError = EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR,
  kUnsupportedOp = EFA_IO_COMP_STATUS_LOCAL_ERROR_UNSUPPORTED_OP,
  kInvalidAh = EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH,
  kInvalidLkey = EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY,
  kLocalBadLength = EFA_IO_COMP_STATUS_LOCAL_ERROR_BAD_LENGTH,
  kBadAddress = EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS,
  kAbort = EFA_IO_COMP_STATUS_REMOTE_ERROR_ABORT,
  kBadDestQpn = EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN,
  kRnr = EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR,
  kRemoteBadLength = EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_LENGTH,
  kBadStatus = EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_STATUS,
  kUnrespRemote = EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE,
  kUnknownPeer = EFA_IO_COMP_STATUS_REMOTE_ERROR_UNKNOWN_PEER,
  kUnreachRemote = EFA_IO_COMP_STATUS_LOCAL_ERROR_UNREACH_REMOTE,
};

enum class SendOp : uint8_t {
  kSend = EFA_IO_SEND,
  kRdmaRead = EFA_IO_RDMA_READ,
  kRdmaWrite = EFA_IO_RDMA_WRITE,
};

enum class QueueType : uint8_t { kSend = EFA_IO_SEND_QUEUE, kReceive = EFA_IO_RECV_QUEUE };

// The field of `word` under `mask`, a contiguous run of bits.
constexpr uint32_t GetField(uint32_t word, uint32_t mask) {
  return (word & mask) >> std::countr_zero(mask);
}

// `value` moved to where `mask` is.
constexpr uint32_t PutField(uint32_t mask, uint32_t value) {
  return (value << std::countr_zero(mask)) & mask;
}

// Bit fields of the formats.
inline constexpr uint32_t kTxOpType = EFA_IO_TX_META_DESC_OP_TYPE_MASK;  // ctrl1
inline constexpr uint32_t kTxHasImm = EFA_IO_TX_META_DESC_HAS_IMM_MASK;
inline constexpr uint32_t kTxInline = EFA_IO_TX_META_DESC_INLINE_MSG_MASK;
inline constexpr uint32_t kTxMetaExtension = EFA_IO_TX_META_DESC_META_EXTENSION_MASK;
inline constexpr uint32_t kTxMetaDesc = EFA_IO_TX_META_DESC_META_DESC_MASK;
inline constexpr uint32_t kTxPhase = EFA_IO_TX_META_DESC_PHASE_MASK;  // ctrl2
inline constexpr uint32_t kTxFirst = EFA_IO_TX_META_DESC_FIRST_MASK;
inline constexpr uint32_t kTxLast = EFA_IO_TX_META_DESC_LAST_MASK;
inline constexpr uint32_t kTxCompletionRequested = EFA_IO_TX_META_DESC_COMP_REQ_MASK;
inline constexpr uint32_t kTxLkey = EFA_IO_TX_BUF_DESC_LKEY_MASK;
inline constexpr uint32_t kRxLkey = EFA_IO_RX_DESC_LKEY_MASK;  // lkey_ctrl
inline constexpr uint32_t kRxFirst = EFA_IO_RX_DESC_FIRST_MASK;
inline constexpr uint32_t kRxLast = EFA_IO_RX_DESC_LAST_MASK;
inline constexpr uint32_t kCompletionPhase = EFA_IO_CDESC_COMMON_PHASE_MASK;  // flags
inline constexpr uint32_t kCompletionQueueType = EFA_IO_CDESC_COMMON_Q_TYPE_MASK;
inline constexpr uint32_t kCompletionHasImm = EFA_IO_CDESC_COMMON_HAS_IMM_MASK;
inline constexpr uint32_t kCompletionOpType = EFA_IO_CDESC_COMMON_OP_TYPE_MASK;
inline constexpr uint32_t kCompletionUnsolicited = EFA_IO_CDESC_COMMON_UNSOLICITED_MASK;

// Registers of a CQ's doorbell (efa_io_regs_defs.h, which rdma-core keeps private).
inline constexpr uint32_t kCqDoorbellConsumerIndexMask = 0xffff;
inline constexpr uint32_t kCqDoorbellCommandSequenceMask = 0x60000000;
inline constexpr uint32_t kCqDoorbellArmMask = 0x80000000;

// A source address handle that the receiver does not have.
inline constexpr uint16_t kUnknownAh = 0xffff;

}  // namespace railgauge::efa

#undef BIT
#undef GENMASK

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_EFA_IO_H_
