#include "lib/emulator/uverbs/uverbs_file.h"

#include <infiniband/verbs.h>
#include <rdma/efa-abi.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include <cerrno>
#include <new>

#include "lib/emulator/uverbs/user_memory.h"

namespace railgauge {

namespace {

using Kind = AttributeSpec::Kind;

constexpr bool kOptional = false;
constexpr bool kMandatory = true;

constexpr AttributeSpec kUhwIn = {UVERBS_ATTR_UHW_IN, Kind::kIn, kOptional, 0};
constexpr AttributeSpec kUhwOut = {UVERBS_ATTR_UHW_OUT, Kind::kOut, kOptional, 0};

constexpr AttributeSpec kInvokeWrite[] = {
    {UVERBS_ATTR_CORE_IN, Kind::kIn, kOptional, 0},
    {UVERBS_ATTR_CORE_OUT, Kind::kOut, kOptional, 0},
    {UVERBS_ATTR_WRITE_CMD, Kind::kIn, kMandatory, 4},
    kUhwIn,
    kUhwOut,
};
constexpr AttributeSpec kGetContext[] = {
    {UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, Kind::kOut, kOptional, 4},
    {UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, Kind::kOut, kOptional, 8},
    kUhwIn,
    kUhwOut,
};
constexpr AttributeSpec kQueryPort[] = {
    {UVERBS_ATTR_QUERY_PORT_PORT_NUM, Kind::kIn, kMandatory, 1},
    {UVERBS_ATTR_QUERY_PORT_RESP, Kind::kOut, kMandatory, sizeof(ib_uverbs_query_port_resp)},
};
constexpr AttributeSpec kQueryGidTable[] = {
    {UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, Kind::kIn, kMandatory, 4},
    {UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, Kind::kIn, kOptional, 4},
    {UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, Kind::kOut, kMandatory, 0},
    {UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, Kind::kOut, kMandatory, 8},
};
constexpr AttributeSpec kQueryGidEntry[] = {
    {UVERBS_ATTR_QUERY_GID_ENTRY_PORT, Kind::kIn, kMandatory, 4},
    {UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, Kind::kIn, kMandatory, 4},
    {UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, Kind::kIn, kOptional, 4},
    {UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, Kind::kOut, kMandatory, 24},
};
constexpr AttributeSpec kAllocAsyncEvent[] = {
    {UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, Kind::kNewFd, kMandatory, 0},
};
constexpr AttributeSpec kDestroyPd[] = {
    {UVERBS_ATTR_DESTROY_PD_HANDLE, Kind::kHandle, kMandatory, 0},
};
constexpr AttributeSpec kDestroyAh[] = {
    {UVERBS_ATTR_DESTROY_AH_HANDLE, Kind::kHandle, kMandatory, 0},
};
constexpr AttributeSpec kCreateCq[] = {
    {UVERBS_ATTR_CREATE_CQ_HANDLE, Kind::kNewHandle, kMandatory, 0},
    {UVERBS_ATTR_CREATE_CQ_CQE, Kind::kIn, kMandatory, 4},
    {UVERBS_ATTR_CREATE_CQ_USER_HANDLE, Kind::kIn, kMandatory, 8},
    {UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, Kind::kFd, kOptional, 0},
    {UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, Kind::kIn, kMandatory, 4},
    {UVERBS_ATTR_CREATE_CQ_FLAGS, Kind::kIn, kOptional, 4},
    {UVERBS_ATTR_CREATE_CQ_RESP_CQE, Kind::kOut, kMandatory, 4},
    {UVERBS_ATTR_CREATE_CQ_EVENT_FD, Kind::kFd, kOptional, 0},
    kUhwIn,
    kUhwOut,
};
constexpr AttributeSpec kDestroyCq[] = {
    {UVERBS_ATTR_DESTROY_CQ_HANDLE, Kind::kHandle, kMandatory, 0},
    {UVERBS_ATTR_DESTROY_CQ_RESP, Kind::kOut, kMandatory, sizeof(ib_uverbs_destroy_cq_resp)},
};
constexpr AttributeSpec kCreateQp[] = {
    {UVERBS_ATTR_CREATE_QP_HANDLE, Kind::kNewHandle, kMandatory, 0},
    {UVERBS_ATTR_CREATE_QP_PD_HANDLE, Kind::kHandle, kOptional, 0},
    {UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, Kind::kHandle, kOptional, 0},
    {UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, Kind::kHandle, kOptional, 0},
    {UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, Kind::kHandle, kOptional, 0},
    {UVERBS_ATTR_CREATE_QP_USER_HANDLE, Kind::kIn, kMandatory, 8},
    {UVERBS_ATTR_CREATE_QP_CAP, Kind::kIn, kMandatory, sizeof(ib_uverbs_qp_cap)},
    {UVERBS_ATTR_CREATE_QP_TYPE, Kind::kIn, kMandatory, 1},
    {UVERBS_ATTR_CREATE_QP_FLAGS, Kind::kIn, kOptional, 4},
    {UVERBS_ATTR_CREATE_QP_EVENT_FD, Kind::kFd, kOptional, 0},
    {UVERBS_ATTR_CREATE_QP_RESP_CAP, Kind::kOut, kMandatory, sizeof(ib_uverbs_qp_cap)},
    {UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, Kind::kOut, kMandatory, 4},
    kUhwIn,
    kUhwOut,
};
constexpr AttributeSpec kDestroyQp[] = {
    {UVERBS_ATTR_DESTROY_QP_HANDLE, Kind::kHandle, kMandatory, 0},
    {UVERBS_ATTR_DESTROY_QP_RESP, Kind::kOut, kMandatory, sizeof(ib_uverbs_destroy_qp_resp)},
};
constexpr AttributeSpec kDestroyMr[] = {
    {UVERBS_ATTR_DESTROY_MR_HANDLE, Kind::kHandle, kMandatory, 0},
};
constexpr AttributeSpec kQueryMr[] = {
    {UVERBS_ATTR_QUERY_MR_HANDLE, Kind::kHandle, kMandatory, 0},
    {UVERBS_ATTR_QUERY_MR_RESP_LKEY, Kind::kOut, kMandatory, 4},
    {UVERBS_ATTR_QUERY_MR_RESP_RKEY, Kind::kOut, kMandatory, 4},
    {UVERBS_ATTR_QUERY_MR_RESP_LENGTH, Kind::kOut, kMandatory, 8},
    {UVERBS_ATTR_QUERY_MR_RESP_IOVA, Kind::kOut, kOptional, 8},
};
constexpr AttributeSpec kRegDmabufMr[] = {
    {UVERBS_ATTR_REG_DMABUF_MR_HANDLE, Kind::kNewHandle, kMandatory, 0},
    {UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, Kind::kHandle, kMandatory, 0},
    {UVERBS_ATTR_REG_DMABUF_MR_OFFSET, Kind::kIn, kMandatory, 8},
    {UVERBS_ATTR_REG_DMABUF_MR_LENGTH, Kind::kIn, kMandatory, 8},
    {UVERBS_ATTR_REG_DMABUF_MR_IOVA, Kind::kIn, kMandatory, 8},
    {UVERBS_ATTR_REG_DMABUF_MR_FD, Kind::kIn, kMandatory, 4},
    {UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, Kind::kIn, kMandatory, 4},
    {UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, Kind::kOut, kMandatory, 4},
    {UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, Kind::kOut, kMandatory, 4},
};
constexpr AttributeSpec kQueryMrInterconnects[] = {
    {EFA_IB_ATTR_QUERY_MR_HANDLE, Kind::kHandle, kMandatory, 0},
    {EFA_IB_ATTR_QUERY_MR_RESP_IC_ID_VALIDITY, Kind::kOut, kMandatory, 2},
    {EFA_IB_ATTR_QUERY_MR_RESP_RECV_IC_ID, Kind::kOut, kMandatory, 2},
    {EFA_IB_ATTR_QUERY_MR_RESP_RDMA_READ_IC_ID, Kind::kOut, kMandatory, 2},
    {EFA_IB_ATTR_QUERY_MR_RESP_RDMA_RECV_IC_ID, Kind::kOut, kMandatory, 2},
};

}  // namespace

int ErrnoOf(efa::AdminStatus status) {
  switch (status) {
    case efa::AdminStatus::kSuccess:
      return 0;
    case efa::AdminStatus::kResourceAllocationFailure:
      return ENOMEM;
    case efa::AdminStatus::kUnsupportedOpcode:
      return EOPNOTSUPP;
    case efa::AdminStatus::kResourceBusy:
      return EBUSY;
    case efa::AdminStatus::kNoDevice:
      return EIO;
    case efa::AdminStatus::kBadOpcode:
    case efa::AdminStatus::kMalformedRequest:
    case efa::AdminStatus::kIllegalParameter:
    case efa::AdminStatus::kUnknownError:
      return EINVAL;
  }
  return EINVAL;
}

int UverbsFile::Ioctl(unsigned long request, void* argument) {
  if (request != RDMA_VERBS_IOCTL) return -ENOTTY;
  // As in the kernel, everything that follows works on a copy.
  constexpr size_t kMaxLength = 4096;
  alignas(ib_uverbs_ioctl_hdr) std::byte copy[kMaxLength];
  auto* header = new (copy) ib_uverbs_ioctl_hdr;
  if (!CopyFromUser(header, argument, sizeof *header)) return -EFAULT;
  const size_t attributes_bytes = size_t{header->num_attrs} * sizeof(ib_uverbs_attr);
  if (header->length > kMaxLength || header->length != sizeof *header + attributes_bytes) {
    return -EINVAL;
  }
  if (header->reserved1 != 0 || header->reserved2 != 0) return -EPROTONOSUPPORT;
  if (header->driver_id != RDMA_DRIVER_EFA) return -EINVAL;
  // As ib_uverbs answers all calls once it took the file from a device that went away.
  if (device_.removed) return -EIO;
  auto* theirs = static_cast<std::byte*>(argument) + sizeof *header;
  std::byte* ours = copy + sizeof *header;
  if (!CopyFromUser(ours, theirs, attributes_bytes)) return -EFAULT;
  {
    const std::lock_guard lock(mutex_);
    if (const int error = Dispatch(header)) return -error;
  }
  return CopyToUser(theirs, ours, attributes_bytes) ? 0 : -EFAULT;
}

int UverbsFile::Dispatch(ib_uverbs_ioctl_hdr* header) {
  struct Method {
    uint16_t object, method;
    std::span<const AttributeSpec> attributes;
    Handler handler;
    bool needs_context;
  };
  static constexpr Method kMethods[] = {
      {UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, kInvokeWrite, &UverbsFile::InvokeWrite,
       false},
      {UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, kGetContext, &UverbsFile::GetContext,
       false},
      {UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, kQueryPort, &UverbsFile::QueryPort, true},
      {UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, kQueryGidTable,
       &UverbsFile::QueryGidTable, true},
      {UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, kQueryGidEntry,
       &UverbsFile::QueryGidEntry, true},
      {UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, kAllocAsyncEvent,
       &UverbsFile::AllocAsyncEvent, true},
      {UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, kDestroyPd, &UverbsFile::DestroyPd, true},
      {UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, kDestroyAh, &UverbsFile::DestroyAh, true},
      {UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, kCreateCq, &UverbsFile::CreateCq, true},
      {UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, kDestroyCq, &UverbsFile::DestroyCq, true},
      {UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, kCreateQp, &UverbsFile::CreateQp, true},
      {UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, kDestroyQp, &UverbsFile::DestroyQp, true},
      {UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, kDestroyMr, &UverbsFile::DestroyMr, true},
      {UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, kQueryMr, &UverbsFile::QueryMr, true},
      {UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, kRegDmabufMr, &UverbsFile::RegDmabufMr, true},
      {UVERBS_OBJECT_MR, EFA_IB_METHOD_MR_QUERY, kQueryMrInterconnects,
       &UverbsFile::QueryMrInterconnects, true},
  };
  for (const Method& method : kMethods) {
    if (method.object != header->object_id || method.method != header->method_id) continue;
    // A driver before 2.8 (Linux 6.8) does not have the method at all.
    if (method.handler == &UverbsFile::QueryMrInterconnects && !device_.nic->model.can_query_mr) {
      break;
    }
    Attributes attributes;
    if (const int error = attributes.Parse(header, method.attributes)) return error;
    if (method.needs_context && !has_context_) return EINVAL;
    const int error = (this->*method.handler)(attributes);
    return error == 0 && attributes.faulted() ? EFAULT : error;
  }
  return EPROTONOSUPPORT;
}

UverbsFile::~UverbsFile() {
  // QPs hold CQs, MRs, AHs and CQs hold nothing but the PD: users first.
  const auto destroy_all = [this](auto kind) {
    using T = decltype(kind);
    for (auto& [handle, object] : objects_) {
      if (T* one = std::get_if<T>(&object)) Destroy(*one);
    }
  };
  destroy_all(Qp{});
  destroy_all(Cq{});
  destroy_all(Mr{});
  destroy_all(Ah{});
  for (auto& [handle, object] : objects_) {
    if (const Pd* pd = std::get_if<Pd>(&object)) device_.device->DeallocPd(pd->number);
  }
  if (has_context_) device_.device->DeallocUar(uar_);
}

void UverbsFile::OnDeviceLost() {
  const std::lock_guard lock(mutex_);
  if (async_channel_) async_channel_->SendDeviceEvent(IBV_EVENT_DEVICE_FATAL);
}

bool UverbsFile::CloseEventFd(int fd) {
  const std::lock_guard lock(mutex_);
  return channels_.erase(fd) != 0;
}

void UverbsFile::ReleaseRing(uint64_t key, uint64_t dma_address) {
  if (key == 0) return;
  device_.dma_space->Remove(dma_address);
  device_.rings->Free(key);
}

}  // namespace railgauge
