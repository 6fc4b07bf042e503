#include "lib/emulator/device/fabric_state.h"

#include <arpa/inet.h>

#include <utility>

#include "lib/base/result.h"

namespace railgauge::efa {

DeviceState::DeviceState(FabricState& owner, const EmulatedNic& nic, const BarMemory& memory)
    : fabric(owner),
      address(nic.address),
      model(nic.model),
      gid(ParseGid(nic.gid)),
      bars(memory),
      paths(owner.machine, nic.address, owner.limiters),
      pds(nic.model.max_pd),
      uars(static_cast<uint32_t>(memory.doorbells.size() / UarTable::kPageSize)),
      mrs(nic.model.max_mr),
      ahs(nic.model.max_ah),
      cq_numbers(nic.model.max_cq),
      qps(nic.model.max_qp),
      llq(memory.llq.size()) {}

void DeviceState::Complete(uint16_t cq, uint16_t sub_cq, const Completion& completion) {
  switch (cqs[cq]->Write(sub_cq, completion)) {
    case CompletionQueue::Outcome::kWritten:
      return;
    case CompletionQueue::Outcome::kWrittenWithEvent:
      return fabric.engine.RaiseEvent(address, cq);
    case CompletionQueue::Outcome::kOverrun:
      ++stats.cq_overruns;
      return;
  }
}

FabricState::FabricState(const EmulatedMachine& emulated_machine, DmaSpace* dma,
                         FabricEnvironment environment,
                         std::unique_ptr<TransferHandler> transfer_handler)
    : machine(emulated_machine),
      dma_space(*dma),
      base_latency(ToSimTime(emulated_machine.base_latency)),
      handler(std::move(transfer_handler)),
      engine(std::move(environment), handler.get()) {
  for (const EmulatedResource& resource : machine.resources) {
    limiters.emplace_back(resource.capacity);
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
