// MemoryPlace and the other small vocabularies that travel from the edges to CSV and the judge.
//
// Every enum here has one spelling, used in CSV files, flags and messages alike.
#ifndef RAILGAUGE_LIB_RECORD_PLACE_H_
#define RAILGAUGE_LIB_RECORD_PLACE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/pci_address.h"

namespace railgauge {

// Where memory lies: a NUMA node of the host, or a GPU. Or an accelerator of another kind
// (Trainium), whose memory nothing here can allocate yet: such a place is only named, in rows that
// say so.
struct MemoryPlace {
  enum class Kind { kNumaNode, kGpu, kAccelerator };

  static MemoryPlace NumaNode(uint32_t index) { return {Kind::kNumaNode, index, {}}; }
  static MemoryPlace Gpu(PciAddress address) { return {Kind::kGpu, 0, address}; }
  static MemoryPlace Accelerator(PciAddress address) { return {Kind::kAccelerator, 0, address}; }

  // "numa0", "gpu:0000:53:00.0" or "accelerator:0000:10:1c.0" (not the ordinal form "gpu3", which
  // only a machine can resolve).
  static std::optional<MemoryPlace> Parse(std::string_view text);
  std::string ToString() const;

  bool is_host() const { return kind == Kind::kNumaNode; }
  bool is_gpu() const { return kind == Kind::kGpu; }
  friend auto operator<=>(const MemoryPlace&, const MemoryPlace&) = default;

  Kind kind = Kind::kNumaNode;
  uint32_t numa_node = 0;  // the OS index; 0 for what is on PCI
  PciAddress gpu;          // of the GPU or accelerator; all zero for a NUMA node
};

// How memory is registered with the device (ibv_reg_mr(3), ibv_reg_dmabuf_mr(3)). peer_memory is
// ibv_reg_mr on a GPU pointer, which needs a peer-to-peer provider in the kernel.
enum class RegistrationWay { kHost, kDmabuf, kPeerMemory };
std::string_view ToString(RegistrationWay way);  // "host", "dmabuf", "peer_memory"
std::optional<RegistrationWay> ParseRegistrationWay(std::string_view text);

enum class Operation { kRead, kWrite };
std::string_view ToString(Operation operation);  // "read", "write"
std::optional<Operation> ParseOperation(std::string_view text);

// Which half of a transfer touches the place: the device writes to it (READ initiator, WRITE
// target) or reads from it (READ responder, WRITE initiator). Only to_memory has interconnect ids.
enum class Direction { kToMemory, kFromMemory };
std::string_view ToString(Direction direction);  // "to_memory", "from_memory"
std::optional<Direction> ParseDirection(std::string_view text);

// The three answers of efadv_query_mr(3); each names an interconnect by which the device WRITES to
// the memory region.
enum class IcField { kRecv, kRdmaRead, kRdmaRecv };
std::string_view ToString(IcField field);  // "recv", "rdma_read", "rdma_recv"
std::optional<IcField> ParseIcField(std::string_view text);

// Ids are opaque: equal or different within one device and one field, nothing else. Empty means
// that the validity bit was not set; 0 is a legal id.
struct InterconnectIds {
  std::optional<uint16_t> recv;
  std::optional<uint16_t> rdma_read;
  std::optional<uint16_t> rdma_recv;

  bool any() const { return recv || rdma_read || rdma_recv; }
  const std::optional<uint16_t>& Get(IcField field) const {
    return field == IcField::kRecv ? recv : field == IcField::kRdmaRead ? rdma_read : rdma_recv;
  }
  friend bool operator==(const InterconnectIds&, const InterconnectIds&) = default;
};

// The field that attributes a transfer to memory: READ by the initiator's rdma_read, WRITE by the
// target's rdma_recv. Empty for from_memory, which no id describes.
std::optional<IcField> AttributingField(Operation operation, Direction direction);

// How a NIC and a memory place lie to each other in the PCI and NUMA topology, nearest first.
enum class Relation { kSameSwitch, kSameHostBridge, kSameNumaNode, kOtherNumaNode, kUnknown };
std::string_view ToString(Relation relation);  // "same_switch", "same_host_bridge", ...
std::optional<Relation> ParseRelation(std::string_view text);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_RECORD_PLACE_H_
