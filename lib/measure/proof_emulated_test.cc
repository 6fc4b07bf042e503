// Each way in which a window can be contradicted, on an emulated machine that has the fault: the
// sample has the status that the second argument names. Status and fault are paired in BUILD.bazel.
#include <cstdio>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "lib/emulator/launcher/restart.h"
#include "lib/measure/engine.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

std::optional<SampleStatus> expected_status;

TEST(ProofEmulatedTest, TheFaultHasItsStatus) {
  const auto machine = LoadLiveMachine();
  ASSERT_TRUE(machine) << machine.error().ToString();
  const auto cuda = CudaDriver::Open();
  ASSERT_TRUE(cuda) << cuda.error().ToString();
  const auto engine = Engine::Create(*machine, *cuda);
  ASSERT_TRUE(engine) << engine.error().ToString();
  // Long enough that what is in flight is little of it, which a ceiling allows for.
  WindowRequest request;
  request.timing = {std::chrono::milliseconds{10}, std::chrono::milliseconds{200}};
  const auto deadline = MeasuringClock::now() + std::chrono::minutes(2);
  for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      Cell cell;
      cell.nic = machine->nics[0].key();
      cell.place = MemoryPlace::NumaNode(0);
      cell.operation = operation;
      cell.direction = direction;
      cell.size = Bytes{1 << 20};
      if (*expected_status == SampleStatus::kAboveCeiling) {
        // Deep and long, so that a thread that seldom has its CPU finds much whenever it does.
        cell.depth = 256;
        request.min_completions = 1500;
      }
      Sample sample = (*engine)->Measure(cell, request);
      // A rate is one only on a host that has time.
      while (sample.status != *expected_status && sample.disturbed == true &&
             MeasuringClock::now() < deadline) {
        sample = (*engine)->Measure(cell, request);
      }
      SCOPED_TRACE(std::string(ToString(operation)) + " " + std::string(ToString(direction)));
      EXPECT_EQ(ToString(sample.status), ToString(*expected_status)) << sample.reason;
      if (IsMeasured(*expected_status)) {
        EXPECT_EQ(sample.retransmitted_bytes, 0u);
        const auto posted = static_cast<double>(sample.posted_bytes.value_or(0));
        EXPECT_NEAR(static_cast<double>(sample.counter_bytes.value_or(0)), posted, 0.005 * posted);
      } else {
        EXPECT_FALSE(sample.reason.empty());
      }
      // No table knows this type; twice the port's rate bounds it.
      EXPECT_TRUE(sample.line_rate);
      // What is no evidence is told with its figures nevertheless.
      EXPECT_GT(sample.throughput.value_or(BytesPerSecond{}).value, 0);
    }
  }
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  railgauge::RestartOnEmulatedMachine(&argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (argc == 2) railgauge::expected_status = railgauge::ParseSampleStatus(argv[1]);
  if (!railgauge::expected_status) {
    std::fprintf(stderr, "usage: %s --emulate=SPEC STATUS\n", argv[0]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
