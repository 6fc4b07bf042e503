// Names of what a completion says: the ibverbs status and the EFA device's own.
//
// libefa folds the device's sixteen statuses into ibv_wc_status, several of them into one, and
// passes the original on as the vendor error (ibv_wc_read_vendor_err). Both are named: the first is
// what manuals speak of, the second says what happened.
#ifndef RAILGAUGE_LIB_VERBS_COMPLETION_STATUS_H_
#define RAILGAUGE_LIB_VERBS_COMPLETION_STATUS_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>

#include "lib/base/result.h"

namespace railgauge {

// "IBV_WC_REM_OP_ERR"; "IBV_WC_<number>" for one this build has no name for.
std::string CompletionStatusName(ibv_wc_status status);

// "REMOTE_ERROR_UNKNOWN_PEER", from enum efa_io_comp_status; "vendor error <number>" when unknown.
std::string EfaStatusName(uint32_t vendor_error);

// The Error for a completion that is not IBV_WC_SUCCESS: both names, and what to do about it.
Error CompletionError(std::string operation, std::string object, ibv_wc_status status,
                      uint32_t vendor_error);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_COMPLETION_STATUS_H_
