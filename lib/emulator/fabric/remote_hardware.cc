#include "lib/emulator/fabric/remote_hardware.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include <utility>

#include "lib/emulator/uverbs/raw_syscall.h"

namespace railgauge {

using efa::AdminResult;
using efa::AdminStatus;

class RemoteHardware::Rings : public RingMemory {
 public:
  Rings(FabricClient* client, int fd, std::byte* base, uint64_t bytes)
      : client_(*client), fd_(fd), base_(base), bytes_(bytes) {}
  ~Rings() override {
    RawSyscall(SYS_munmap, base_, bytes_);
    RawSyscall(SYS_close, fd_);
  }

  std::optional<uint64_t> Allocate(uint64_t bytes) override {
    RingReply reply;
    if (!client_.Call(FabricOp::kAllocateRing, 0, RingRequest{.bytes = bytes}, &reply).ok()) {
      return std::nullopt;
    }
    return reply.offset;
  }
  void Free(uint64_t offset) override {
    Empty reply;
    client_.Call(FabricOp::kFreeRing, 0, RingRequest{.offset = offset}, &reply);
  }
  std::span<std::byte> At(uint64_t offset, uint64_t bytes) override {
    return {base_ + offset, bytes};
  }
  int Duplicate(bool close_on_exec) const override {
    return static_cast<int>(
        RawSyscall(SYS_fcntl, fd_, close_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD, 0));
  }

  // The opposite of At.
  std::optional<uint64_t> OffsetOf(const std::byte* memory) const {
    if (memory < base_ || memory >= base_ + bytes_) return std::nullopt;
    return static_cast<uint64_t>(memory - base_);
  }

 private:
  FabricClient& client_;
  const int fd_;
  std::byte* const base_;
  const uint64_t bytes_;
};

class RemoteHardware::Function : public efa::Device {
 public:
  Function(RemoteHardware* owner, uint32_t index, efa::DeviceAttributes attributes)
      : owner_(*owner), index_(index), attributes_(std::move(attributes)) {}

  efa::DeviceAttributes GetAttributes() const override { return attributes_; }
  efa::DeviceStats GetStats() const override {
    return Ask<efa::DeviceStats>(FabricOp::kGetStats, Empty{}).value_or(efa::DeviceStats{});
  }

  AdminResult<uint16_t> AllocPd() override { return AskNumber(FabricOp::kAllocPd, Empty{}); }
  AdminStatus DeallocPd(uint16_t pd) override { return Tell(FabricOp::kDeallocPd, Number{pd}); }
  AdminResult<uint16_t> AllocUar() override { return AskNumber(FabricOp::kAllocUar, Empty{}); }
  AdminStatus DeallocUar(uint16_t uar) override { return Tell(FabricOp::kDeallocUar, Number{uar}); }

  AdminResult<efa::RegMrResult> RegMr(const efa::RegMrParams& params) override;
  AdminStatus DeregMr(uint32_t lkey) override { return Tell(FabricOp::kDeregMr, Number{lkey}); }

  AdminResult<uint16_t> CreateAh(uint16_t pd, const efa::Gid& gid) override {
    return AskNumber(FabricOp::kCreateAh, WireAh{.pd = pd, .ah = 0, .gid = gid});
  }
  AdminStatus DestroyAh(uint16_t pd, uint16_t ah) override {
    return Tell(FabricOp::kDestroyAh, WireAh{.pd = pd, .ah = ah, .gid = {}});
  }

  AdminResult<efa::CreateCqResult> CreateCq(const efa::CreateCqParams& params) override {
    efa::CreateCqParams wire = params;
    if (!ToRingOffset(wire.dma_address)) return Illegal();
    return Ask<efa::CreateCqResult>(FabricOp::kCreateCq, wire);
  }
  AdminStatus DestroyCq(uint16_t cq) override { return Tell(FabricOp::kDestroyCq, Number{cq}); }

