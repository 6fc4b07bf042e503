// RemoteHardware: the EFA functions of one node of a fabric, whose model runs in the fabric
// process.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_REMOTE_HARDWARE_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_REMOTE_HARDWARE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/fabric/doorbell_ring.h"
#include "lib/emulator/fabric/fabric_client.h"
#include "lib/emulator/preload/wake_word.h"
#include "lib/emulator/uverbs/hardware.h"

namespace railgauge {

class RemoteHardware : public Hardware {
 public:
  // `tree`: the descriptor of the node's /sys/class/infiniband, or -1.
  static Result<std::unique_ptr<RemoteHardware>> Connect(const std::string& fabric, uint32_t node,
                                                         int tree);
  ~RemoteHardware() override;

  FabricClient& client() { return *client_; }

  const BarLayout& layout() const override { return welcome_.layout; }
  RingMemory* rings() override;
  efa::DmaSpace* dma_space() override { return &dma_space_; }
  efa::Device* device(size_t index) override;
  CompletionEvents* events(size_t index) override;
  void SetRemovalListener(std::function<void(size_t index)> listener) override;
  // In a signal handler, too: neither locks nor allocates. Waits while the fabric process is behind
  // by a whole ring of doorbells; a doorbell of a lost fabric is lost.
  void StoreDoorbell(uint64_t offset, uint32_t value) override;

 private:
  class Rings;
  class Function;
  class Events;

  RemoteHardware() = default;
  Status MapRings(int fd);
  Status AddFunctions();

  std::unique_ptr<FabricClient> client_;
  Welcome welcome_;
  efa::DmaSpace dma_space_;  // of this process's memory only: what a DMA address stands for
  std::mutex registering_;   // a long list of segments takes several requests
  std::unique_ptr<Rings> rings_;
  DoorbellRing* doorbells_ = nullptr;
  WakeWord* wake_ = nullptr;
  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<std::unique_ptr<Events>> events_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_REMOTE_HARDWARE_H_
