// The messages between an emulated process and the fabric process that runs the device model.
//
// One request, one answer, each one packet of a SOCK_SEQPACKET Unix socket: a header and one plain
// struct, for the two ends of one build. Descriptors travel beside (SCM_RIGHTS). Most requests are
// EFA admin commands in the terms of device/admin.h, with pointers replaced by what the fabric
// process can reach: an address in the sender, a file, or an offset in the ring memory. Doorbells
// do not come this way (doorbell_ring.h), nor do completion events, which go straight to the
// application's descriptor.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_PROTOCOL_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_PROTOCOL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/device.h"
#include "lib/emulator/uverbs/hardware.h"
#include "lib/record/place.h"

namespace railgauge {

inline constexpr uint32_t kFabricProtocol = 0x72660002;

enum class FabricOp : uint32_t {
  // Of anybody.
  kGetMachine,       // NodeRequest → Empty and a memfd with the machine file
  kAddTree,          // NodeRequest and the node's /sys/class/infiniband, open → Empty
  kGetStatus,        // Empty → FabricStatus
  kPublishCounters,  // Empty → Empty, once the files of all trees say what happened until now
  kHello,            // HelloRequest, perhaps with a tree → Welcome and the ring memory
  // After kHello.
  kNotices,        // Empty and a socket, to which Notices are sent from then on → Empty
  kAllocateRing,   // RingRequest → RingReply
  kFreeRing,       // RingRequest → Empty
  kAddSegments,    // segments of the kRegMr that follows → Empty
  kAttachEvents,   // EventsRequest and the channel's sending end → Empty
  kDetachEvents,   // EventsRequest → EventsReply
  kGetAttributes,  // Empty → WireAttributes
  kGetStats,       // Empty → efa::DeviceStats
  kAllocPd,        // Empty → Number
  kDeallocPd,      // Number → Empty
  kAllocUar,       // Empty → Number
  kDeallocUar,     // Number → Empty
  kRegMr,          // WireRegMr, segments, perhaps a file → efa::RegMrResult
  kDeregMr,        // Number → Empty
  kCreateAh,       // WireAh → Number
  kDestroyAh,      // WireAh → Empty
  kCreateCq,       // efa::CreateCqParams → efa::CreateCqResult
  kDestroyCq,      // Number → Empty
  kCreateQp,       // efa::CreateQpParams → efa::CreateQpResult
  kModifyQp,       // efa::ModifyQpParams → Empty
  kQueryQp,        // Number → efa::QueryQpResult
  kDestroyQp,      // Number → Empty
};

struct RequestHeader {
  uint32_t protocol = kFabricProtocol;
  FabricOp op = FabricOp::kHello;
  uint64_t sequence = 0;
  uint32_t device = 0;    // index of the node's NIC, where the request is of one
  uint32_t segments = 0;  // that follow the struct
};

struct ReplyHeader {
  uint64_t sequence = 0;
  efa::AdminStatus status = efa::AdminStatus::kSuccess;
  int32_t error_number = 0;  // of what is no admin command
};

struct Empty {
  uint32_t nothing = 0;
};
struct Number {
  uint32_t value = 0;
};
struct NodeRequest {
  uint32_t node = 0;
};
struct HelloRequest {
  // What the fabric process finds at `probe_address` of the sender when it may reach its memory.
  static constexpr uint64_t kProbe = 0x7261696c67617567;
  uint32_t node = 0;
  uint64_t probe_address = 0;
};
struct Welcome {
  BarLayout layout;
  uint64_t ring_memory_bytes = 0;
  uint64_t wake_word = 0;  // offsets in the ring memory
  uint64_t doorbell_ring = 0;
};
// A function of the node went from the bus.
struct Notice {
  uint32_t device = 0;
};
struct RingRequest {
  uint64_t offset = 0;  // to free
  uint64_t bytes = 0;   // to allocate
};
struct RingReply {
  uint64_t offset = 0;
};
struct EventsRequest {
  uint32_t cq = 0;
  uint64_t user_handle = 0;
};
struct EventsReply {
  uint32_t sent = 0;
};
struct WireAh {
  uint32_t pd = 0;
  uint32_t ah = 0;  // to destroy
  efa::Gid gid{};   // to create
};
struct WireRegMr {
  uint32_t pd = 0;
  uint32_t permissions = 0;
  uint64_t iova = 0, length = 0, first_page_offset = 0;
};
// Memory for a region: of the sender, or of the file that comes with the request.
struct WireSegment {
  uint64_t address = 0;  // in the sender, or in the file
  uint64_t length = 0;
  MemoryPlace place;
  RegistrationWay way = RegistrationWay::kHost;
  uint32_t in_file = 0;
};

struct WireAttributes {
  std::array<char, 64> firmware{};
  efa::Gid gid{};
  uint32_t mtu = 0, max_rdma_size = 0;
  bool rdma_read = false, rdma_write = false, rnr_retry = false, cq_notifications = false,
       cq_with_sgid = false, data_polling_128 = false, unsolicited_write_recv = false;
  uint32_t max_qp = 0, max_sq_depth = 0, max_rq_depth = 0, max_cq = 0, max_cq_depth = 0;
  uint32_t max_mr = 0, max_pd = 0, max_ah = 0, max_llq_size = 0;
  uint64_t max_mr_pages = 0;
  uint16_t max_send_sge = 0, max_recv_sge = 0, max_rdma_sge = 0, inline_buf_size = 0,
           max_tx_batch = 0, min_sq_depth = 0, sub_cqs_per_cq = 0;
};

struct FabricStatus {
  uint32_t nodes = 0;
  uint32_t processes = 0;  // that have devices open or had, and live
  uint32_t trees = 0;
  efa::ObjectCounts objects;      // of all devices
  uint64_t arena_used_bytes = 0;  // rings of all kinds, without the BARs
};

inline constexpr size_t kMaxSegmentsPerMessage = 512;
inline constexpr size_t kMaxMessageBytes =
    sizeof(RequestHeader) + 256 + kMaxSegmentsPerMessage * sizeof(WireSegment);

// The struct that starts at `at`. False when the message ends before it.
template <typename T>
bool ReadWire(const std::byte* message, size_t bytes, size_t at, T* value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (at > bytes || bytes - at < sizeof(T)) return false;
  std::memcpy(static_cast<void*>(value), message + at, sizeof(T));
  return true;
}

WireAttributes ToWire(const efa::DeviceAttributes& attributes);
efa::DeviceAttributes FromWire(const WireAttributes& wire);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_PROTOCOL_H_
