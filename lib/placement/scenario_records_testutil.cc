#include "lib/placement/scenario_records_testutil.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "fmt/core.h"
#include "lib/scenario/seen_machine_testutil.h"
#include "lib/topology/relation.h"
#include "lib/topology/sysfs_facts.h"

namespace railgauge {
namespace {

const EmulatedGpu* GpuAt(const EmulatedMachine& machine, const MemoryPlace& place) {
  for (const EmulatedGpu& gpu : machine.gpus) {
    if (place.is_gpu() && gpu.address == place.gpu) return &gpu;
  }
  return nullptr;
}

// Why registering fails, in the words of the census; empty where it works.
std::string RefusalOf(const EmulatedMachine& machine, const EmulatedNic& nic,
                      const MemoryPlace& place, RegistrationWay way) {
  const std::string object = fmt::format("{}, {} as {}", nic.name, place.ToString(), ToString(way));
  const std::string_view call =
      way == RegistrationWay::kDmabuf ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr";
  const EmulatedGpu* gpu = GpuAt(machine, place);
  if (gpu != nullptr && way == RegistrationWay::kDmabuf && !gpu->dmabuf) {
    return fmt::format("dma-buf export {}: the CUDA driver says that it cannot export this GPU",
                       object);
  }
  if (way == RegistrationWay::kPeerMemory && machine.p2p_provider == "none") {
    return fmt::format("{} {}: EFAULT (Bad address)", call, object);
  }
  for (const EmulatedNicFault& fault : nic.faults) {
    if (fault.kind == EmulatedNicFault::Kind::kRegistrationFails && fault.way == way) {
      return fmt::format("{} {}: errno {}", call, object, fault.code);
    }
  }
  return "";
}

void AddCensus(const EmulatedMachine& emulated, const Nic& nic, const MemoryPlace& place,
               ScenarioRecords& records) {
  const EmulatedNic& device = *emulated.FindNic(nic.position.address);
  std::vector<RegistrationWay> ways = {RegistrationWay::kHost};
  if (place.is_gpu()) ways = {RegistrationWay::kDmabuf, RegistrationWay::kPeerMemory};
  for (const RegistrationWay way : ways) {
    CensusRow row;
    row.nic = nic.key();
    row.place = place;
    row.way = way;
    const RelationResult relation = RelationOf(records.machine, nic, place);
    row.relation = relation.relation;
    row.pci_path = relation.pci_path;
    row.access_flags =
        fmt::format("local_write{}{}", device.model.rdma_write ? "|remote_write" : "",
                    device.model.rdma_read ? "|remote_read" : "");
    row.reason = RefusalOf(emulated, device, place, way);
    row.ids = emulated.IdsOf(nic.position.address, place, way);
    row.status = row.ids.any() ? CensusStatus::kOk : CensusStatus::kNoId;
    if (!row.reason.empty()) {
      row.status = CensusStatus::kRegistrationFailed;
      row.ids = {};
    }
    records.census.push_back(std::move(row));
  }
}

bool Registers(const ScenarioRecords& records, const Nic& nic, const MemoryPlace& place) {
  return std::any_of(records.census.begin(), records.census.end(), [&](const CensusRow& row) {
    return row.nic.address == nic.position.address && row.place == place &&
           row.status != CensusStatus::kRegistrationFailed;
  });
}

}  // namespace

ScenarioRecords RecordsOf(const std::string& spec) {
  const SeenMachine& scenario = SeeMachine(spec);
  ScenarioRecords records;
  records.machine = scenario.seen;
  ReadFactsFromSysfs(scenario.folder.path().string() + "/sys", records.machine);
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> noise(0.998, 1.0);
  for (const Nic& nic : records.machine.nics) {
    const EmulatedNicModel& model = scenario.emulated.FindNic(nic.position.address)->model;
    for (const MemoryPlace& place : records.machine.Places()) {
      AddCensus(scenario.emulated, nic, place, records);
      if (!Registers(records, nic, place)) continue;
      for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
        if (operation == Operation::kRead ? !model.rdma_read : !model.rdma_write) continue;
        for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
          Sample sample;
          sample.cell = {nic.key(), place, operation, direction, Bytes{1 << 20}, 32, "alone"};
          sample.way = place.is_gpu() ? RegistrationWay::kDmabuf : RegistrationWay::kHost;
          const double capacity =
              scenario.emulated.PathOf(nic.position.address, place, direction).capacity.value;
          sample.throughput = BytesPerSecond{capacity * noise(generator)};
          sample.status = SampleStatus::kOk;
          records.samples.push_back(std::move(sample));
        }
      }
    }
  }
  return records;
}

}  // namespace railgauge
