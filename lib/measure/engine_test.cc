#include "lib/measure/engine.h"

#include <vector>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// What an engine does where there is no device: a reason, not a crash. What it measures is tested
// on an emulated machine (engine_emulated_test.cc).
class EngineWithoutDevicesTest : public testing::Test {
 protected:
  EngineWithoutDevicesTest() {
    auto engine = Engine::Create(MakeP5(), CudaDriver::Absent("no CUDA driver here"));
    EXPECT_TRUE(engine);
    engine_ = *std::move(engine);
    machine_ = MakeP5();
  }
  Cell CellOf(const NicKey& nic, const MemoryPlace& place) {
    Cell cell;
    cell.nic = nic;
    cell.place = place;
    cell.size = Bytes{1 << 20};
    return cell;
  }
  Machine machine_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineWithoutDevicesTest, AMissingNicIsSkipped) {
  const NicKey nic{PciAddress{0, 0xff, 0, 0}, "nope"};
  const Sample sample = engine_->Measure(CellOf(nic, MemoryPlace::NumaNode(0)));
  EXPECT_EQ(sample.status, SampleStatus::kSkipped);
  EXPECT_EQ(sample.reason, "this machine has no EFA device at 0000:ff:00.0");
  EXPECT_EQ(sample.skip_cause, SkipCause::kNotPossible);
  EXPECT_EQ(sample.disturbed, std::nullopt);
  EXPECT_EQ(sample.cell.depth, 32u);
}

TEST_F(EngineWithoutDevicesTest, AMissingPlaceIsSkipped) {
  const NicKey nic = machine_.nics[0].key();
  const Sample node = engine_->Measure(CellOf(nic, MemoryPlace::NumaNode(7)));
  EXPECT_EQ(node.status, SampleStatus::kSkipped);
  EXPECT_EQ(node.reason, "this machine has no memory on NUMA node 7");
  const Sample gpu = engine_->Measure(CellOf(nic, MemoryPlace::Gpu(PciAddress{0, 1, 2, 3})));
  EXPECT_EQ(gpu.status, SampleStatus::kSkipped);
  EXPECT_EQ(gpu.reason, "this machine has no GPU at 0000:01:02.3");
}

TEST_F(EngineWithoutDevicesTest, AGpuWithoutCudaIsSkipped) {
  const auto gpu = MemoryPlace::Gpu(machine_.gpus[0].position.address);
  const Sample sample = engine_->Measure(CellOf(machine_.nics[0].key(), gpu));
  EXPECT_EQ(sample.status, SampleStatus::kSkipped);
  EXPECT_EQ(sample.reason,
            "CUDA does not show the GPU at " + gpu.gpu.ToString() + ": no CUDA driver here");
}

TEST_F(EngineWithoutDevicesTest, ADeviceThatDoesNotOpenFailsAndTheOthersGoOn) {
  Plan plan;
  for (size_t i : {0u, 1u}) {
    plan.windows.push_back({CellOf(machine_.nics[i].key(), MemoryPlace::NumaNode(0)), 0});
  }
  std::vector<Sample> samples;
  engine_->MeasureAll(plan, [&](const Sample& sample) { samples.push_back(sample); });
  ASSERT_EQ(samples.size(), 2u);
  for (size_t i : {0u, 1u}) {
    EXPECT_EQ(samples[i].cell.nic, machine_.nics[i].key());
    EXPECT_EQ(samples[i].status, SampleStatus::kFailed);
    EXPECT_NE(samples[i].reason.find("there is no device of exactly this name"), std::string::npos)
        << samples[i].reason;
    EXPECT_NE(samples[i].partner, NicKey());
    EXPECT_FALSE(samples[i].throughput);
  }
}

TEST_F(EngineWithoutDevicesTest, StopsWhenAsked) {
  Plan plan;
  plan.windows.resize(3, {CellOf(machine_.nics[0].key(), MemoryPlace::NumaNode(0)), 0});
  int asked = 0, seen = 0;
  engine_->MeasureAll(
      plan, [&](const Sample&) { ++seen; }, [&] { return ++asked == 2; });
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace railgauge
