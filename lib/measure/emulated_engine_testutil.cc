#include "lib/measure/emulated_engine_testutil.h"

#include <utility>

#include "lib/base/runfiles.h"
#include "lib/memory/cuda_driver.h"
#include "lib/scenario/load.h"
#include "lib/topology/load.h"

namespace railgauge {

void EmulatedEngineTest::SetUp() {
  auto machine = LoadLiveMachine();
  ASSERT_TRUE(machine) << machine.error().ToString();
  machine_ = *std::move(machine);
  const auto folder = FindDataFile("scenarios");
  ASSERT_TRUE(folder) << folder.error().ToString();
  auto scenario = LoadSpec(machine_.instance_type, *folder);
  ASSERT_TRUE(scenario) << scenario.error().ToString();
  scenario_ = *std::move(scenario);
  auto cuda = CudaDriver::Open();
  ASSERT_TRUE(cuda) << cuda.error().ToString();
  auto engine = Engine::Create(machine_, *cuda);
  ASSERT_TRUE(engine) << engine.error().ToString();
  engine_ = *std::move(engine);
}

}  // namespace railgauge
