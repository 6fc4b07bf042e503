// EmulatedEngineTest: the engine on the emulated machine of --emulate, and the scenario that it is,
// to hold against each other.
#ifndef RAILGAUGE_LIB_MEASURE_EMULATED_ENGINE_TESTUTIL_H_
#define RAILGAUGE_LIB_MEASURE_EMULATED_ENGINE_TESTUTIL_H_

#include <memory>

#include "gtest/gtest.h"
#include "lib/measure/engine.h"
#include "lib/scenario/emulated_machine.h"
#include "lib/topology/machine.h"

namespace railgauge {

class EmulatedEngineTest : public testing::Test {
 protected:
  void SetUp() override;

  Machine machine_;
  EmulatedMachine scenario_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_EMULATED_ENGINE_TESTUTIL_H_
