#include "lib/emulator/fabric/fabric_session.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <new>

namespace railgauge {

using efa::AdminStatus;

namespace {

template <typename T>
bool Take(const FabricRequest& request, FabricReply& reply, T* value) {
  if (ReadWire(request.body.data(), request.body.size(), 0, value)) return true;
  reply.Fail(AdminStatus::kMalformedRequest);
  return false;
}

void Answer(FabricReply& reply, AdminStatus status) {
  reply.Fail(status);
  reply.Set(Empty{});
}

}  // namespace

class FabricSession::Mapping {
 public:
  // Null when it cannot be mapped whole.
  static std::unique_ptr<Mapping> Of(int fd, uint64_t offset, uint64_t length) {
    struct stat file = {};
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return nullptr;
    const auto size = static_cast<uint64_t>(file.st_size);
    if (offset > size || length > size - offset) return nullptr;
    const uint64_t skip = offset % RingMemory::kPageBytes;
    void* address = mmap(nullptr, length + skip, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                         fd, static_cast<off_t>(offset - skip));
    if (address == MAP_FAILED) return nullptr;
    return std::unique_ptr<Mapping>(
        new Mapping(static_cast<std::byte*>(address), length + skip, skip));
  }
  ~Mapping() { munmap(base_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::byte* data() const { return base_ + skip_; }

 private:
  Mapping(std::byte* base, uint64_t bytes, uint64_t skip)
      : base_(base), bytes_(bytes), skip_(skip) {}
  std::byte* const base_;
  const uint64_t bytes_, skip_;
};

std::unique_ptr<FabricSession> FabricSession::Create(HostedFabric* host, uint32_t node,
                                                     efa::MemoryOwner owner) {
  const auto ring = host->arena().Allocate(sizeof(DoorbellRing));
  if (!ring) return nullptr;
  new (host->arena().At(*ring, sizeof(DoorbellRing)).data()) DoorbellRing();
  return std::unique_ptr<FabricSession>(new FabricSession(host, node, owner, *ring));
}

FabricSession::FabricSession(HostedFabric* host, uint32_t node, efa::MemoryOwner owner,
                             uint64_t doorbell_ring)
    : host_(*host),
      node_(node),
      owner_(owner),
      doorbell_ring_(doorbell_ring),
      owned_(host->num_devices(node)) {}

FabricSession::~FabricSession() {
  for (size_t i = 0; i < owned_.size(); ++i) EndDevice(i);
  for (const auto& [offset, ring] : rings_) {
    host_.dma_space().Remove(ring.dma_address);
    host_.arena().Free(offset);
  }
  host_.arena().Free(doorbell_ring_);
}

// In the order that dependencies ask for.
void FabricSession::EndDevice(size_t index) {
  device_ = index;
  Owned& all = owned();
  for (const uint32_t qp : all.qps) device().AbandonQp(qp);
  for (const uint16_t cq : all.cqs) device().DestroyCq(cq);
  for (const uint16_t cq : all.cqs_with_events) host_.events(node_, index).Detach(cq);
  for (auto& [lkey, region] : all.mrs) {
    device().DeregMr(lkey);
    Forget(region);
  }
  for (const auto& [pd, ah] : all.ahs) device().DestroyAh(pd, ah);
  for (const uint16_t pd : all.pds) device().DeallocPd(pd);
  for (const uint16_t uar : all.uars) device().DeallocUar(uar);
}

void FabricSession::DrainDoorbells() {
  auto* ring = reinterpret_cast<DoorbellRing*>(
      host_.arena().At(doorbell_ring_, sizeof(DoorbellRing)).data());
  const std::lock_guard lock(doorbells_mutex_);
  // No more than the ring holds: a process that writes without end keeps nobody here.
  for (uint32_t i = 0; i < DoorbellRing::kSlots; ++i) {
    const auto doorbell = ring->Read(doorbells_read_);
    if (!doorbell) return;
    host_.StoreDoorbell(node_, doorbell->offset, doorbell->value);
  }
}

void FabricSession::Handle(FabricRequest& request, FabricReply& reply) {
  DrainDoorbells();
  if (request.header.device >= owned_.size()) return reply.Fail(AdminStatus::kMalformedRequest);
  device_ = request.header.device;
  RingRequest ring;
  EventsRequest events;
  Number number;
  switch (request.header.op) {
    case FabricOp::kAllocateRing:
      if (Take(request, reply, &ring)) AllocateRing(ring, reply);
      return;
    case FabricOp::kFreeRing:
      if (Take(request, reply, &ring)) FreeRing(ring, reply);
      return;
    case FabricOp::kAttachEvents:
      if (Take(request, reply, &events)) AttachEvents(events, std::move(request.fd), reply);
      return;
    case FabricOp::kDetachEvents:
      if (Take(request, reply, &events)) DetachEvents(events, reply);
      return;
    case FabricOp::kAddSegments:
      return Answer(reply, AddSegments(request, sizeof(Empty)) ? AdminStatus::kSuccess
                                                               : AdminStatus::kMalformedRequest);
    case FabricOp::kGetAttributes:
      return reply.Set(ToWire(device().GetAttributes()));
    case FabricOp::kGetStats:
      return reply.Set(device().GetStats());
    case FabricOp::kRegMr:
      return RegMr(request, reply);
    case FabricOp::kDeregMr:
      if (Take(request, reply, &number)) DeregMr(number.value, reply);
      return;
    case FabricOp::kAllocPd:
    case FabricOp::kDeallocPd:
    case FabricOp::kAllocUar:
    case FabricOp::kDeallocUar:
      return HandlePdOrUar(request, reply);
    case FabricOp::kCreateAh:
    case FabricOp::kDestroyAh:
      return HandleAh(request, reply);
    case FabricOp::kCreateCq:
    case FabricOp::kDestroyCq:
      return HandleCq(request, reply);
    case FabricOp::kCreateQp:
    case FabricOp::kModifyQp:
    case FabricOp::kQueryQp:
    case FabricOp::kDestroyQp:
      return HandleQp(request, reply);
    default:
      return reply.Fail(AdminStatus::kBadOpcode);
  }
}

void FabricSession::AllocateRing(const RingRequest& request, FabricReply& reply) {
  const auto offset = host_.arena().Allocate(request.bytes);
  if (!offset) return reply.Fail(AdminStatus::kResourceAllocationFailure);
  const uint64_t page = RingMemory::kPageBytes;
  const uint64_t bytes = std::max(page, (request.bytes + page - 1) / page * page);
  rings_[*offset] = {
      .dma_address = host_.dma_space().Add({.memory = host_.arena().At(*offset, bytes).data(),
                                            .length = bytes,
                                            .place = MemoryPlace::NumaNode(0)}),
      .bytes = bytes};
  reply.Set(RingReply{.offset = *offset});
}

void FabricSession::FreeRing(const RingRequest& request, FabricReply& reply) {
  const auto found = rings_.find(request.offset);
  if (found == rings_.end()) return reply.Fail(AdminStatus::kIllegalParameter);
  host_.dma_space().Remove(found->second.dma_address);
  host_.arena().Free(found->first);
  rings_.erase(found);
  reply.Set(Empty{});
}

std::optional<uint64_t> FabricSession::RingAddress(uint64_t offset, uint64_t bytes) const {
  const auto found = rings_.find(offset);
  if (found == rings_.end() || bytes > found->second.bytes) return std::nullopt;
  return found->second.dma_address;
}

void FabricSession::AttachEvents(const EventsRequest& request, UniqueFd channel,
                                 FabricReply& reply) {
  const auto cq = static_cast<uint16_t>(request.cq);
  if (!channel.valid() || !owned().cqs.contains(cq)) return reply.Fail(EINVAL);
  host_.events(node_, device_)
      .Attach(cq, std::make_shared<EventChannel>(channel.Release()), request.user_handle);
  owned().cqs_with_events.insert(cq);
  reply.Set(Empty{});
}

void FabricSession::DetachEvents(const EventsRequest& request, FabricReply& reply) {
  const auto cq = static_cast<uint16_t>(request.cq);
  EventsReply answer;
  if (owned().cqs_with_events.erase(cq) != 0) {
    answer.sent = host_.events(node_, device_).Detach(cq);
  }
  reply.Set(answer);
}

void FabricSession::HandlePdOrUar(const FabricRequest& request, FabricReply& reply) {
  const FabricOp op = request.header.op;
  const bool is_pd = op == FabricOp::kAllocPd || op == FabricOp::kDeallocPd;
  std::set<uint16_t>& numbers = is_pd ? owned().pds : owned().uars;
  if (op == FabricOp::kAllocPd || op == FabricOp::kAllocUar) {
    const auto number = is_pd ? device().AllocPd() : device().AllocUar();
    if (!number) return reply.Fail(number.error());
    numbers.insert(*number);
    return reply.Set(Number{*number});
  }
  Number number;
  if (!Take(request, reply, &number)) return;
  const auto value = static_cast<uint16_t>(number.value);
  if (!numbers.contains(value)) return reply.Fail(AdminStatus::kIllegalParameter);
  const AdminStatus status = is_pd ? device().DeallocPd(value) : device().DeallocUar(value);
  if (status == AdminStatus::kSuccess) numbers.erase(value);
  Answer(reply, status);
}

void FabricSession::HandleAh(const FabricRequest& request, FabricReply& reply) {
  WireAh wire;
  if (!Take(request, reply, &wire)) return;
  const auto pd = static_cast<uint16_t>(wire.pd);
  if (!owned().pds.contains(pd)) return reply.Fail(AdminStatus::kIllegalParameter);
  if (request.header.op == FabricOp::kCreateAh) {
    const auto ah = device().CreateAh(pd, wire.gid);
    if (!ah) return reply.Fail(ah.error());
    owned().ahs.insert({pd, *ah});
    return reply.Set(Number{*ah});
  }
  const auto found = owned().ahs.find({pd, static_cast<uint16_t>(wire.ah)});
  if (found == owned().ahs.end()) return reply.Fail(AdminStatus::kIllegalParameter);
  const AdminStatus status = device().DestroyAh(found->first, found->second);
  if (status == AdminStatus::kSuccess) owned().ahs.erase(found);
  Answer(reply, status);
}

void FabricSession::HandleCq(const FabricRequest& request, FabricReply& reply) {
  if (request.header.op == FabricOp::kDestroyCq) {
    Number number;
    if (!Take(request, reply, &number)) return;
    const auto cq = static_cast<uint16_t>(number.value);
    if (!owned().cqs.contains(cq)) return reply.Fail(AdminStatus::kIllegalParameter);
    const AdminStatus status = device().DestroyCq(cq);
    if (status == AdminStatus::kSuccess) owned().cqs.erase(cq);
    return Answer(reply, status);
  }
  efa::CreateCqParams params;
  if (!Take(request, reply, &params)) return;
  const uint64_t bytes = uint64_t{params.depth} * params.entry_size_bytes * params.num_sub_cqs;
  const auto address = RingAddress(params.dma_address, bytes);
  if (!address || !owned().uars.contains(params.uar)) {
    return reply.Fail(AdminStatus::kIllegalParameter);
  }
  params.dma_address = *address;
  const auto created = device().CreateCq(params);
  if (!created) return reply.Fail(created.error());
  owned().cqs.insert(created->cq);
  reply.Set(*created);
}

void FabricSession::HandleQp(const FabricRequest& request, FabricReply& reply) {
  if (request.header.op == FabricOp::kCreateQp) {
    efa::CreateQpParams params;
    if (!Take(request, reply, &params)) return;
    const auto address = params.rq_ring_bytes == 0
                             ? std::optional<uint64_t>(0)
                             : RingAddress(params.rq_dma_address, params.rq_ring_bytes);
    if (!address || !owned().pds.contains(params.pd) || !owned().uars.contains(params.uar) ||
        !owned().cqs.contains(params.send_cq) || !owned().cqs.contains(params.recv_cq)) {
      return reply.Fail(AdminStatus::kIllegalParameter);
    }
    params.rq_dma_address = *address;
    const auto created = device().CreateQp(params);
    if (!created) return reply.Fail(created.error());
    owned().qps.insert(created->qp_handle);
    return reply.Set(*created);
  }
  efa::ModifyQpParams modify;
  Number number;
  if (request.header.op == FabricOp::kModifyQp) {
    if (!Take(request, reply, &modify)) return;
    number.value = modify.qp_handle;
  } else if (!Take(request, reply, &number)) {
    return;
  }
  if (!owned().qps.contains(number.value)) return reply.Fail(AdminStatus::kIllegalParameter);
  if (request.header.op == FabricOp::kModifyQp) return Answer(reply, device().ModifyQp(modify));
  if (request.header.op == FabricOp::kQueryQp) {
    const auto answer = device().QueryQp(number.value);
    if (!answer) return reply.Fail(answer.error());
    return reply.Set(*answer);
  }
  owned().qps.erase(number.value);
  Answer(reply, device().DestroyQp(number.value));
}

bool FabricSession::AddSegments(const FabricRequest& request, size_t body_bytes) {
  for (uint32_t i = 0; i < request.header.segments; ++i) {
    WireSegment segment;
    if (!ReadWire(request.body.data(), request.body.size(), body_bytes + i * sizeof segment,
                  &segment)) {
      return false;
    }
    segments_.push_back(segment);
  }
  return true;
}

void FabricSession::RegMr(FabricRequest& request, FabricReply& reply) {
  WireRegMr wire;
  if (!Take(request, reply, &wire)) return;
  if (!AddSegments(request, sizeof wire)) return reply.Fail(AdminStatus::kMalformedRequest);
  if (!owned().pds.contains(static_cast<uint16_t>(wire.pd))) {
    segments_.clear();
    return reply.Fail(AdminStatus::kIllegalParameter);
  }
  efa::RegMrParams params;
  params.pd = static_cast<uint16_t>(wire.pd);
  params.permissions = wire.permissions;
  params.iova = wire.iova;
  params.length = wire.length;
  params.first_page_offset = wire.first_page_offset;
  Region region;
  const bool added = AddRegionMemory(request.fd, region, params);
  segments_.clear();
  if (!added) {
    Forget(region);
    return reply.Fail(AdminStatus::kIllegalParameter);
  }
  const auto registered = device().RegMr(params);
  if (!registered) {
    Forget(region);
    return reply.Fail(registered.error());
  }
  owned().mrs[registered->lkey] = std::move(region);
  reply.Set(*registered);
}

// The sender's memory stays where it is; a file is mapped here.
bool FabricSession::AddRegionMemory(const UniqueFd& file, Region& region,
                                    efa::RegMrParams& params) {
  for (const WireSegment& segment : segments_) {
    if (segment.length == 0) return false;
    efa::DmaSpace::Range range;
    range.length = segment.length;
    range.place = segment.place;
    range.way = segment.way;
    if (segment.in_file != 0) {
      if (!file.valid() || region.mapping != nullptr) return false;
      region.mapping = Mapping::Of(file.get(), segment.address, segment.length);
      if (region.mapping == nullptr) return false;
      range.memory = region.mapping->data();
    } else {
      if (segment.address == 0) return false;
      range.memory = reinterpret_cast<std::byte*>(segment.address);
      range.owner = owner_;
    }
    region.dma_addresses.push_back(host_.dma_space().Add(range));
    params.pages.push_back({.dma_address = region.dma_addresses.back(), .length = segment.length});
  }
  return true;
}

void FabricSession::DeregMr(uint32_t lkey, FabricReply& reply) {
  const auto found = owned().mrs.find(lkey);
  if (found == owned().mrs.end()) return reply.Fail(AdminStatus::kIllegalParameter);
  const AdminStatus status = device().DeregMr(lkey);
  if (status == AdminStatus::kSuccess) {
    Forget(found->second);
    owned().mrs.erase(found);
  }
  Answer(reply, status);
}

void FabricSession::Forget(Region& region) {
  for (const uint64_t address : region.dma_addresses) host_.dma_space().Remove(address);
  region.dma_addresses.clear();
  region.mapping.reset();
}

}  // namespace railgauge
