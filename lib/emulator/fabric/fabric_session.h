// FabricSession: what one emulated process has in the fabric process, and its requests about it.
//
// No socket and no process in here: a request comes as bytes and leaves an answer, which is also
// how the tests drive it. The sender plays a driver and is of the same build; what it sends is
// checked as far as the fabric process needs to stay well: it can touch only what it made itself.
// When the session ends, everything that is left is destroyed, queue pairs as those of a process
// that died.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_SESSION_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_SESSION_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/unique_fd.h"
#include "lib/emulator/device/environment.h"
#include "lib/emulator/fabric/doorbell_ring.h"
#include "lib/emulator/fabric/protocol.h"
#include "lib/emulator/uverbs/hosted_fabric.h"

namespace railgauge {

// A request as it came, its header taken off.
struct FabricRequest {
  RequestHeader header;
  std::span<const std::byte> body;
  UniqueFd fd;
};

struct FabricReply {
  ReplyHeader header;
  std::array<std::byte, 512> body{};
  size_t body_bytes = 0;
  UniqueFd fd;

  template <typename T>
  void Set(const T& value) {
    static_assert(sizeof(T) <= sizeof body);
    std::memcpy(body.data(), &value, sizeof value);
    body_bytes = sizeof value;
  }
  void Fail(efa::AdminStatus status) { header.status = status; }
  void Fail(int error_number) { header.error_number = error_number; }
};

class FabricSession {
 public:
  // Of a process on `node` whose memory belongs to `owner`. Null when there is no more ring memory.
  static std::unique_ptr<FabricSession> Create(HostedFabric* host, uint32_t node,
                                               efa::MemoryOwner owner);
  ~FabricSession();
  FabricSession(const FabricSession&) = delete;
  FabricSession& operator=(const FabricSession&) = delete;

  // Offset of the DoorbellRing in the ring memory.
  uint64_t doorbell_ring() const { return doorbell_ring_; }

  // One at a time. Doorbells written before the request are executed before it.
  void Handle(FabricRequest& request, FabricReply& reply);

  // Executes the doorbells that were written. Any thread.
  void DrainDoorbells();

 private:
  struct Ring {
    uint64_t dma_address = 0;
    uint64_t bytes = 0;
  };
  class Mapping;  // of a file that the sender passed
  struct Region {
    std::vector<uint64_t> dma_addresses;
    std::unique_ptr<Mapping> mapping;
  };
  // What the process made on one device.
  struct Owned {
    std::set<uint16_t> pds, uars, cqs;
    std::set<uint16_t> cqs_with_events;
    std::multiset<std::pair<uint16_t, uint16_t>> ahs;  // (PD, AH), as often as created
    std::set<uint32_t> qps;
    std::map<uint32_t, Region> mrs;  // by lkey
  };

  FabricSession(HostedFabric* host, uint32_t node, efa::MemoryOwner owner, uint64_t doorbell_ring);

  void AllocateRing(const RingRequest& request, FabricReply& reply);
  void FreeRing(const RingRequest& request, FabricReply& reply);
  bool AddSegments(const FabricRequest& request, size_t body_bytes);
  void AttachEvents(const EventsRequest& request, UniqueFd channel, FabricReply& reply);
  void DetachEvents(const EventsRequest& request, FabricReply& reply);
  void HandlePdOrUar(const FabricRequest& request, FabricReply& reply);
  void HandleAh(const FabricRequest& request, FabricReply& reply);
  void HandleCq(const FabricRequest& request, FabricReply& reply);
  void HandleQp(const FabricRequest& request, FabricReply& reply);
  void RegMr(FabricRequest& request, FabricReply& reply);
  void DeregMr(uint32_t lkey, FabricReply& reply);
  bool AddRegionMemory(const UniqueFd& file, Region& region, efa::RegMrParams& params);
  void Forget(Region& region);
  std::optional<uint64_t> RingAddress(uint64_t offset, uint64_t bytes) const;
  void EndDevice(size_t index);

  efa::LocalDevice& device() { return host_.device(node_, device_); }
  Owned& owned() { return owned_[device_]; }

  HostedFabric& host_;
  const uint32_t node_;
  const efa::MemoryOwner owner_;
  const uint64_t doorbell_ring_;
  std::mutex doorbells_mutex_;
  uint32_t doorbells_read_ = 0;
  std::map<uint64_t, Ring> rings_;  // by offset
  std::vector<WireSegment> segments_;
  size_t device_ = 0;  // of the request under way
  std::vector<Owned> owned_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_FABRIC_SESSION_H_
