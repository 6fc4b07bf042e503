// Context: an open RDMA device with everything that railgauge asks of it, read once.
//
// Objects made from a context (protection domains, queues, …) hold raw handles into it: declare
// the context before them, so that it closes last.
#ifndef RAILGAUGE_LIB_VERBS_CONTEXT_H_
#define RAILGAUGE_LIB_VERBS_CONTEXT_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/verbs/device_list.h"

namespace railgauge {

// EFA has one port, and one GID on it (index 0).
inline constexpr uint8_t kPort = 1;
inline constexpr uint8_t kGidIndex = 0;

struct DeviceAttributes {
  std::string name;         // ibverbs name
  std::string uverbs_name;  // "uverbs3": the node under /dev/infiniband
  PciAddress address;
  // The kernel's fw_ver attribute, which holds the whole string; where that is empty the four
  // numbers of ibv_query_device(3).
  std::string firmware;
  uint32_t vendor_id = 0;
  uint32_t vendor_part_id = 0;

  // False: efadv_query_device(3) says that this is no EFA device. What follows in this block is
  // then zero.
  bool is_efa = false;
  bool rdma_read = false;
  bool rdma_write = false;
  uint32_t max_rdma_bytes = 0;     // of one read or write
  uint32_t max_send_requests = 0;  // of one queue pair's send queue
  uint32_t max_send_sges = 0;
  uint32_t max_inline_bytes = 0;

  uint32_t max_queue_pairs = 0;
  uint32_t max_completion_entries = 0;  // of one completion queue

  // A constant of the driver (always ACTIVE): shown, and no sign of health.
  ibv_port_state port_state = IBV_PORT_NOP;
  uint32_t max_message_bytes = 0;                 // of a SEND
  std::optional<double> port_rate_gb_per_second;  // as the driver reports it, in Gb/s
  ibv_gid gid = {};                               // of kGidIndex

  NicKey key() const { return {address, name}; }
};

class Context {
 public:
  // Opens the device with exactly this ibverbs name. Errors: no such device, no permission on its
  // node, no PCI device, or a query that fails.
  static Result<Context> Open(const std::string& name);
  static Result<Context> Open(const DeviceList& devices, const std::string& name);

  const DeviceAttributes& attributes() const { return attributes_; }
  const std::string& name() const { return attributes_.name; }
  ibv_context* handle() const { return context_.get(); }

  // Access flags that memory on this device can have, see access.h.
  int AccessFlags() const;

 private:
  struct Close {
    void operator()(ibv_context* context) const { ibv_close_device(context); }
  };
  Context() = default;

  std::unique_ptr<ibv_context, Close> context_;
  DeviceAttributes attributes_;
};

// The port's rate in Gb/s from the link width and speed codes of ibv_query_port(3); empty for
// codes without a meaning.
std::optional<double> PortRate(uint8_t active_width, uint8_t active_speed);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_CONTEXT_H_
