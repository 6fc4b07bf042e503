// UverbsFile: what concerns the device, its port, its GID, protection domains and address handles.
#include <endian.h>
#include <rdma/efa-abi.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include <cerrno>
#include <cstdio>

#include "lib/emulator/uverbs/uverbs_file.h"

namespace railgauge {

namespace {

constexpr uint32_t kPort = 1;

// The pair that the driver shows for a port rate; enum ib_port_width and ib_port_speed.
struct PortRate {
  double gb_per_second;
  uint8_t width, speed;
};
constexpr uint8_t k1X = 1, k4X = 2, k8X = 4;
constexpr uint8_t kSdr = 1, kDdr = 2, kQdr = 4, kEdr = 32, kHdr = 64;
// The driver's own end at 25 Gb/s; those of scaled machines follow, each the next lower one that
// verbs can say.
constexpr PortRate kPortRates[] = {
    {400, k8X, kHdr}, {200, k8X, kEdr}, {100, k4X, kEdr}, {50, k1X, kHdr}, {25, k1X, kEdr},
    {20, k4X, kDdr},  {10, k1X, kQdr},  {5, k1X, kDdr},   {0, k1X, kSdr},
};

uint8_t MtuEnum(uint32_t mtu) {  // enum ib_mtu: 256 is 1, doubling
  uint8_t value = 1;
  while (value < 5 && (256u << value) <= mtu) ++value;
  return value;
}

uint64_t ParseGuid(const std::string& text) {
  unsigned part[4] = {};
  if (std::sscanf(text.c_str(), "%x:%x:%x:%x", &part[0], &part[1], &part[2], &part[3]) != 4)
    return 0;
  uint64_t guid = 0;
  for (unsigned p : part) guid = guid << 16 | (p & 0xffff);
  return guid;
}

uint32_t CapabilityBits(const efa::DeviceAttributes& attributes) {
  uint32_t bits = 0;
  if (attributes.rdma_read) bits |= EFA_QUERY_DEVICE_CAPS_RDMA_READ;
  if (attributes.rdma_write) bits |= EFA_QUERY_DEVICE_CAPS_RDMA_WRITE;
  if (attributes.rnr_retry) bits |= EFA_QUERY_DEVICE_CAPS_RNR_RETRY;
  if (attributes.cq_notifications) bits |= EFA_QUERY_DEVICE_CAPS_CQ_NOTIFICATIONS;
  if (attributes.cq_with_sgid) bits |= EFA_QUERY_DEVICE_CAPS_CQ_WITH_SGID;
  if (attributes.data_polling_128) bits |= EFA_QUERY_DEVICE_CAPS_DATA_POLLING_128;
  if (attributes.unsolicited_write_recv) bits |= EFA_QUERY_DEVICE_CAPS_UNSOLICITED_WRITE_RECV;
  return bits;
}

ib_uverbs_gid_entry GidEntry(const efa::DeviceAttributes& attributes) {
  ib_uverbs_gid_entry entry = {};
  std::memcpy(entry.gid, attributes.gid.data(), sizeof entry.gid);
  entry.port_num = kPort;
  entry.gid_type = IB_UVERBS_GID_TYPE_IB;
  return entry;
}

}  // namespace

int UverbsFile::InvokeWrite(Attributes& attributes) {
  struct Command {
    uint32_t number;
    size_t request_size, response_size;
    Handler handler;
  };
  static constexpr Command kCommands[] = {
      {IB_USER_VERBS_CMD_QUERY_DEVICE, sizeof(ib_uverbs_query_device),
       sizeof(ib_uverbs_query_device_resp), &UverbsFile::WriteQueryDevice},
      {IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_QUERY_DEVICE,
       sizeof(ib_uverbs_ex_query_device), offsetof(ib_uverbs_ex_query_device_resp, odp_caps),
       &UverbsFile::WriteQueryDeviceEx},
      {IB_USER_VERBS_CMD_ALLOC_PD, sizeof(ib_uverbs_alloc_pd), sizeof(ib_uverbs_alloc_pd_resp),
       &UverbsFile::WriteAllocPd},
      {IB_USER_VERBS_CMD_CREATE_AH, sizeof(ib_uverbs_create_ah), sizeof(ib_uverbs_create_ah_resp),
       &UverbsFile::WriteCreateAh},
      {IB_USER_VERBS_CMD_REG_MR, sizeof(ib_uverbs_reg_mr), sizeof(ib_uverbs_reg_mr_resp),
       &UverbsFile::WriteRegMr},
      {IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, sizeof(ib_uverbs_create_comp_channel),
       sizeof(ib_uverbs_create_comp_channel_resp), &UverbsFile::WriteCreateCompChannel},
      {IB_USER_VERBS_CMD_QUERY_QP, sizeof(ib_uverbs_query_qp), sizeof(ib_uverbs_query_qp_resp),
       &UverbsFile::WriteQueryQp},
      {IB_USER_VERBS_CMD_MODIFY_QP, sizeof(ib_uverbs_modify_qp), 0, &UverbsFile::WriteModifyQp},
  };
  const auto number = attributes.In<uint32_t>(UVERBS_ATTR_WRITE_CMD);
  for (const Command& command : kCommands) {
    if (command.number != number) continue;
    // libibverbs asks for this answer on purpose, to learn that the method exists.
    if (attributes.Length(UVERBS_ATTR_CORE_IN) < command.request_size ||
        attributes.Length(UVERBS_ATTR_CORE_OUT) < command.response_size) {
      return ENOSPC;
    }
    if (!has_context_) return EINVAL;
    return (this->*command.handler)(attributes);
  }
  return EOPNOTSUPP;
}

int UverbsFile::GetContext(Attributes& attributes) {
  if (has_context_) return EINVAL;
  const efa::DeviceAttributes device = device_.device->GetAttributes();
  const auto command = attributes.In<efa_ibv_alloc_ucontext_cmd>(UVERBS_ATTR_UHW_IN);
  // A provider that does not know of a limit of this device would break it.
  if (device.max_tx_batch != 0 && (command.comp_mask & EFA_ALLOC_UCONTEXT_CMD_COMP_TX_BATCH) == 0) {
    return EOPNOTSUPP;
  }
  if (device.min_sq_depth != 0 &&
      (command.comp_mask & EFA_ALLOC_UCONTEXT_CMD_COMP_MIN_SQ_WR) == 0) {
    return EOPNOTSUPP;
  }
  const auto uar = device_.device->AllocUar();
  if (!uar) return ErrnoOf(uar.error());
  uar_ = *uar;
  has_context_ = true;
  efa_ibv_alloc_ucontext_resp response = {};
  response.cmds_supp_udata_mask =
      EFA_USER_CMDS_SUPP_UDATA_QUERY_DEVICE | EFA_USER_CMDS_SUPP_UDATA_CREATE_AH;
  response.sub_cqs_per_cq = device.sub_cqs_per_cq;
  response.inline_buf_size = device.inline_buf_size;
  response.max_llq_size = device.max_llq_size;
  response.max_tx_batch = device.max_tx_batch;
  response.min_sq_wr = device.min_sq_depth;
  attributes.Out(UVERBS_ATTR_UHW_OUT, response);
  attributes.Out(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, device_.num_comp_vectors);
  attributes.Out(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT,
                 uint64_t{IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS});
  return 0;
}

int UverbsFile::QueryPort(Attributes& attributes) {
  if (attributes.In<uint64_t>(UVERBS_ATTR_QUERY_PORT_PORT_NUM) != kPort) return EINVAL;
  const efa::DeviceAttributes device = device_.device->GetAttributes();
  constexpr uint8_t kStateActive = 4, kPhysicalLinkUp = 5;
  ib_uverbs_query_port_resp_ex response = {};
  ib_uverbs_query_port_resp& port = response.legacy_resp;
  port.state = kStateActive;
  port.phys_state = kPhysicalLinkUp;
  port.gid_tbl_len = 1;
  port.pkey_tbl_len = 1;
  port.lmc = 1;
  port.max_vl_num = 1;
  port.max_msg_sz = device.mtu;
  port.max_mtu = port.active_mtu = MtuEnum(device.mtu);
  for (const PortRate& rate : kPortRates) {
    if (device_.nic->model.reported_gb_per_second < rate.gb_per_second) continue;
    port.active_width = rate.width;
    port.active_speed = rate.speed;
    break;
  }
  response.active_speed_ex = port.active_speed;
  attributes.Out(UVERBS_ATTR_QUERY_PORT_RESP, response);
  return 0;
}

int UverbsFile::QueryGidTable(Attributes& attributes) {
  const auto entry_size = attributes.In<uint64_t>(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE);
  if (attributes.In<uint32_t>(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS) != 0) return EINVAL;
  if (entry_size == 0) return EINVAL;
  if (attributes.Length(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES) < entry_size) return EINVAL;
  attributes.Out(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
                 GidEntry(device_.device->GetAttributes()));
  attributes.Out(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, uint64_t{1});
  return 0;
}

int UverbsFile::QueryGidEntry(Attributes& attributes) {
  if (attributes.In<uint32_t>(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS) != 0) return EINVAL;
  if (attributes.In<uint64_t>(UVERBS_ATTR_QUERY_GID_ENTRY_PORT) != kPort) return EINVAL;
  if (attributes.In<uint64_t>(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX) != 0) return EINVAL;
  attributes.Out(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, GidEntry(device_.device->GetAttributes()));
  return 0;
}

int UverbsFile::AllocAsyncEvent(Attributes& attributes) {
  auto created = EventChannel::Create();
  if (!created) return created.error();
  channels_[created->application_fd] = created->channel;
  async_channel_ = created->channel;
  attributes.SetFd(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, created->application_fd);
  return 0;
}

namespace {

ib_uverbs_query_device_resp DeviceResponse(const UverbsDevice& device,
                                           const efa::DeviceAttributes& attributes) {
  constexpr uint64_t kPageSizes = 0xfffff000;  // 4 KiB to 2 GiB
  ib_uverbs_query_device_resp response = {};
  response.node_guid = htobe64(ParseGuid(device.nic->node_guid));
  response.max_mr_size = attributes.max_mr_pages * RingMemory::kPageBytes;
  response.page_size_cap = kPageSizes;
  response.vendor_id = device.pci->vendor_id;
  response.vendor_part_id = device.pci->device_id;
  response.hw_ver = device.pci->subsystem_device_id;
  response.max_qp = attributes.max_qp;
  response.max_qp_wr = std::min(attributes.max_sq_depth, attributes.max_rq_depth);
  response.max_sge = std::min(attributes.max_send_sge, attributes.max_recv_sge);
  response.max_sge_rd = attributes.max_rdma_sge;
  response.max_cq = attributes.max_cq;
  response.max_cqe = attributes.max_cq_depth;
  response.max_mr = attributes.max_mr;
  response.max_pd = attributes.max_pd;
  response.max_ah = attributes.max_ah;
  response.max_pkeys = 1;
  response.phys_port_cnt = 1;
  return response;
}

}  // namespace

int UverbsFile::WriteQueryDevice(Attributes& attributes) {
  attributes.Out(UVERBS_ATTR_CORE_OUT, DeviceResponse(device_, device_.device->GetAttributes()));
  return 0;
}

int UverbsFile::WriteQueryDeviceEx(Attributes& attributes) {
  const auto command = attributes.In<ib_uverbs_ex_query_device>(UVERBS_ATTR_CORE_IN);
  if (command.comp_mask != 0 || command.reserved != 0) return EINVAL;
  const efa::DeviceAttributes device = device_.device->GetAttributes();
  ib_uverbs_ex_query_device_resp response = {};
  response.base = DeviceResponse(device_, device);
  response.response_length =
      static_cast<uint32_t>(std::min(sizeof response, attributes.Length(UVERBS_ATTR_CORE_OUT)));
  attributes.Out(UVERBS_ATTR_CORE_OUT, response);
  efa_ibv_ex_query_device_resp efa = {};
  efa.max_sq_wr = device.max_sq_depth;
  efa.max_rq_wr = device.max_rq_depth;
  efa.max_sq_sge = device.max_send_sge;
  efa.max_rq_sge = device.max_recv_sge;
  efa.max_rdma_size = device.max_rdma_size;
  efa.device_caps = CapabilityBits(device);
  attributes.Out(UVERBS_ATTR_UHW_OUT, efa);
  return 0;
}

int UverbsFile::WriteAllocPd(Attributes& attributes) {
  const auto number = device_.device->AllocPd();
  if (!number) return ErrnoOf(number.error());
  efa_ibv_alloc_pd_resp efa = {};
  efa.pdn = *number;
  attributes.Out(UVERBS_ATTR_UHW_OUT, efa);
  attributes.Out(UVERBS_ATTR_CORE_OUT, Insert(Pd{.number = *number}));
  return 0;
}

int UverbsFile::DestroyPd(Attributes& attributes) {
  const uint32_t handle = attributes.Handle(UVERBS_ATTR_DESTROY_PD_HANDLE);
  const auto pd = Find<Pd>(handle);
  if (!pd) return pd.error();
  if ((*pd)->users != 0) return EBUSY;
  if (const int error = ErrnoOf(device_.device->DeallocPd((*pd)->number))) return error;
  objects_.erase(handle);
  return 0;
}

int UverbsFile::WriteCreateAh(Attributes& attributes) {
  const auto command = attributes.In<ib_uverbs_create_ah>(UVERBS_ATTR_CORE_IN);
  if (command.attr.port_num != kPort) return EINVAL;
  const auto pd = Find<Pd>(command.pd_handle);
  if (!pd) return pd.error();
  efa::Gid gid;
  std::memcpy(gid.data(), command.attr.grh.dgid, gid.size());
  const auto number = device_.device->CreateAh((*pd)->number, gid);
  if (!number) return ErrnoOf(number.error());
  ++(*pd)->users;
  efa_ibv_create_ah_resp efa = {};
  efa.efa_address_handle = *number;
  attributes.Out(UVERBS_ATTR_UHW_OUT, efa);
  attributes.Out(UVERBS_ATTR_CORE_OUT,
                 Insert(Ah{.pd_handle = command.pd_handle, .number = *number}));
  return 0;
}

int UverbsFile::DestroyAh(Attributes& attributes) {
  const uint32_t handle = attributes.Handle(UVERBS_ATTR_DESTROY_AH_HANDLE);
  const auto ah = Find<Ah>(handle);
  if (!ah) return ah.error();
  Destroy(**ah);
  objects_.erase(handle);
  return 0;
}

void UverbsFile::Destroy(Ah& ah) {
  Pd& pd = **Find<Pd>(ah.pd_handle);
  device_.device->DestroyAh(pd.number, ah.number);
  --pd.users;
}

}  // namespace railgauge
