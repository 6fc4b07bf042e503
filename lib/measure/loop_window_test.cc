// Inside a window the loop reads the clock, and does nothing else that could take a time of its
// own: no allocation, no lock, no system call. Counted, not believed (step_count_testutil.h).
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "gtest/gtest.h"
#include "lib/measure/answer_loop.h"
#include "lib/measure/latency_histogram.h"
#include "lib/measure/loop.h"
#include "lib/measure/step_count_testutil.h"
#include "lib/measure/stub_nic_testutil.h"

namespace railgauge {
namespace {

// The passes that are counted lie well inside the window, which is open from the first pass on and
// has more completions to come at the last one.
constexpr uint64_t kFirstPass = 40, kLastPass = 46;
constexpr uint64_t kCompletions = 64 * 100;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void* volatile kept = nullptr;  // so that no compiler leaves an allocation out

void Mark(uint64_t pass) {
  if (pass == kFirstPass) BeginSteps();
  if (pass == kLastPass) EndSteps();
}

StepCount CountOf(Operation operation, uint32_t depth, void (*at_pass)(uint64_t)) {
  const auto steps = CountSteps(
      [&] {
        StubNic nic;
        nic.at_pass = at_pass;
        const LoopSetup setup = nic.Setup(depth, kCompletions);
        (void)RunLoop(operation, setup);
      },
      &StubNic::Contains);
  EXPECT_TRUE(steps) << steps.error().ToString();
  return steps ? *steps : StepCount{};
}

std::string Describe(const StepCount& steps) {
  std::string text;
  for (const auto& [number, count] : steps.system_calls) {
    text += " system call " + std::to_string(number) + " x " + std::to_string(count);
  }
  for (const auto& [name, count] : steps.forbidden_calls) {
    text += " " + name + " x " + std::to_string(count);
  }
  return text;
}

class LoopWindowTest : public testing::TestWithParam<std::tuple<Operation, uint32_t>> {};

TEST_P(LoopWindowTest, NothingButTheClockIsCalled) {
  const auto [operation, depth] = GetParam();
  StepCount steps = CountOf(operation, depth, &Mark);
  EXPECT_GT(steps.in_program, 0u);
  EXPECT_GT(steps.in_excluded, 0u);
  // Where the vDSO cannot tell the time the clock is a system call, and that one is allowed.
  steps.system_calls.erase(SYS_clock_gettime);
  EXPECT_TRUE(steps.system_calls.empty() && steps.forbidden_calls.empty()) << Describe(steps);
  std::printf("%s, depth %u: %llu instructions in %llu passes\n", ToString(operation).data(), depth,
              static_cast<unsigned long long>(steps.instructions),
              static_cast<unsigned long long>(kLastPass - kFirstPass));
}

// The same of both ends of an exchange of WRITEs with immediate.
void ExpectNothingButTheClock(const std::function<void()>& body, const char* what) {
  auto counted = CountSteps(body, &StubNic::Contains);
  ASSERT_TRUE(counted) << counted.error().ToString();
  counted->system_calls.erase(SYS_clock_gettime);
  EXPECT_GT(counted->in_program, 0u);
  EXPECT_TRUE(counted->system_calls.empty() && counted->forbidden_calls.empty())
      << Describe(*counted);
  std::printf("%s: %llu instructions in %llu passes\n", what,
              static_cast<unsigned long long>(counted->instructions),
              static_cast<unsigned long long>(kLastPass - kFirstPass));
}

TEST(ExchangeWindowTest, NothingButTheClockIsCalledByTheEndThatAsks) {
  LatencyHistogram latencies;
  ExpectNothingButTheClock(
      [&] {
        StubNic nic;
        nic.at_pass = &Mark;
        (void)RunLoop(Operation::kWrite, nic.ExchangeSetup(kCompletions, &latencies));
      },
      "ask");
}

std::atomic<bool> stop_answering{false};

TEST(ExchangeWindowTest, NothingButTheClockIsCalledByTheEndThatAnswers) {
  ExpectNothingButTheClock(
      [] {
        StubNic nic;
        nic.at_pass = [](uint64_t pass) {
          Mark(pass);
          if (pass > kLastPass + 10) stop_answering = true;
        };
        (void)RunAnswerLoop(nic.AnsweringSetup(&stop_answering));
      },
      "answer");
}

INSTANTIATE_TEST_SUITE_P(Shapes, LoopWindowTest,
                         testing::Combine(testing::Values(Operation::kRead, Operation::kWrite),
                                          testing::Values(1u, 32u, 512u)));

// What the test above would say of a loop that did such a thing in every pass: here the queue does
// it in the loop's place, which the count cannot tell apart.

TEST(LoopWindowViolationTest, AnAllocationIsSeen) {
  const StepCount steps = CountOf(Operation::kRead, 32, [](uint64_t pass) {
    Mark(pass);
    void* block = std::malloc(100);
    kept = block;
    std::free(block);
  });
  EXPECT_EQ(steps.forbidden_calls.at("malloc"), kLastPass - kFirstPass) << Describe(steps);
  EXPECT_EQ(steps.forbidden_calls.at("free"), kLastPass - kFirstPass) << Describe(steps);
}

TEST(LoopWindowViolationTest, AnAllocationByNewIsSeen) {
  const StepCount steps = CountOf(Operation::kRead, 32, [](uint64_t pass) {
    Mark(pass);
    auto* number = new uint64_t(pass);
    kept = number;
    delete number;
  });
  EXPECT_FALSE(steps.forbidden_calls.empty()) << Describe(steps);
}

TEST(LoopWindowViolationTest, ALockIsSeen) {
  const StepCount steps = CountOf(Operation::kWrite, 32, [](uint64_t pass) {
    Mark(pass);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  });
  EXPECT_EQ(steps.forbidden_calls.at("pthread_mutex_lock"), kLastPass - kFirstPass)
      << Describe(steps);
}

TEST(LoopWindowViolationTest, ASystemCallIsSeen) {
  const StepCount steps = CountOf(Operation::kRead, 512, [](uint64_t pass) {
    Mark(pass);
    if (pass % 2 == 0) (void)getppid();
  });
  EXPECT_EQ(steps.system_calls.at(SYS_getppid), (kLastPass - kFirstPass) / 2) << Describe(steps);
}

}  // namespace
}  // namespace railgauge
