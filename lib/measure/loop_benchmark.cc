// What the loop itself costs, against queues that cost next to nothing (StubNic): nanoseconds and
// instructions per work request.
//
//   bazel run --config=opt //lib/measure:loop_benchmark
//
// A row is loop/OPERATION/depth:D. Time is CPU time per request. The instructions are counted, not
// sampled (step_count_testutil.h), in the middle of a window: loop_instructions are the loop's own
// with the inline part of verbs.h, stub_instructions those of the queues, clock_instructions those
// of the C library and the vDSO. At 64 completions a pass a clock read is shared by 64 requests.
#include <benchmark/benchmark.h>

#include "fmt/core.h"
#include "lib/measure/loop.h"
#include "lib/measure/step_count_testutil.h"
#include "lib/measure/stub_nic_testutil.h"

namespace railgauge {
namespace {

constexpr uint64_t kFirstPass = 40, kLastPass = 72;

// Requests completed at the marks, told by the child that is stepped through.
struct Shared {
  StubNic* nic = nullptr;
  uint64_t at_first = 0, at_last = 0;
};
Shared shared;

void Mark(uint64_t pass) {
  if (pass == kFirstPass) {
    shared.at_first = shared.nic->completions();
    BeginSteps();
  }
  if (pass == kLastPass) EndSteps();
}

void NoteLast(uint64_t pass) {
  if (pass == kFirstPass) shared.at_first = shared.nic->completions();
  if (pass == kLastPass) shared.at_last = shared.nic->completions();
}

// Exactly `requests` of them, all of them inside the window.
void RunOnStub(Operation operation, uint32_t depth, uint64_t requests, void (*at_pass)(uint64_t),
               benchmark::State* state) {
  StubNic nic;
  nic.at_pass = at_pass;
  shared.nic = &nic;
  LoopSetup setup = nic.Setup(depth, ~uint64_t{0});
  setup.max_requests = requests;
  const LoopResult result = RunLoop(operation, setup);
  if (state != nullptr &&
      (result.failure != LoopResult::Failure::kNone || result.completed != requests)) {
    state->SkipWithError("the loop did not end as it should");
  }
}

void CountInstructions(Operation operation, uint32_t depth, benchmark::State& state) {
  constexpr uint64_t kEnough = 64 * (kLastPass + 20);
  // The same run twice: once for the requests between the marks, once stepped through.
  RunOnStub(operation, depth, kEnough, &NoteLast, &state);
  const auto requests = static_cast<double>(shared.at_last - shared.at_first);
  const auto steps =
      CountSteps([&] { RunOnStub(operation, depth, kEnough, &Mark, nullptr); }, &StubNic::Contains);
  if (!steps) return state.SkipWithError(steps.error().ToString());
  const auto per_request = [&](uint64_t count) { return static_cast<double>(count) / requests; };
  state.counters["instructions_per_request"] = per_request(steps->instructions);
  state.counters["loop_instructions"] = per_request(steps->in_program);
  state.counters["stub_instructions"] = per_request(steps->in_excluded);
  state.counters["clock_instructions"] =
      per_request(steps->instructions - steps->in_program - steps->in_excluded);
}

void BM_Loop(benchmark::State& state, Operation operation, uint32_t depth) {
  constexpr uint64_t kBatch = 1 << 16;
  while (state.KeepRunningBatch(kBatch)) {
    RunOnStub(operation, depth, kBatch, nullptr, &state);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
  CountInstructions(operation, depth, state);
}

void Register() {
  for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
    for (const uint32_t depth : {1u, 32u, 128u, 512u}) {
      benchmark::RegisterBenchmark(
          fmt::format("loop/{}/depth:{}", ToString(operation), depth),
          [=](benchmark::State& state) { BM_Loop(state, operation, depth); });
    }
  }
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  railgauge::Register();
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