  AdminResult<efa::CreateQpResult> CreateQp(const efa::CreateQpParams& params) override {
    efa::CreateQpParams wire = params;
    if (params.rq_ring_bytes > 0 && !ToRingOffset(wire.rq_dma_address)) return Illegal();
    return Ask<efa::CreateQpResult>(FabricOp::kCreateQp, wire);
  }
  AdminStatus ModifyQp(const efa::ModifyQpParams& params) override {
    return Tell(FabricOp::kModifyQp, params);
  }
  AdminResult<efa::QueryQpResult> QueryQp(uint32_t qp_handle) const override {
    return Ask<efa::QueryQpResult>(FabricOp::kQueryQp, Number{qp_handle});
  }
  AdminStatus DestroyQp(uint32_t qp_handle) override {
    return Tell(FabricOp::kDestroyQp, Number{qp_handle});
  }

  void Doorbell(uint64_t offset, uint32_t value) override {
    owner_.StoreDoorbell(owner_.layout().DoorbellKey(index_) + offset, value);
  }

 private:
  static tl::unexpected<AdminStatus> Illegal() {
    return tl::unexpected(AdminStatus::kIllegalParameter);
  }

  template <typename Reply, typename Request>
  AdminResult<Reply> Ask(FabricOp op, const Request& request,
                         const FabricClient::Extra& extra = {}) const {
    Reply reply;
    const auto outcome = owner_.client_->Call(op, index_, request, &reply, extra);
    if (!outcome.ok()) return tl::unexpected(outcome.status);
    return reply;
  }
  template <typename Request>
  AdminResult<uint16_t> AskNumber(FabricOp op, const Request& request) const {
    const AdminResult<Number> number = Ask<Number>(op, request);
    if (!number) return tl::unexpected(number.error());
    return static_cast<uint16_t>(number->value);
  }
  template <typename Request>
  AdminStatus Tell(FabricOp op, const Request& request,
                   const FabricClient::Extra& extra = {}) const {
    const AdminResult<Empty> done = Ask<Empty>(op, request, extra);
    return done ? AdminStatus::kSuccess : done.error();
  }

  bool ToRingOffset(uint64_t& dma_address) const {
    const auto range = owner_.dma_space_.Resolve(dma_address, 1);
    const auto offset = range ? owner_.rings_->OffsetOf(range->memory) : std::nullopt;
    if (offset) dma_address = *offset;
    return offset.has_value();
  }

  RemoteHardware& owner_;
  const uint32_t index_;
  const efa::DeviceAttributes attributes_;
};

class RemoteHardware::Events : public CompletionEvents {
 public:
  Events(FabricClient* client, uint32_t index) : client_(*client), index_(index) {}
  int Attach(uint16_t cq, std::shared_ptr<EventChannel> channel, uint64_t user_handle) override {
    Empty reply;
    const auto outcome = client_.Call(FabricOp::kAttachEvents, index_,
                                      EventsRequest{.cq = cq, .user_handle = user_handle}, &reply,
                                      {.segments = {}, .fd = channel->device_end()});
    if (outcome.ok()) return 0;
    return outcome.error_number != 0 ? outcome.error_number : EIO;
  }
  uint32_t Detach(uint16_t cq) override {
    EventsReply reply;
    client_.Call(FabricOp::kDetachEvents, index_, EventsRequest{.cq = cq}, &reply);
    return reply.sent;
  }

