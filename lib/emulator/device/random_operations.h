// RandomOperations: seeded random use of the device model by several processes, each step checked
// against a ReferenceModel.
//
// Processes create and destroy everything that a device has, register and deregister memory, post
// good and bad requests to each other, and are killed: all that they hold is destroyed in the order
// in which a kernel does it, and their memory goes back to the host. Two residents live throughout.
// The device is called as a front end calls it; there is neither a system call nor uverbs.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_RANDOM_OPERATIONS_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_RANDOM_OPERATIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "lib/emulator/device/reference_model.h"
#include "lib/emulator/device/test_rig.h"

namespace railgauge::efa {

class RandomOperations {
 public:
  // `run_until_idle` drives the fabric of `rig` until nothing is in flight; `poll` does something
  // that moves it on. With `events`, CQs raise completion events (in the caller's thread only).
  struct Environment {
    std::function<void()> run_until_idle;
    std::function<void(bool advance)> poll;
    bool events = true;
  };
  // What came to pass, for assertions about the test itself.
  struct Tally {
    uint64_t kills = 0, created = 0, destroyed = 0, refused = 0;
    // Of all rings that there were, those that were used for more than one lap; the least of the
    // laps of the residents' rings.
    uint64_t wrapped_sqs = 0, wrapped_rqs = 0, wrapped_sub_cqs = 0;
    uint64_t least_resident_laps = ~uint64_t{0};
  };

  // The machine to make `rig` from: the limits of its NICs are low, so that they are met.
  static EmulatedMachine Machine();

  RandomOperations(TestFabric& rig, uint64_t seed, Environment environment);

  // Does `steps` steps and ends everything. Empty, or what was wrong and in which step.
  std::string Run(int steps);

  const Tally& tally() const { return tally_; }
  const ReferenceModel& model() const { return model_; }

 private:
  using Process = ModelProcess;

  uint64_t Below(uint64_t limit) { return random_() % limit; }
  bool Chance(uint64_t percent) { return Below(100) < percent; }
  template <typename T>
  std::shared_ptr<T> Pick(const std::vector<std::shared_ptr<T>>& of) {
    return of.empty() ? nullptr : of[Below(of.size())];
  }
  void Expect(bool good, const char* what) {
    if (!good) model_.Fail(what);
  }
  LocalDevice& DeviceOf(const Process& process) { return rig_.device(process.nic); }
  template <typename Count>
  uint64_t OnNic(const PciAddress& nic, Count count) const {
    uint64_t sum = 0;
    for (const auto& process : model_.processes) {
      if (process->nic == nic) sum += count(*process);
    }
    return sum;
  }

  void Step();
  void Lifecycle(Process& process);
  void Create(Process& process);
  void Destroy(Process& process);
  bool AddProcess(const PciAddress& nic, bool resident);
  void Kill(size_t index);

  std::shared_ptr<ModelPd> CreatePd(Process& process);
  std::shared_ptr<ModelCq> CreateCq(Process& process);
  std::shared_ptr<ModelMr> CreateMr(Process& process);
  std::shared_ptr<ModelAh> CreateAh(Process& process, const std::shared_ptr<ModelPd>& pd,
                                    const PciAddress& peer);
  std::shared_ptr<ModelQp> CreateQp(Process& process);
  void DestroyPd(Process& process, const std::shared_ptr<ModelPd>& pd);
  void DestroyCq(Process& process, const std::shared_ptr<ModelCq>& cq);
  void DestroyMr(Process& process, const std::shared_ptr<ModelMr>& mr);
  void DestroyAh(Process& process, const std::shared_ptr<ModelAh>& ah);
  // `with_process`: as when the process was killed.
  void DestroyQp(Process& process, const std::shared_ptr<ModelQp>& qp, bool with_process = false);

  void Modify(const std::shared_ptr<ModelQp>& qp);
  void SetState(const std::shared_ptr<ModelQp>& qp, QpState state);
  void MakeReady(const std::shared_ptr<ModelQp>& qp);

  void PostReceives(Process& process, const std::shared_ptr<ModelQp>& qp);
  bool PostReceive(Process& process, ModelQp& qp);
  void PostSends(Process& process, const std::shared_ptr<ModelQp>& qp);
  bool PostSend(Process& process, const std::shared_ptr<ModelQp>& qp);
  bool ChooseMemory(Process& process, Process& target_process, ModelQp& target,
                    ModelRequest& request);
  void ChooseAh(Process& process, Process& target_process, const ModelQp& target,
                ModelRequest& request);
  void Spoil(ModelRequest& request);
  void Arm(Process& process);

  std::shared_ptr<ModelMr> PickMr(Process& process, const ModelPd* pd, uint32_t permissions);
  std::shared_ptr<MessageRange> TakeFrom(const ModelMr& mr, uint64_t slots);
  uint64_t ChooseLength(SendOp op);
  void TallyQp(const ModelQp& qp, bool resident);
  void TallyCq(const ModelCq& cq, bool resident);
  void CheckNothingIsLost();

  TestFabric& rig_;
  Environment environment_;
  std::mt19937_64 random_;
  ReferenceModel model_;
  Tally tally_;
  uint32_t next_serial_ = 1;
};

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_RANDOM_OPERATIONS_H_
