#include "lib/emulator/device/fabric_state.h"

#include <arpa/inet.h>

#include <algorithm>
#include <utility>

#include "lib/base/result.h"

namespace railgauge::efa {

namespace {

SimTime BaseLatencyOf(const EmulatedMachine& machine) {
  return machine.timing.pacing ? ToSimTime(machine.base_latency) : 0;
}

Engine::Options OptionsOf(std::span<const EmulatedMachine> machines) {
  Engine::Options options{.least_latency = kNever, .may_sample = true};
  for (const EmulatedMachine& machine : machines) {
    options.least_latency = std::min(options.least_latency, BaseLatencyOf(machine));
    options.may_sample = options.may_sample && machine.timing.pacing;
  }
  return options;
}

// Another sequence for every NIC of every machine.
uint64_t SeedOf(const EmulatedMachine& machine, const EmulatedNic& nic) {
  uint64_t seed = machine.seed;
  for (const char letter : nic.gid + nic.address.ToString()) {
    seed = seed * 1099511628211u + static_cast<unsigned char>(letter);
  }
  return seed;
}

// How often counters that move by themselves are looked at.
constexpr SimTime kCounterInterval = ToSimTime(Nanoseconds(5'000'000));

}  // namespace

NodeState::NodeState(const EmulatedMachine& emulated_machine, Engine& engine)
    : machine(emulated_machine),
      base_latency(BaseLatencyOf(machine)),
      first_resource(engine.AddResources(machine)) {
  for (const EmulatedResource& resource : machine.resources) {
    capacities.push_back(resource.capacity);
  }
}

DeviceState::DeviceState(FabricState& owner, uint32_t index, const EmulatedNic& nic,
                         const BarMemory& memory)
    : fabric(owner),
      node_index(index),
      node(*owner.nodes[index]),
      address(nic.address),
      model(nic.model),
      gid(ParseGid(nic.gid)),
      bars(memory),
      paths(node.machine, nic.address, node.first_resource),
      pds(nic.model.max_pd),
      uars(static_cast<uint32_t>(memory.doorbells.size() / UarTable::kPageSize)),
      mrs(nic.model.max_mr),
      ahs(nic.model.max_ah),
      cq_numbers(nic.model.max_cq),
      qps(nic.model.max_qp),
      llq(memory.llq.size()),
      faults(nic.faults, SeedOf(node.machine, nic)),
      noise(node.machine.timing, node.machine.seed, SeedOf(node.machine, nic)) {}

void DeviceState::Complete(uint16_t cq, uint16_t sub_cq, const Completion& completion) {
  switch (cqs[cq]->Write(sub_cq, completion)) {
    case CompletionQueue::Outcome::kWritten:
      return;
    case CompletionQueue::Outcome::kWrittenWithEvent:
      return fabric.engine.RaiseEvent(node_index, address, cq);
    case CompletionQueue::Outcome::kOverrun:
      ++stats.cq_overruns;
      return;
  }
}

SimTime DeviceState::AdvanceFaults(SimTime now) {
  if (const double rate = faults.ForeignRate(now).value; rate != foreign_rate) {
    foreign_rate = rate;
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      const auto line = node.machine.LineOf(address, direction);
      if (!line) continue;
      // Something is left, or nothing would ever arrive.
      constexpr double kLeast = 1e6;
      const double left = std::max(node.Capacity(*line).value - rate, kLeast);
      fabric.engine.SetCapacity(node.first_resource + *line, {left});
    }
  }
  if (faults.IsRemoved(now) && !removal_was_told) {
    removal_was_told = true;
    fabric.engine.RaiseRemoval(node_index, address);
  }
  const SimTime next = faults.NextStart(now);
  return faults.CountersMove(now) ? std::min(next, now + kCounterInterval) : next;
}

FabricState::FabricState(std::span<const EmulatedMachine> machines, DmaSpace* dma,
                         FabricEnvironment environment,
                         std::unique_ptr<TransferHandler> transfer_handler)
    : dma_space(*dma),
      handler(std::move(transfer_handler)),
      engine(std::move(environment), handler.get(), OptionsOf(machines)) {
  for (const EmulatedMachine& machine : machines) {
    nodes.push_back(std::make_unique<NodeState>(machine, engine));
  }
}

DeviceState* FabricState::FindDevice(const Gid& gid) const {
  const auto found = by_gid.find(gid);
  return found == by_gid.end() ? nullptr : found->second;
}

Gid ParseGid(const std::string& text) {
  Gid gid{};
  RAILGAUGE_CHECK(inet_pton(AF_INET6, text.c_str(), gid.data()) == 1);
  return gid;
}

}  // namespace railgauge::efa
