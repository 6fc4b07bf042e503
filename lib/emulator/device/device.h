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
// Time: a transfer reserves every resource of its path (scenario/emulated_machine.h) and completes
// when the slowest has served it. What this host is late with is not charged to the emulated
// machine (catch_up.h). While this host cannot copy as fast as the emulated machine, bodies are
// sampled (copy_policy.h); a transfer posted to an idle fabric is always whole.
//
// Guesses where nothing is public, each marked where it is made: no error moves a QP to ERR; a
// destroyed or reset QP leaves no flushed completions; a request to an unknown GID fails after one
// base latency instead of a time-out.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_DEVICE_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/units.h"
#include "lib/emulator/device/admin.h"
#include "lib/emulator/device/dma_space.h"
#include "lib/emulator/device/environment.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge::efa {

struct FabricState;
struct DeviceState;

// Memory of the function itself that user space maps. Sizes are the front end's choice.
struct BarMemory {
  std::span<std::byte> llq;        // send queue rings
  std::span<std::byte> doorbells;  // one 4 KiB page per UAR; written values need not be stored here
};

class Device {
 public:
  DeviceAttributes GetAttributes() const;
  DeviceStats GetStats() const;

  AdminResult<uint16_t> AllocPd();
  AdminStatus DeallocPd(uint16_t pd);  // kResourceBusy while MRs, QPs or AHs are in it
  AdminResult<uint16_t> AllocUar();
  AdminStatus DeallocUar(uint16_t uar);

  AdminResult<RegMrResult> RegMr(const RegMrParams& params);
  // Returns after no transfer touches the region any more.
  AdminStatus DeregMr(uint32_t lkey);

  // The same (pd, gid) gives the same number; each Create needs its Destroy.
  AdminResult<uint16_t> CreateAh(uint16_t pd, const Gid& gid);
  AdminStatus DestroyAh(uint16_t pd, uint16_t ah);

  AdminResult<CreateCqResult> CreateCq(const CreateCqParams& params);
  AdminStatus DestroyCq(uint16_t cq);  // kResourceBusy while a QP uses it

  AdminResult<CreateQpResult> CreateQp(const CreateQpParams& params);
  AdminStatus ModifyQp(const ModifyQpParams& params);
  AdminResult<QueryQpResult> QueryQp(uint32_t qp_handle) const;
  AdminStatus DestroyQp(uint32_t qp_handle);

  // A 32-bit write to the doorbell BAR at `offset` (page of the UAR included). Unknown offsets are
  // ignored, as hardware does.
  void Doorbell(uint64_t offset, uint32_t value);

 private:
  friend class Fabric;
  explicit Device(DeviceState* state) : state_(state) {}
  DeviceState* state_;
};

class Fabric {
 public:
  using Environment = FabricEnvironment;

  Fabric(const EmulatedMachine& machine, DmaSpace* dma_space, Environment environment);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // The device at `address` of the machine's NICs with its BARs; call once per NIC. Null when the
  // machine has no such NIC.
  Device* AddDevice(const PciAddress& address, BarMemory bars);

  // Does all that is due. Returns when the next thing is due, empty when nothing is in flight.
  std::optional<Nanoseconds> Poll();

 private:
  std::unique_ptr<FabricState> state_;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_DEVICE_H_