 private:
  FabricClient& client_;
  const uint32_t index_;
};

AdminResult<efa::RegMrResult> RemoteHardware::Function::RegMr(const efa::RegMrParams& params) {
  std::vector<WireSegment> segments;
  int file = -1;
  for (const efa::DmaSegment& page : params.pages) {
    const auto range = owner_.dma_space_.Resolve(page.dma_address, page.length);
    if (!range) return Illegal();
    const bool in_file = range->file >= 0;
    if (in_file && file >= 0 && file != range->file) return Illegal();  // never asked for
    if (in_file) file = range->file;
    segments.push_back(
        {.address = in_file ? range->file_offset : reinterpret_cast<uint64_t>(range->memory),
         .length = page.length,
         .place = range->place,
         .way = range->way,
         .in_file = in_file ? 1u : 0u});
  }
  const std::lock_guard lock(owner_.registering_);
  std::span<const WireSegment> rest = segments;
  while (rest.size() > kMaxSegmentsPerMessage) {
    const AdminStatus status = Tell(FabricOp::kAddSegments, Empty{},
                                    {.segments = rest.first(kMaxSegmentsPerMessage), .fd = -1});
    if (status != AdminStatus::kSuccess) return tl::unexpected(status);
    rest = rest.subspan(kMaxSegmentsPerMessage);
  }
  return Ask<efa::RegMrResult>(FabricOp::kRegMr,
                               WireRegMr{.pd = params.pd,
                                         .permissions = params.permissions,
                                         .iova = params.iova,
                                         .length = params.length,
                                         .first_page_offset = params.first_page_offset},
                               {.segments = rest, .fd = file});
}

RemoteHardware::~RemoteHardware() = default;

RingMemory* RemoteHardware::rings() { return rings_.get(); }
efa::Device* RemoteHardware::device(size_t index) { return functions_[index].get(); }
CompletionEvents* RemoteHardware::events(size_t index) { return events_[index].get(); }

Result<std::unique_ptr<RemoteHardware>> RemoteHardware::Connect(const std::string& fabric,
                                                                uint32_t node, int tree) {
  std::unique_ptr<RemoteHardware> hardware(new RemoteHardware());
  RAILGAUGE_ASSIGN_OR_RETURN(hardware->client_, FabricClient::Connect(fabric));
  static const uint64_t probe = HelloRequest::kProbe;
  const auto outcome = hardware->client_->Call(
      FabricOp::kHello, 0,
      HelloRequest{.node = node, .probe_address = reinterpret_cast<uint64_t>(&probe)},
      &hardware->welcome_, {.segments = {}, .fd = tree});
  if (!outcome.ok() || outcome.fd < 0) {
    const int error = outcome.error_number != 0 ? outcome.error_number : EIO;
    return Fail(ErrnoError(error, "join the emulated fabric", "node " + std::to_string(node),
                           error == EPERM ? "It may not reach this process's memory: see sysctl "
                                            "kernel.yama.ptrace_scope, and start the process below "
                                            "emulate --nodes, as the same user"
                                          : "Launcher and preload library must be of one build"));
  }
  RAILGAUGE_RETURN_IF_ERROR(hardware->MapRings(outcome.fd));
  RAILGAUGE_RETURN_IF_ERROR(hardware->AddFunctions());
  return hardware;
}

Status RemoteHardware::MapRings(int fd) {
  const uint64_t bytes = welcome_.ring_memory_bytes;
  const int64_t address = RawSyscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (address < 0 && address > -4096) {
    RawSyscall(SYS_close, fd);
    return Fail(ErrnoError(static_cast<int>(-address), "map", "the memory of the fabric",
                           "The emulator needs address space: see ulimit -v"));
  }
  rings_ = std::make_unique<Rings>(client_.get(), fd, reinterpret_cast<std::byte*>(address), bytes);
  doorbells_ = reinterpret_cast<DoorbellRing*>(rings_->At(welcome_.doorbell_ring, 1).data());
  wake_ = reinterpret_cast<WakeWord*>(rings_->At(welcome_.wake_word, 1).data());
  return {};
}

Status RemoteHardware::AddFunctions() {
  for (uint32_t i = 0; i < welcome_.layout.num_devices; ++i) {
    WireAttributes attributes;
    if (!client_->Call(FabricOp::kGetAttributes, i, Empty{}, &attributes).ok()) {
      return Fail(ErrnoError(EIO, "query", "an emulated device"));
    }
    functions_.push_back(std::make_unique<Function>(this, i, FromWire(attributes)));
    events_.push_back(std::make_unique<Events>(client_.get(), i));
  }
  return {};
}

void RemoteHardware::SetRemovalListener(std::function<void(size_t index)> listener) {
  const auto on_lost = [listener, count = functions_.size()] {
    for (size_t i = 0; i < count; ++i) listener(i);
  };
  const auto on_notice = [listener, count = functions_.size()](const Notice& notice) {
    if (notice.device < count) listener(notice.device);
  };
  if (!client_->Watch(on_notice, on_lost)) on_lost();
}

void RemoteHardware::StoreDoorbell(uint64_t offset, uint32_t value) {
  constexpr int kYields = 100;
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 50'000};
  for (int tries = 0; !client_->IsLost(); ++tries) {
    if (doorbells_->TryWrite({.offset = offset, .value = value})) return wake_->Wake();
    wake_->Wake();
    if (tries < kYields) {
      RawSyscall(SYS_sched_yield);
    } else {
      RawSyscall(SYS_nanosleep, &kPause, nullptr);
    }
  }
}

}  // namespace railgauge
