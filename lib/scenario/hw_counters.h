// The names of an EFA port's hardware counters, the files under
// /sys/class/infiniband/<device>/ports/1/hw_counters.
//
// The one list for who makes the files (tree.h) and who fills them (the emulated driver).
#ifndef RAILGAUGE_LIB_SCENARIO_HW_COUNTERS_H_
#define RAILGAUGE_LIB_SCENARIO_HW_COUNTERS_H_

#include <array>
#include <string_view>

namespace railgauge {

inline constexpr std::array<std::string_view, 25> kHwCounterNames = {
    "tx_bytes",
    "tx_pkts",
    "rx_bytes",
    "rx_pkts",
    "rx_drops",
    "send_bytes",
    "send_wrs",
    "recv_bytes",
    "recv_wrs",
    "rdma_read_wrs",
    "rdma_read_bytes",
    "rdma_read_wr_err",
    "rdma_read_resp_bytes",
    "rdma_write_wrs",
    "rdma_write_bytes",
    "rdma_write_wr_err",
    "rdma_write_recv_bytes",
    "retrans_bytes",
    "retrans_pkts",
    "retrans_timeout_events",
    "unresponsive_remote_events",
    "impaired_remote_conn_events",
    // Of the driver's admin queue; since Linux 5.15 these lie one folder higher, of the device.
    "submitted_cmds",
    "completed_cmds",
    "cmds_err",
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_HW_COUNTERS_H_
