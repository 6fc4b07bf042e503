// LocalHardware: one machine whose devices live in this process.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_LOCAL_HARDWARE_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_LOCAL_HARDWARE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "lib/emulator/uverbs/hardware.h"
#include "lib/emulator/uverbs/hosted_fabric.h"

namespace railgauge {

class LocalHardware : public Hardware {
 public:
  // Of one node.
  explicit LocalHardware(std::unique_ptr<HostedFabric> host) : host_(std::move(host)) {}

  efa::Fabric& fabric() { return host_->fabric(); }

  const BarLayout& layout() const override { return host_->layout(0); }
  RingMemory* rings() override { return &host_->arena(); }
  efa::DmaSpace* dma_space() override { return &host_->dma_space(); }
  efa::Device* device(size_t index) override { return &host_->device(0, index); }
  CompletionEvents* events(size_t index) override { return &host_->events(0, index); }
  void SetRemovalListener(std::function<void(size_t index)> listener) override {
    host_->SetRemovalListener(
        [listener = std::move(listener)](size_t, size_t index) { listener(index); });
  }
  void StoreDoorbell(uint64_t offset, uint32_t value) override {
    host_->StoreDoorbell(0, offset, value);
  }

 private:
  std::unique_ptr<HostedFabric> host_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_LOCAL_HARDWARE_H_
