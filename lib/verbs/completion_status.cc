#include "lib/verbs/completion_status.h"

#include <array>
#include <utility>

#include "fmt/core.h"

namespace railgauge {
namespace {

struct EfaStatus {
  const char* name;
  const char* advice;
};

// By the numbers of enum efa_io_comp_status, which are the device's wire format.
constexpr std::array<EfaStatus, 16> kEfaStatuses = {{
    {"OK", ""},
    {"FLUSHED", "The queue pair was torn down or went to its error state before this request"},
    {"LOCAL_ERROR_QP_INTERNAL_ERROR", "Look for messages of the efa driver in the kernel log"},
    {"LOCAL_ERROR_UNSUPPORTED_OP", "The device cannot do this operation"},
    {"LOCAL_ERROR_INVALID_AH", "The address handle is not one of this protection domain"},
    {"LOCAL_ERROR_INVALID_LKEY", "The local memory region does not cover the request"},
    {"LOCAL_ERROR_BAD_LENGTH", "The message is longer than the device or the path allows"},
    {"REMOTE_ERROR_BAD_ADDRESS", "The remote memory region does not cover or allow the request"},
    {"REMOTE_ERROR_ABORT", "The remote side reset the connection; is its process still running?"},
    {"REMOTE_ERROR_BAD_DEST_QPN", "The remote queue pair is gone or in its error state"},
    {"REMOTE_ERROR_RNR", "The remote side has posted no receive"},
    {"REMOTE_ERROR_BAD_LENGTH", "The remote receive buffer is too short"},
    {"REMOTE_ERROR_BAD_STATUS", "The responder gave an unexpected answer"},
    {"LOCAL_ERROR_UNRESP_REMOTE",
     "The remote side stopped answering; between hosts, check that it still runs"},
    {"REMOTE_ERROR_UNKNOWN_PEER",
     "The remote protection domain has no address handle of this device, which RDMA needs"},
    {"LOCAL_ERROR_UNREACH_REMOTE",
     "The remote side never answered; between hosts, the security group must allow all traffic "
     "from and to itself"},
}};

}  // namespace

std::string CompletionStatusName(ibv_wc_status status) {
  static constexpr std::array<const char*, 24> kNames = {"SUCCESS",
                                                         "LOC_LEN_ERR",
                                                         "LOC_QP_OP_ERR",
                                                         "LOC_EEC_OP_ERR",
                                                         "LOC_PROT_ERR",
                                                         "WR_FLUSH_ERR",
                                                         "MW_BIND_ERR",
                                                         "BAD_RESP_ERR",
                                                         "LOC_ACCESS_ERR",
                                                         "REM_INV_REQ_ERR",
                                                         "REM_ACCESS_ERR",
                                                         "REM_OP_ERR",
                                                         "RETRY_EXC_ERR",
                                                         "RNR_RETRY_EXC_ERR",
                                                         "LOC_RDD_VIOL_ERR",
                                                         "REM_INV_RD_REQ_ERR",
                                                         "REM_ABORT_ERR",
                                                         "INV_EECN_ERR",
                                                         "INV_EEC_STATE_ERR",
                                                         "FATAL_ERR",
                                                         "RESP_TIMEOUT_ERR",
                                                         "GENERAL_ERR",
                                                         "TM_ERR",
                                                         "TM_RNDV_INCOMPLETE"};
  const auto number = static_cast<unsigned>(status);
  if (number < kNames.size()) return fmt::format("IBV_WC_{}", kNames[number]);
  return fmt::format("IBV_WC_{}", number);
}

std::string EfaStatusName(uint32_t vendor_error) {
  if (vendor_error < kEfaStatuses.size()) return kEfaStatuses[vendor_error].name;
  return fmt::format("vendor error {}", vendor_error);
}

Error CompletionError(std::string operation, std::string object, ibv_wc_status status,
                      uint32_t vendor_error) {
  return MakeError(std::move(operation), std::move(object),
                   fmt::format("{} (EFA status {}: {})", CompletionStatusName(status), vendor_error,
                               EfaStatusName(vendor_error)),
                   vendor_error < kEfaStatuses.size() ? kEfaStatuses[vendor_error].advice : "");
}

}  // namespace railgauge
