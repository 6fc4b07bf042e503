// EmulatedMachine: everything that a scenario file says about a machine that is not there.
//
// Made by `load.h` from scenarios/instances/*.yaml (and faults laid over it); read by the tree
// generator (/sys and /proc as hwloc and libibverbs read them) and by the device model
// (capabilities, capacities, interconnect ids). Plain data, fully resolved: no default is left to a
// reader.
#ifndef RAILGAUGE_LIB_SCENARIO_EMULATED_MACHINE_H_
#define RAILGAUGE_LIB_SCENARIO_EMULATED_MACHINE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"
#include "lib/record/place.h"
#include "lib/scenario/emulated_timing.h"

namespace railgauge {

struct EmulatedNumaNode {
  uint32_t index = 0;
  uint32_t package = 0;        // the socket that its CPUs belong to
  std::vector<uint32_t> cpus;  // OS indexes, ascending
  Bytes memory;
};

// One level of CPU cache, the same for every core.
struct EmulatedCache {
  uint32_t level = 0;
  std::string type;    // "Data", "Instruction" or "Unified", as sysfs has it
  Bytes size;          // of one instance
  uint32_t cores = 1;  // of one package that share an instance
};

// The speeds (GT/s) and widths (lanes) that PCIe links have.
inline constexpr std::array<double, 7> kPciLinkSpeeds = {2.5, 5, 8, 16, 32, 64, 128};
inline constexpr std::array<uint32_t, 7> kPciLinkWidths = {1, 2, 4, 8, 12, 16, 32};

// One PCI function; bridges have children.
struct EmulatedPciDevice {
  // kAccelerator: no CUDA (Trainium). kRdma: an RDMA device of another vendor (ConnectX); it is
  // shown and cannot be opened.
  enum class Kind { kBridge, kNic, kGpu, kAccelerator, kRdma, kOther };
  Kind kind = Kind::kOther;
  PciAddress address;
  uint16_t vendor_id = 0, device_id = 0;
  uint16_t subsystem_vendor_id = 0, subsystem_device_id = 0;
  uint32_t class_code = 0;  // 24 bits: 0x020000
  uint8_t revision = 0;
  double link_gt_per_second = 0;                   // 32.0; 0 is shown as "Unknown"
  uint32_t link_width = 0;                         // lanes; 0 or 255 is shown as such
  uint8_t secondary_bus = 0, subordinate_bus = 0;  // bridges only
  std::string network_interface;                   // "enp71s0"; empty where there is none
  std::string rdma_device;                         // of kRdma: "ibp115s0f0"
  std::string driver;                              // of kAccelerator and kRdma: "mlx5_core"
  // Access Control Services of a bridge with a link: the capability is there and redirects nothing
  // (assumed of every healthy one), or peer traffic goes up to the root port.
  bool acs_redirects = false;
  std::vector<EmulatedPciDevice> children;
};

struct EmulatedHostBridge {
  uint32_t domain = 0;
  uint8_t bus = 0;
  uint8_t subordinate_bus = 0;        // the last bus below it
  std::optional<uint32_t> numa_node;  // empty is shown as -1
  std::vector<EmulatedPciDevice> children;
};

// What an EFA device model is and can do. Names as in efadv_query_device(3) and
// ibv_query_device(3).
struct EmulatedNicModel {
  std::string firmware;  // begins with "emulated-"
  bool rdma_read = false, rdma_write = false, rnr_retry = true, cq_with_sgid = true,
       unsolicited_write_recv = false;
  bool can_query_mr = true;  // false: MR_QUERY is refused as by a driver before 2.8 (cannot tell)
  uint32_t max_sq_wr = 0, max_rq_wr = 0, max_sq_sge = 0, max_rq_sge = 0, inline_buf_size = 0;
  uint32_t max_rdma_size = 0, mtu = 0;
  uint32_t max_qp = 0, max_cq = 0, max_cqe = 0, max_mr = 0, max_pd = 0, max_ah = 0;
  uint64_t max_mr_pages = 0;
  uint32_t max_llq_size = 0, max_tx_batch = 0, min_sq_wr = 0, sub_cqs_per_cq = 2;
  double reported_gb_per_second = 0;  // port rate as sysfs and ibv_query_port show it, in Gb/s
};

// Something that an EFA function does wrong, or that its driver does; how is told in
// emulator/device/fault_state.h.
struct EmulatedNicFault {
  enum class Kind : uint8_t {
    kStopCompleting,     // nothing that it was asked for completes any more
    kRemoved,            // it is gone from the bus
    kCountersStuck,      // its counters keep their values
    kCountsAsSend,       // RDMA payload is counted as that of SENDs: a silent fall-back
    kCompletionErrors,   // `amount` of the requests end with the status `code`
    kRetransmissions,    // `amount` of the packets are sent twice
    kDrops,              // `amount` of the packets are dropped by the receiver, and sent again
    kReceiverNotReady,   // `amount` of the arriving SENDs find no receive request, as it seems
    kForeignTraffic,     // `amount` bytes per second each way that no process here asked for
    kRegistrationFails,  // of `way`, with the errno value `code`
    kOpenFails,          // open(2) of its node, with the errno value `code`
  };
  Kind kind = Kind::kStopCompleting;
  double amount = 0;
  uint32_t code = 0;
  RegistrationWay way = RegistrationWay::kHost;
  Nanoseconds start{0};  // since the device was opened

