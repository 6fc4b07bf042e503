#include "lib/scenario/small_scenario_testutil.h"

#include <algorithm>

#include "lib/base/result.h"
#include "lib/scenario/load.h"

namespace railgauge {

const char kSmallScenario[] = R"(schema: 1
instance_type: small.2xlarge
sources: made up
ids: synthetic
cpu_model: AMD EPYC 7R13 Processor
cpu_mhz: 2650
threads_per_core: 2
caches:
  - {level: 1, type: Data, size: 32KiB, cores: 1}
  - {level: 3, type: Unified, size: 32MiB, cores: 2}
numa_nodes:
  - {index: 0, package: 0, cpus: "0-1,4-5", memory: 8GiB}
  - {index: 1, package: 1, cpus: "2-3,6-7", memory: 8GiB}
p2p_provider: NVIDIA
base_latency: 15us
functions:
  port: {kind: bridge, id: "1d0f:0200", subsystem: "1d0f:0200", class: "060400", revision: "00",
         link: 16GT/s x8}
  disk: {kind: other, id: "1d0f:cd01", subsystem: "1d0f:0000", class: "010802", revision: "00",
         link: unknown}
  ena: {kind: other, id: "1d0f:ec20", subsystem: "1d0f:ec20", class: "020000", revision: "00",
        link: unknown, interface: "enp{bus}s{device}"}
  gpu: {kind: gpu, id: "10de:2330", subsystem: "10de:16c1", class: "030200", revision: "a1",
        link: 32GT/s x16, name: Emulated GPU, memory: 1GiB, dmabuf: true}
  efa:
    kind: nic
    id: "1d0f:efa1"
    subsystem: "1d0f:efa1"
    class: "020000"
    revision: "00"
    link: 16GT/s x8
    name: "rdmap{bus}s{device}"
    firmware: emulated-small
    line_rate: 10GB/s
    reported_rate: 100Gb/s
    capabilities: [rdma_read, query_mr]
    limits:
      {max_qp: 256, max_cq: 512, max_cqe: 32768, max_mr: 65536, max_mr_pages: 67108864, max_pd: 256,
       max_ah: 4096, max_sq_wr: 4096, max_rq_wr: 32768, max_sq_sge: 2, max_rq_sge: 3,
       inline_buf_size: 32, max_rdma_size: 1073741824, mtu: 8928, max_llq_size: 262144,
       max_tx_batch: 64, min_sq_wr: 32, sub_cqs_per_cq: 1}
trees:
  switch:
    - function: port
      at: +0:00.0
      buses: +1..+3
      below:
        - {function: port, at: +1:00.0, buses: +2, below: [{function: efa, at: +2:00.0}]}
        - {function: port, at: +1:00.1, buses: +3, below: [{function: gpu, at: +3:00.0}]}
host_bridges:
  - {at: "0000:10", numa_node: 0, functions: [{tree: switch}]}
  - {at: "0000:20", numa_node: 1, functions: [{tree: switch}]}
  - at: "0000:30"
    numa_node: 1
    functions:
      - {function: efa, at: "30:01.0"}
      - {function: disk, at: +0:02.0}
      - {function: ena, at: +0:03.0}
shared_capacities:
  uplink: {up: 16GB/s, down: 15GB/s}
  gpu_link: {in: 50GB/s, out: 40GB/s}
  numa_memory: {write: 32GB/s, read: 30GB/s}
  numa_link: 20GB/s
paths:
  - {places: gpus, relation: same_switch, to_memory: line_rate, from_memory: 9.5GB/s}
  - {places: gpus, relation: same_numa_node, to_memory: 8GB/s, from_memory: 7GB/s}
  - {places: gpus, relation: other_numa_node, to_memory: 5GB/s, from_memory: 4GB/s}
  - {places: host, to_memory: 9GB/s, from_memory: line_rate}
interconnect_ids:
  - {places: gpus, relation: same_switch, rdma_read: 0 + nic_index, recv: 7}
  - {places: host, recv: 1, rdma_read: 2}
  - {places: gpus, way: peer_memory, recv: none, rdma_recv: 255}
)";

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  RAILGAUGE_CHECK(at != std::string::npos);
  RAILGAUGE_CHECK(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string SmallScenarioWith(std::string_view from, std::string_view to) {
  return Replaced(kSmallScenario, from, to);
}

EmulatedMachine LoadText(std::string_view yaml) {
  auto machine = LoadMachineFromText(yaml, "small.yaml");
  if (!machine) internal::CheckFailed("small.yaml", 0, machine.error().ToString().c_str());
  return *std::move(machine);
}

std::string ErrorOf(std::string_view yaml) {
  const auto machine = LoadMachineFromText(yaml, "small.yaml");
  if (machine) return "it loads";
  const std::string line = machine.error().ToString();
  constexpr std::string_view kPrefix = "read scenario small.yaml:";
  return line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : line;
}

int LineOf(std::string_view text, std::string_view needle) {
  const size_t at = text.find(needle);
  RAILGAUGE_CHECK(at != std::string_view::npos);
  const std::string_view before = text.substr(0, at);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

PciAddress Address(std::string_view text) {
  const auto address = PciAddress::Parse(text);
  RAILGAUGE_CHECK(address.has_value());
  return *address;
}

MemoryPlace GpuAt(std::string_view address) { return MemoryPlace::Gpu(Address(address)); }

}  // namespace railgauge
