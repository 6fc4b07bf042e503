// Latencies of single messages on an emulated machine: no message is faster than the scenario's
// base latency, and what was exchanged is proven by both devices' counters.
#include <string>

#include "gtest/gtest.h"
#include "lib/emulator/launcher/restart.h"
#include "lib/measure/emulated_engine_testutil.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;

class LatencyEmulatedTest : public EmulatedEngineTest {
 protected:
  Cell CellOf(Operation operation, Direction direction) const {
    Cell cell;
    cell.nic = machine_.nics[0].key();
    cell.place = MemoryPlace::NumaNode(0);
    cell.operation = operation;
    cell.direction = direction;
    cell.size = Bytes{4096};
    return cell;
  }

  Sample Measure(Operation operation, Direction direction) {
    WindowRequest request;
    request.latency = true;
    request.timing = {milliseconds{2}, milliseconds{60}};
    return engine_->Measure(CellOf(operation, direction), request);
  }
};

TEST_F(LatencyEmulatedTest, NoMessageIsFasterThanTheModel) {
  for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
    const Sample sample = Measure(operation, Direction::kFromMemory);
    ASSERT_EQ(sample.status, SampleStatus::kOk) << sample.reason;
    EXPECT_EQ(sample.counter_bytes, sample.posted_bytes);
    EXPECT_EQ(sample.cell.depth, 1u);
    ASSERT_TRUE(sample.latency_min && sample.latency_p50 && sample.latency_max);
    EXPECT_GE(*sample.latency_min, scenario_.base_latency);
    EXPECT_LE(*sample.latency_min, *sample.latency_p50);
    EXPECT_LE(*sample.latency_p50, *sample.latency_p99);
    EXPECT_LE(*sample.latency_p99, *sample.latency_max);
    // Nothing else is in a window of exchanges, each of two messages.
    const int64_t messages = operation == Operation::kRead ? 1 : 2;
    const Nanoseconds mean = sample.duration / static_cast<int64_t>(sample.completions) / messages;
    EXPECT_LE(*sample.latency_min, mean);
    EXPECT_GE(*sample.latency_max, mean * 9 / 10);
    // One message at a time is no load.
    EXPECT_FALSE(sample.throughput);
    EXPECT_FALSE(sample.interval_count);
    EXPECT_GT(sample.messages_per_second.value_or(0), 0);
    RecordProperty(std::string(ToString(operation)) + "_p50_ns",
                   std::to_string(sample.latency_p50->count()));
  }
}

TEST_F(LatencyEmulatedTest, ARoundTripHasNoOtherDirection) {
  const Sample sample = Measure(Operation::kWrite, Direction::kToMemory);
  EXPECT_EQ(sample.status, SampleStatus::kSkipped);
  EXPECT_EQ(sample.skip_cause, SkipCause::kNotPossible);
  EXPECT_NE(sample.reason.find("half of a round trip"), std::string::npos) << sample.reason;
}

TEST_F(LatencyEmulatedTest, ExchangesAndWindowsTakeTurns) {
  for (int i = 0; i < 3; ++i) {
    const Sample timed = Measure(Operation::kWrite, Direction::kFromMemory);
    EXPECT_EQ(timed.status, SampleStatus::kOk) << timed.reason;
    const Sample sample = engine_->Measure(CellOf(Operation::kWrite, Direction::kFromMemory), {});
    EXPECT_EQ(sample.status, SampleStatus::kOk) << sample.reason;
    EXPECT_TRUE(sample.throughput);
  }
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  railgauge::RestartOnEmulatedMachine(&argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
