#include "lib/verbs/context.h"

#include <fcntl.h>
#include <infiniband/efadv.h>

#include <cerrno>
#include <utility>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/unique_fd.h"
#include "lib/verbs/access.h"

namespace railgauge {
namespace {

// libibverbs answers a node that it may not open by waiting five seconds for udev to make another
// one, and the reason is lost on the way. So try the node first.
Status CheckNode(const DeviceAttributes& attributes) {
  const std::string node = "/dev/infiniband/" + attributes.uverbs_name;
  const UniqueFd fd(open(node.c_str(), O_RDWR | O_CLOEXEC));
  if (fd.valid()) return {};
  const int error = errno;
  std::string advice;
  if (error == EACCES || error == EPERM) {
    advice = fmt::format(
        "Ask for read and write permission on {}, or for the device in this container", node);
  } else if (error == ENOENT || error == ENXIO || error == ENODEV) {
    advice = "Load the kernel modules efa and ib_uverbs, and give a container this node";
  }
  return Fail(ErrnoError(error, "open " + node + " of", attributes.name, advice));
}

Status QueryEfa(ibv_context* context, DeviceAttributes* attributes) {
  efadv_device_attr efa = {};
  const int error = efadv_query_device(context, &efa, sizeof(efa));
  if (error == EOPNOTSUPP) return {};  // how libefa says "not an EFA device"
  if (error != 0) return Fail(ErrnoError(error, "efadv_query_device", attributes->name));
  attributes->is_efa = true;
  attributes->rdma_read = (efa.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_READ) != 0;
#ifndef RAILGAUGE_RDMA_CORE_LACKS_EFA_RDMA_WRITE
  attributes->rdma_write = (efa.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE) != 0;
#endif
  attributes->max_rdma_bytes = efa.max_rdma_size;
  attributes->max_send_requests = efa.max_sq_wr;
  attributes->max_send_sges = efa.max_sq_sge;
  attributes->max_inline_bytes = efa.inline_buf_size;
  return {};
}

Status QueryDevice(ibv_context* context, DeviceAttributes* attributes) {
  ibv_device_attr device = {};
  if (const int error = ibv_query_device(context, &device); error != 0) {
    return Fail(ErrnoError(error, "ibv_query_device", attributes->name));
  }
  attributes->vendor_id = device.vendor_id;
  attributes->vendor_part_id = device.vendor_part_id;
  attributes->max_queue_pairs = static_cast<uint32_t>(device.max_qp);
  attributes->max_completion_entries = static_cast<uint32_t>(device.max_cqe);
  const auto firmware =
      ReadAttribute(fmt::format("/sys/class/infiniband/{}/fw_ver", attributes->name));
  attributes->firmware = firmware && !firmware->empty() ? *firmware : device.fw_ver;
  return {};
}

Status QueryPort(ibv_context* context, DeviceAttributes* attributes) {
  ibv_port_attr port = {};
  if (const int error = ibv_query_port(context, kPort, &port); error != 0) {
    return Fail(ErrnoError(error, "ibv_query_port", attributes->name));
  }
  attributes->port_state = port.state;
  attributes->max_message_bytes = port.max_msg_sz;
  attributes->port_rate_gb_per_second = PortRate(port.active_width, port.active_speed);
  if (ibv_query_gid(context, kPort, kGidIndex, &attributes->gid) != 0) {
    return Fail(ErrnoError(errno, "ibv_query_gid", attributes->name));
  }
  return {};
}

}  // namespace

Result<Context> Context::Open(const std::string& name) {
  RAILGAUGE_ASSIGN_OR_RETURN(const DeviceList devices, DeviceList::Get());
  return Open(devices, name);
}

Result<Context> Context::Open(const DeviceList& devices, const std::string& name) {
  ibv_device* device = devices.Find(name);
  if (device == nullptr) {
    return Fail(MakeError("open RDMA device", name, "there is no device of exactly this name",
                          "`ibv_devices` lists them"));
  }
  Context context;
  DeviceAttributes& attributes = context.attributes_;
  attributes.name = name;
  attributes.uverbs_name = device->dev_name;
  RAILGAUGE_ASSIGN_OR_RETURN(attributes.address, PciAddressOf(name));
  RAILGAUGE_RETURN_IF_ERROR(CheckNode(attributes));

  errno = 0;
  context.context_.reset(ibv_open_device(device));
  if (context.context_ == nullptr) {
    return Fail(errno != 0 ? ErrnoError(errno, "ibv_open_device", name)
                           : MakeError("ibv_open_device", name, "the provider refused the device",
                                       "Is the kernel's efa driver older than this binary needs?"));
  }
  RAILGAUGE_RETURN_IF_ERROR(QueryDevice(context.handle(), &attributes));
  RAILGAUGE_RETURN_IF_ERROR(QueryEfa(context.handle(), &attributes));
  RAILGAUGE_RETURN_IF_ERROR(QueryPort(context.handle(), &attributes));
  return context;
}

int Context::AccessFlags() const {
  return AccessFlagsFor(attributes_.rdma_read, attributes_.rdma_write);
}

std::optional<double> PortRate(uint8_t active_width, uint8_t active_speed) {
  double lanes = 0;
  switch (active_width) {
    case 1:
      lanes = 1;
      break;
    case 2:
      lanes = 4;
      break;
    case 4:
      lanes = 8;
      break;
    case 8:
      lanes = 12;
      break;
    case 16:
      lanes = 2;
      break;
    default:
      return std::nullopt;
  }
  double lane_rate = 0;
  switch (active_speed) {
    case 1:
      lane_rate = 2.5;
      break;  // SDR
    case 2:
      lane_rate = 5;
      break;  // DDR
    case 4:
      lane_rate = 10;
      break;  // QDR
    case 8:
      lane_rate = 10;
      break;  // FDR10
    case 16:
      lane_rate = 14;
      break;  // FDR
    case 32:
      lane_rate = 25;
      break;  // EDR
    case 64:
      lane_rate = 50;
      break;  // HDR
    case 128:
      lane_rate = 100;
      break;  // NDR
    default:
      return std::nullopt;
  }
  return lanes * lane_rate;
}

}  // namespace railgauge
