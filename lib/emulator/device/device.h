// Device: one emulated EFA function. Fabric: all of them, the network between and time.
//
// What an EFA function does, without system calls, threads or a clock of its own: a front end calls
// admin commands, tells of doorbell writes, and drives time by Fabric::Poll. Rings, completions and
// payload are plain memory reached by DmaSpace and the two BARs.
//
// Threading: every call is safe from any thread. Doorbell() decodes and schedules and does not copy
// payload; Poll() copies and completes, outside of locks while it copies. One thread polls at a
// time (a second one waits). DeregMr, and ModifyQp to RESET or ERR and DestroyQp, wait for the copy
// that Poll has under way, some 200 µs; transfers that are not copied by then fail or are flushed.
//
// Time: a transfer passes through every resource of its path (scenario/emulated_machine.h), which
// it shares fairly with other flows (flow_network.h), and completes a latency later. What this host
// is late with is not charged to the emulated machine (catch_up.h). While this host cannot copy as
// fast as the emulated machine, bodies are sampled (copy_policy.h); a transfer posted to an idle
// device is always whole.
//
// Guesses where nothing is public, each marked where it is made: no error moves a QP to ERR; a
// destroyed or reset QP leaves no flushed completions; a request to an unknown GID, or to a QP
// whose process died, fails after one base latency instead of a time-out.
//
// A peer that died: efa_io_defs.h documents "unresponsive remote, was previously responsive" (13)
// and "unreachable remote, never received a response" (15). Assumed is that both are said of a
// queue pair (not of its device, which is alive), that "previously" counts per initiating queue
// pair, and that a QP which was destroyed in order is not this case but "bad dest QP number" (9).
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_DEVICE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/units.h"
#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/device/environment.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

struct FabricState;
struct DeviceState;

// What exists on a device now.
struct ObjectCounts {
  uint32_t pds = 0, uars = 0, mrs = 0, ahs = 0, cqs = 0, qps = 0;
  uint64_t llq_bytes = 0;
};

// Memory of the function itself that user space maps. Sizes are the front end's choice.
struct BarMemory {
  std::span<std::byte> llq;        // send queue rings
  std::span<std::byte> doorbells;  // one 4 KiB page per UAR; written values need not be stored here
};

// The admin commands and doorbells of one function, wherever the model of it runs.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceAttributes GetAttributes() const = 0;
  virtual DeviceStats GetStats() const = 0;

  virtual AdminResult<uint16_t> AllocPd() = 0;
  virtual AdminStatus DeallocPd(uint16_t pd) = 0;  // kResourceBusy while MRs, QPs or AHs are in it
  virtual AdminResult<uint16_t> AllocUar() = 0;
  virtual AdminStatus DeallocUar(uint16_t uar) = 0;

  virtual AdminResult<RegMrResult> RegMr(const RegMrParams& params) = 0;
  // Returns after no transfer touches the region any more.
  virtual AdminStatus DeregMr(uint32_t lkey) = 0;

  // The same (pd, gid) gives the same number; each Create needs its Destroy.
  virtual AdminResult<uint16_t> CreateAh(uint16_t pd, const Gid& gid) = 0;
  virtual AdminStatus DestroyAh(uint16_t pd, uint16_t ah) = 0;

  virtual AdminResult<CreateCqResult> CreateCq(const CreateCqParams& params) = 0;
  virtual AdminStatus DestroyCq(uint16_t cq) = 0;  // kResourceBusy while a QP uses it

  virtual AdminResult<CreateQpResult> CreateQp(const CreateQpParams& params) = 0;
  virtual AdminStatus ModifyQp(const ModifyQpParams& params) = 0;
  virtual AdminResult<QueryQpResult> QueryQp(uint32_t qp_handle) const = 0;
  virtual AdminStatus DestroyQp(uint32_t qp_handle) = 0;

  // A 32-bit write to the doorbell BAR at `offset` (page of the UAR included). Unknown offsets are
  // ignored, as hardware does.
  virtual void Doorbell(uint64_t offset, uint32_t value) = 0;
};

// A device whose model runs in this process.
class LocalDevice final : public Device {
 public:
  DeviceAttributes GetAttributes() const override;
  DeviceStats GetStats() const override;
  AdminResult<uint16_t> AllocPd() override;
  AdminStatus DeallocPd(uint16_t pd) override;
  AdminResult<uint16_t> AllocUar() override;
  AdminStatus DeallocUar(uint16_t uar) override;
  AdminResult<RegMrResult> RegMr(const RegMrParams& params) override;
  AdminStatus DeregMr(uint32_t lkey) override;
  AdminResult<uint16_t> CreateAh(uint16_t pd, const Gid& gid) override;
  AdminStatus DestroyAh(uint16_t pd, uint16_t ah) override;
  AdminResult<CreateCqResult> CreateCq(const CreateCqParams& params) override;
  AdminStatus DestroyCq(uint16_t cq) override;
  AdminResult<CreateQpResult> CreateQp(const CreateQpParams& params) override;
  AdminStatus ModifyQp(const ModifyQpParams& params) override;
  AdminResult<QueryQpResult> QueryQp(uint32_t qp_handle) const override;
  AdminStatus DestroyQp(uint32_t qp_handle) override;
  void Doorbell(uint64_t offset, uint32_t value) override;

  // DestroyQp for a QP whose process died. Requests to it that are under way, and later ones, fail
  // as those to a remote that does not respond any more, until its number is given to another QP.
  AdminStatus AbandonQp(uint32_t qp_handle);

  ObjectCounts CountObjects() const;

 private:
  friend class Fabric;
  explicit LocalDevice(DeviceState* state) : state_(state) {}
  DeviceState* state_;
};

class Fabric {
 public:
  using Environment = FabricEnvironment;

  // Machines that differ in the GIDs of their NICs (scenario/nodes.h); a machine's index in the
  // list is its node number.
  Fabric(std::span<const EmulatedMachine> machines, DmaSpace* dma_space, Environment environment);
  Fabric(const EmulatedMachine& machine, DmaSpace* dma_space, Environment environment)
      : Fabric(std::span(&machine, 1), dma_space, std::move(environment)) {}
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // The device at `address` of the NICs of machine `node` with its BARs; call once per NIC. Null
  // when there is no such NIC.
  LocalDevice* AddDevice(uint32_t node, const PciAddress& address, BarMemory bars);
  LocalDevice* AddDevice(const PciAddress& address, BarMemory bars) {
    return AddDevice(0, address, bars);
  }

  // Switches what one device does wrong, at run time. False: there is no such device.
  bool SetFaults(uint32_t node, const PciAddress& address, std::vector<EmulatedNicFault> faults);
  // The capacities of machine `node`, which has the resources that it was made with, from now on.
  void SetCapacities(uint32_t node, std::span<const EmulatedResource> resources);

  // Does all that is due. Returns when the next thing is due, empty when nothing is in flight.
  std::optional<Nanoseconds> Poll();

 private:
  std::unique_ptr<FabricState> state_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_DEVICE_H_
