// UverbsFile: memory regions.
#include <rdma/efa-abi.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include <cerrno>

#include "lib/emulator/uverbs/uverbs_file.h"

namespace railgauge {

namespace {

constexpr uint64_t kPageMask = RingMemory::kPageBytes - 1;

// What the kernel's core knows; the rest of the bits is refused before a driver sees them.
constexpr uint32_t kKnownAccess =
    IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_READ |
    IB_UVERBS_ACCESS_REMOTE_ATOMIC | IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ZERO_BASED |
    IB_UVERBS_ACCESS_ON_DEMAND | IB_UVERBS_ACCESS_HUGETLB | IB_UVERBS_ACCESS_FLUSH_GLOBAL |
    IB_UVERBS_ACCESS_FLUSH_PERSISTENT | IB_UVERBS_ACCESS_OPTIONAL_RANGE;

bool IsWritable(uint32_t access) {
  return (access & (IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE)) != 0;
}

uint32_t Permissions(uint32_t access) {
  uint32_t permissions = 0;
  if ((access & IB_UVERBS_ACCESS_LOCAL_WRITE) != 0) permissions |= efa::kLocalWrite;
  if ((access & IB_UVERBS_ACCESS_REMOTE_WRITE) != 0) permissions |= efa::kRemoteWrite;
  if ((access & IB_UVERBS_ACCESS_REMOTE_READ) != 0) permissions |= efa::kRemoteRead;
  return permissions;
}

}  // namespace

int UverbsFile::CheckAccess(uint32_t access) const {
  constexpr uint32_t kRemoteWriting =
      IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC;
  if ((access & kRemoteWriting) != 0 && (access & IB_UVERBS_ACCESS_LOCAL_WRITE) == 0) {
    return EINVAL;
  }
  if ((access & ~kKnownAccess) != 0) return EINVAL;
  const efa::DeviceAttributes device = device_.device->GetAttributes();
  uint32_t supported = IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_OPTIONAL_RANGE;
  if (device.rdma_read) supported |= IB_UVERBS_ACCESS_REMOTE_READ;
  if (device.rdma_write) supported |= IB_UVERBS_ACCESS_REMOTE_WRITE;
  return (access & ~supported) != 0 ? EOPNOTSUPP : 0;
}

int UverbsFile::WriteRegMr(Attributes& attributes) {
  const auto command = attributes.In<ib_uverbs_reg_mr>(UVERBS_ATTR_CORE_IN);
  if ((command.start & kPageMask) != (command.hca_va & kPageMask)) return EINVAL;
  if (const int error = CheckAccess(command.access_flags)) return error;
  if (command.length == 0 || command.start + command.length < command.start) return EINVAL;
  const auto pd = Find<Pd>(command.pd_handle);
  if (!pd) return pd.error();
  auto memory = device_.locator->Locate(command.start, command.length);
  if (!memory) return memory.error();
  if (const int error = device_.RegistrationError(memory->way)) return error;
  PinnedPages pinned;
  if (memory->way == RegistrationWay::kHost) {
    auto result = PinnedPages::Pin(command.start, command.length, IsWritable(command.access_flags));
    if (!result) return result.error();
    pinned = *std::move(result);
  }
  const auto handle = Register(command.pd_handle, *std::move(memory), std::move(pinned),
                               command.hca_va, command.length, command.access_flags);
  if (!handle) return handle.error();
  const Mr& mr = **Find<Mr>(*handle);
  // The response without its flexible array.
  const uint32_t response[3] = {*handle, mr.registered.lkey, mr.registered.rkey};
  attributes.CopyOut(UVERBS_ATTR_CORE_OUT, response, sizeof response);
  return 0;
}

int UverbsFile::RegDmabufMr(Attributes& attributes) {
  const auto offset = attributes.In<uint64_t>(UVERBS_ATTR_REG_DMABUF_MR_OFFSET);
  const auto length = attributes.In<uint64_t>(UVERBS_ATTR_REG_DMABUF_MR_LENGTH);
  const auto iova = attributes.In<uint64_t>(UVERBS_ATTR_REG_DMABUF_MR_IOVA);
  const auto fd = attributes.In<int32_t>(UVERBS_ATTR_REG_DMABUF_MR_FD);
  const auto access = attributes.In<uint32_t>(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS);
  if ((offset & kPageMask) != (iova & kPageMask)) return EINVAL;
  if (const int error = CheckAccess(access)) return error;
  const uint32_t pd_handle = attributes.Handle(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE);
  const auto pd = Find<Pd>(pd_handle);
  if (!pd) return pd.error();
  if (length == 0 || offset + length < offset) return EINVAL;
  auto memory = device_.locator->LocateDmabuf(fd, offset, length);
  if (!memory) return memory.error();
  if (const int error = device_.RegistrationError(memory->way)) return error;
  const auto handle = Register(pd_handle, *std::move(memory), PinnedPages(), iova, length, access);
  if (!handle) return handle.error();
  const Mr& mr = **Find<Mr>(*handle);
  attributes.SetHandle(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, *handle);
  attributes.Out(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, mr.registered.lkey);
  attributes.Out(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, mr.registered.rkey);
  return 0;
}

// The region's pages go to the device as DMA addresses; what the device refuses is undone.
tl::expected<uint32_t, int> UverbsFile::Register(uint32_t pd_handle, LocatedMemory memory,
                                                 PinnedPages pinned, uint64_t iova, uint64_t length,
                                                 uint32_t access) {
  Pd& pd = **Find<Pd>(pd_handle);
  Mr mr;
  mr.pd_handle = pd_handle;
  mr.length = length;
  mr.iova = iova;
  mr.pinned = std::move(pinned);
  mr.keep = std::move(memory.keep);
  efa::RegMrParams params;
  params.pd = pd.number;
  params.iova = iova;
  params.length = length;
  params.permissions = Permissions(access);
  for (const LocatedMemory::Segment& segment : memory.segments) {
    const uint64_t dma_address = device_.dma_space->Add({.memory = segment.memory,
                                                         .length = segment.length,
                                                         .place = segment.place,
                                                         .way = memory.way,
                                                         .file = segment.file,
                                                         .file_offset = segment.file_offset});
    mr.dma_addresses.push_back(dma_address);
    params.pages.push_back({.dma_address = dma_address, .length = segment.length});
  }
  const auto registered = device_.device->RegMr(params);
  if (!registered) {
    for (const uint64_t dma_address : mr.dma_addresses) device_.dma_space->Remove(dma_address);
    return tl::unexpected(ErrnoOf(registered.error()));
  }
  mr.registered = *registered;
  ++pd.users;
  return Insert(std::move(mr));
}

int UverbsFile::QueryMr(Attributes& attributes) {
  const auto mr = Find<Mr>(attributes.Handle(UVERBS_ATTR_QUERY_MR_HANDLE));
  if (!mr) return mr.error();
  attributes.Out(UVERBS_ATTR_QUERY_MR_RESP_LKEY, (*mr)->registered.lkey);
  attributes.Out(UVERBS_ATTR_QUERY_MR_RESP_RKEY, (*mr)->registered.rkey);
  attributes.Out(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, (*mr)->length);
  attributes.Out(UVERBS_ATTR_QUERY_MR_RESP_IOVA, (*mr)->iova);
  return 0;
}

int UverbsFile::QueryMrInterconnects(Attributes& attributes) {
  const auto mr = Find<Mr>(attributes.Handle(EFA_IB_ATTR_QUERY_MR_HANDLE));
  if (!mr) return mr.error();
  const efa::RegMrResult& answer = (*mr)->registered;
  attributes.Out(EFA_IB_ATTR_QUERY_MR_RESP_IC_ID_VALIDITY, uint16_t{answer.validity});
  attributes.Out(EFA_IB_ATTR_QUERY_MR_RESP_RECV_IC_ID, uint16_t{answer.recv_ic_id});
  attributes.Out(EFA_IB_ATTR_QUERY_MR_RESP_RDMA_READ_IC_ID, uint16_t{answer.rdma_read_ic_id});
  attributes.Out(EFA_IB_ATTR_QUERY_MR_RESP_RDMA_RECV_IC_ID, uint16_t{answer.rdma_recv_ic_id});
  return 0;
}

int UverbsFile::DestroyMr(Attributes& attributes) {
  const uint32_t handle = attributes.Handle(UVERBS_ATTR_DESTROY_MR_HANDLE);
  const auto mr = Find<Mr>(handle);
  if (!mr) return mr.error();
  if (const int error = Destroy(**mr)) return error;
  objects_.erase(handle);
  return 0;
}

int UverbsFile::Destroy(Mr& mr) {
  if (const int error = ErrnoOf(device_.device->DeregMr(mr.registered.lkey))) return error;
  for (const uint64_t dma_address : mr.dma_addresses) device_.dma_space->Remove(dma_address);
  --(*Find<Pd>(mr.pd_handle))->users;
  return 0;
}

}  // namespace railgauge
