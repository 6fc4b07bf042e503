#include "lib/placement/random_world_testutil.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// A branch of the tree: NICs and GPUs below one switch, or on one host bridge.
struct Branch {
  uint64_t nics = 0, gpus = 0;
  bool switched = false;
};

void AddBranch(const Branch& branch, uint32_t bus, uint32_t node, Machine& machine) {
  const std::string host_bridge = fmt::format("0000:{:02x}", bus);
  const std::string port = host_bridge + ":00.0";
  std::vector<std::string_view> bridges;
  if (branch.switched) bridges.push_back(port);
  for (uint64_t i = 0; i < branch.nics + branch.gpus; ++i) {
    const std::string address = branch.switched ? fmt::format("0000:{:02x}:00.0", bus + 1 + i)
                                                : fmt::format("{}:{:02x}.0", host_bridge, 0x10 + i);
    if (i < branch.nics) {
      machine.nics.push_back(MakeNic(address, host_bridge, bridges, node));
    } else {
      machine.gpus.push_back(MakeGpu(address, host_bridge, bridges, node));
    }
  }
}

Machine RandomMachine(Generator& generator) {
  const auto nodes = static_cast<uint32_t>(1 + Below(generator, 2));
  const uint64_t branches = 1 + Below(generator, 3);
  Branch branch{1 + Below(generator, 3), Below(generator, 3), OneIn(generator, 2)};
  Machine machine = MakeHost(nodes);
  machine.shows_pci = true;
  uint32_t bus = 0x10;
  for (uint32_t node = 0; node < nodes; ++node) {
    for (uint64_t i = 0; i < branches; ++i) {
      Branch one = branch;
      // As where a GPU or a NIC is not shown to a container.
      if (OneIn(generator, 8) && one.gpus > 0) --one.gpus;
      if (OneIn(generator, 8) && one.nics > 1) --one.nics;
      AddBranch(one, bus, node, machine);
      bus += 0x10;
    }
  }
  if (OneIn(generator, 10)) {
    for (Nic& nic : machine.nics) nic.position.numa_node.reset();
  }
  return machine;
}

void GiveIds(Generator& generator, std::vector<CensusRow>& census) {
  const uint64_t manner = Below(generator, 4);
  std::map<MemoryPlace, uint16_t> of_place;
  for (CensusRow& row : census) {
    const auto own =
        of_place.try_emplace(row.place, static_cast<uint16_t>(of_place.size())).first->second;
    const auto related = static_cast<uint16_t>(row.relation);
    switch (manner) {
      case 0:
        row.ids = {related, related, related};
        break;
      case 1:
        row.ids = {{}, own, own};
        break;
      case 2:
        row.ids = {0, 0, 0};
        break;
      default:
        row.ids = {};
    }
    if (OneIn(generator, 30)) row.ids.rdma_read = static_cast<uint16_t>(Below(generator, 400));
    if (OneIn(generator, 30)) row.ids.recv.reset();
    row.status = row.ids.any() ? CensusStatus::kOk : CensusStatus::kNoId;
    if (OneIn(generator, 60)) {
      row.status = CensusStatus::kCannotTell;
      row.ids = {};
    }
  }
}

// By peer memory, too, where that gives another answer.
void AddWays(Generator& generator, std::vector<CensusRow>& census) {
  std::vector<CensusRow> more;
  for (const CensusRow& row : census) {
    if (!row.place.is_gpu()) continue;
    more.push_back(row);
    more.back().way = RegistrationWay::kPeerMemory;
    if (OneIn(generator, 20)) more.back().ids.rdma_recv = 250;
  }
  census.insert(census.end(), more.begin(), more.end());
}

World::Speed RandomSpeed(Generator& generator, const Machine& machine) {
  std::map<PciAddress, double> slow_nics;
  std::map<std::pair<PciAddress, MemoryPlace>, double> slow_paths;
  for (const Nic& nic : machine.nics) {
    if (OneIn(generator, 8)) slow_nics[nic.position.address] = 0.6;
    for (const MemoryPlace& place : machine.Places()) {
      if (OneIn(generator, 20)) slow_paths[{nic.position.address, place}] = 0.5;
    }
  }
  const bool writes = !OneIn(generator, 6);
  return [=](const Cell& cell, Relation relation) {
    if (!writes && cell.operation == Operation::kWrite) return -1.0;
    double speed = World::NearIsFast(cell, relation);
    const auto nic = slow_nics.find(cell.nic.address);
    if (nic != slow_nics.end()) speed *= nic->second;
    const auto path = slow_paths.find({cell.nic.address, cell.place});
    if (path != slow_paths.end()) speed *= path->second;
    return speed;
  };
}

Decision RandomDecision(Generator& generator, const Machine& machine) {
  if (OneIn(generator, 3)) {
    auto decision = DecideByPolicy("nearest", machine);
    if (decision) return *std::move(decision);
  }
  Decision decision{"random", {}};
  for (const MemoryPlace& place : machine.Places()) {
    if (place.is_host() && !machine.gpus.empty() && !OneIn(generator, 4)) continue;
    Assignment assignment{place, {}};
    std::vector<NicKey> nics;
    for (const Nic& nic : machine.nics) nics.push_back(nic.key());
    Shuffle(generator, nics);
    nics.resize(std::min<size_t>(nics.size(), 1 + Below(generator, 3)));
    assignment.nics = nics;
    decision.assignments.push_back(std::move(assignment));
  }
  if (decision.assignments.empty()) {
    decision.assignments.push_back({machine.Places().front(), {machine.nics.front().key()}});
  }
  return decision;
}

void Spoil(Generator& generator, std::vector<Sample>& samples) {
  for (Sample& sample : samples) {
    if (OneIn(generator, 15)) sample.disturbed = true;
    if (!OneIn(generator, 60)) continue;
    constexpr SampleStatus kOthers[] = {SampleStatus::kSkipped, SampleStatus::kFailed,
                                        SampleStatus::kWrongBytes, SampleStatus::kNoCounters};
    sample.status = kOthers[Below(generator, std::size(kOthers))];
    sample.reason = fmt::format("reason {}", Below(generator, 3));
    if (sample.status == SampleStatus::kSkipped) sample.skip_cause = SkipCause::kNoTime;
  }
}

}  // namespace

uint64_t Below(Generator& generator, uint64_t below) { return generator() % below; }
bool OneIn(Generator& generator, uint64_t n) { return Below(generator, n) == 0; }

RandomWorld MakeRandomWorld(uint64_t seed) {
  Generator generator(seed);
  World world(RandomMachine(generator));
  GiveIds(generator, world.census);
  world.speed = RandomSpeed(generator, world.machine);
  const Decision decision = RandomDecision(generator, world.machine);
  world.Check(decision);
  AddWays(generator, world.census);
  Spoil(generator, world.samples);
  return {world.machine, world.census, world.samples, decision};
}

}  // namespace railgauge
