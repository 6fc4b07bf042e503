// InstanceType: what is known of an EC2 instance type's hardware, each fact with where it is from.
//
// Judging and measuring hold a real machine against it, so it must be true of hardware: published
// by who makes it, or seen on one. What is only assumed says so, and accuses nobody. What nobody
// told is empty. A capacity between a NIC and memory is no such fact: none is published; what
// others reached, all NICs at once, is (ReportedThroughput).
#ifndef RAILGAUGE_LIB_INSTANCE_TYPES_INSTANCE_TYPE_H_
#define RAILGAUGE_LIB_INSTANCE_TYPES_INSTANCE_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/units.h"
#include "lib/record/place.h"

namespace railgauge {

enum class Provenance : uint8_t {
  kPublished,  // by the vendor, or by who measured it
  kSeen,       // in an export of a machine of the type
  kAssumed,
};
std::string_view ToString(Provenance provenance);  // "published", "seen", "assumed"

template <typename T>
struct Fact {
  T value{};
  Provenance provenance = Provenance::kAssumed;
  std::string source;  // who says so

  bool certain() const { return provenance != Provenance::kAssumed; }
};

// How much of its PCI tree a machine of the type shows.
enum class PciTree : uint8_t {
  kFlat,         // all on one bus: nothing is known to be near
  kHostBridges,  // several host bridges, and no bridge below them
  kSwitches,
};
std::string_view ToString(PciTree tree);  // "flat", "host_bridges", "switches"

// The throughput that somebody reached between two machines of the type with all NICs at once: no
// ceiling, but more than a guess.
struct ReportedThroughput {
  MemoryPlace::Kind memory = MemoryPlace::Kind::kNumaNode;  // or kGpu
  Operation operation = Operation::kRead;
  BytesPerSecond throughput;  // of the whole machine
  std::string source;
};

struct InstanceType {
  std::string name;                              // "p5.48xlarge"
  std::optional<Fact<uint32_t>> nics;            // EFA only
  std::optional<Fact<uint32_t>> gpus;            // CUDA only
  std::optional<Fact<uint32_t>> nics_per_group;  // below one switch, or one host bridge
  std::optional<Fact<uint32_t>> gpus_per_group;  // empty where groups differ
  std::optional<Fact<PciTree>> pci_tree;
  std::optional<Fact<BytesPerSecond>> line_rate;  // of each NIC, each direction
  std::optional<Fact<bool>> rdma_read;
  std::optional<Fact<bool>> rdma_write;
  std::vector<ReportedThroughput> reported;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_INSTANCE_TYPES_INSTANCE_TYPE_H_