  friend bool operator==(const EmulatedNicFault&, const EmulatedNicFault&) = default;
};

struct EmulatedNic {
  PciAddress address;
  std::string name;       // ibverbs device name
  std::string gid;        // "fe80:0000:…", port 1, index 0
  std::string node_guid;  // "0000:0000:0000:0001"
  EmulatedNicModel model;
  BytesPerSecond line_rate;              // per direction
  std::vector<EmulatedNicFault> faults;  // of two of a kind (and way) the later one holds
};

struct EmulatedGpu {
  PciAddress address;
  std::string name;  // "NVIDIA H100 80GB HBM3"
  Bytes memory;
  bool dmabuf = true;  // supports dma-buf export
};

// What a container or its administrator gives to the processes on the machine.
struct EmulatedSurroundings {
  bool shows_pci = true;     // false: /sys/bus/pci is empty, as where a container hides it
  bool reads_config = true;  // false: 64 bytes of configuration space, as for who is not root
  std::optional<std::string> cuda_visible_devices;  // the variable; empty: not set
  std::optional<uint32_t> device_mode;              // permission of the uverbs nodes
  std::optional<Bytes> memlock;                     // RLIMIT_MEMLOCK, also for root

  friend bool operator==(const EmulatedSurroundings&, const EmulatedSurroundings&) = default;
};

// A named rate limiter. Directions are separate resources ("nic:0000:c6:00.0:rx").
struct EmulatedResource {
  std::string name;
  BytesPerSecond capacity;
};

// How a NIC reaches a place in one direction: the resources that a transfer occupies, and the
// rate that results when it runs alone (the minimum of their capacities), for tests and reports.
struct EmulatedPath {
  std::vector<uint32_t> resources;  // indexes into EmulatedMachine::resources
  BytesPerSecond capacity;
};

// Ids per (NIC, place, way); all synthetic. A value ≤ 255, as on the device's admin wire.
struct EmulatedMachine {
  std::string spec;           // as given: "p5.48xlarge" or "p5.48xlarge,slow-nic:rdmap79s0=0.6"
  std::string source_file;    // the YAML it came from
  std::string instance_type;  // as DMI shows it
  std::string cpu_model;
  std::string arm_cpu;   // aarch64: implementer and part, "41:d4f"; empty: x86-64
  uint32_t cpu_mhz = 0;  // the base clock, as /proc/cpuinfo shows it
  // Of one core; a node's CPUs, in order, are first the first threads of its cores, then the
  // second.
  uint32_t threads_per_core = 1;
  std::vector<EmulatedCache> caches;  // by ascending level
  std::string p2p_provider;  // sysfs device/p2p: "NVIDIA" or "none"; peer_memory works unless none
  Nanoseconds base_latency{0};
  EmulatedTiming timing;
  std::vector<EmulatedNumaNode> numa_nodes;
  std::vector<EmulatedHostBridge> host_bridges;
  std::vector<EmulatedNic> nics;         // in enumeration order (uverbs0…)
  std::vector<EmulatedGpu> gpus;         // in CUDA order
  std::vector<PciAddress> accelerators;  // ascending; no memory places
  std::vector<EmulatedResource> resources;
  EmulatedSurroundings surroundings;
  uint64_t seed = 1;  // of all that is random: the same seed gives the same run of the model

  std::vector<MemoryPlace> Places() const;  // numa nodes with memory, then GPUs

  using NicPlace = std::pair<PciAddress, MemoryPlace>;
  std::map<NicPlace, InterconnectIds> host_and_dmabuf_ids;  // host places: way host; GPUs: dmabuf
  std::map<NicPlace, InterconnectIds> peer_memory_ids;      // GPUs only
  // [0] to_memory, [1] from_memory. Line rate is part of it; the fabric itself has no limit.
  std::map<NicPlace, std::array<EmulatedPath, 2>> paths;

  // The ids that registering memory of `place` by `way` answers; none where nothing is said.
  const InterconnectIds& IdsOf(const PciAddress& nic, const MemoryPlace& place,
                               RegistrationWay way) const;
  const EmulatedPath& PathOf(const PciAddress& nic, const MemoryPlace& place,
                             Direction direction) const;
  const EmulatedNic* FindNic(const PciAddress& address) const;
  // Of the NIC's own line: received (to memory) or sent bytes. Empty where it has no limit.
  std::optional<uint32_t> LineOf(const PciAddress& nic, Direction direction) const;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_EMULATED_MACHINE_H_
