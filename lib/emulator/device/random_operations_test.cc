// 10,000 random steps per seed. A failure names seed and step; to run it again:
//   bazel test --test_env=RAILGAUGE_RANDOM_SEED=7 [--test_env=RAILGAUGE_RANDOM_STEPS=500] …
#include "lib/emulator/device/random_operations.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/result.h"

namespace railgauge::efa {
namespace {

constexpr int kSteps = 10'000;

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

// `otherwise` when the environment names none; the first of them under a sanitizer, which is slow.
std::vector<uint64_t> Seeds(std::vector<uint64_t> otherwise) {
  if (std::getenv("RAILGAUGE_RANDOM_SEED") == nullptr) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    otherwise.resize(1);
#endif
#endif
    return otherwise;
  }
  return {FromEnvironment("RAILGAUGE_RANDOM_SEED", 0)};
}

void RunSeed(TestFabric& rig, uint64_t seed, const RandomOperations::Environment& environment) {
  const auto steps = static_cast<int>(FromEnvironment("RAILGAUGE_RANDOM_STEPS", kSteps));
  RandomOperations operations(rig, seed, environment);
  const std::string failure = operations.Run(steps);
  ASSERT_EQ(failure, "") << "\nagain: --test_env=RAILGAUGE_RANDOM_SEED=" << seed;
  const RandomOperations::Tally& tally = operations.tally();
  const ReferenceModel& model = operations.model();
  std::printf(
      "seed %lu: %lu completions (%lu with an error), %lu objects created, %lu destroyed, %lu "
      "refused, %lu kills; rings that wrapped: %lu SQ, %lu RQ, %lu sub-CQ, residents' at least "
      "%lu times\n",
      seed, model.completions(), model.failed_requests(), tally.created, tally.destroyed,
      tally.refused, tally.kills, tally.wrapped_sqs, tally.wrapped_rqs, tally.wrapped_sub_cqs,
      tally.least_resident_laps);
  if (steps < kSteps) return;
  // The test tests what it says: every ring of those who live long enough wraps, of every kind.
  EXPECT_GE(tally.least_resident_laps, 3u);
  EXPECT_GT(tally.wrapped_sqs, 10u);
  EXPECT_GT(tally.wrapped_rqs, 10u);
  EXPECT_GT(tally.wrapped_sub_cqs, 10u);
  EXPECT_GT(tally.kills, 50u);
  EXPECT_GT(tally.refused, 50u);
  EXPECT_EQ(tally.created, tally.destroyed);
  EXPECT_GT(model.completions(), 2000u);
  EXPECT_GT(model.failed_requests(), 100u);
}

TEST(RandomOperationsTest, OnAClockOfTheTest) {
  for (const uint64_t seed : Seeds({1, 2, 3, 4})) {
    TestFabric rig(RandomOperations::Machine());
    RandomOperations::Environment environment;
    environment.run_until_idle = [&] { rig.RunUntilIdle(); };
    environment.poll = [&](bool advance) {
      const auto next = rig.Poll();
      if (!next || !advance) return;
      rig.Advance(std::max(*next - rig.now(), Nanoseconds(0)));
      rig.Poll();
    };
    RunSeed(rig, seed, environment);
    if (HasFatalFailure()) return;
  }
}

// Polls in a thread of its own; its clock is wherever the next thing is due.
class Poller {
 public:
  explicit Poller(TestFabric& rig) : rig_(rig) {
    rig_.on_wake = [this] {
      const std::lock_guard lock(mutex_);
      woken_ = true;
      changed_.notify_all();
    };
    thread_ = std::thread([this] { Run(); });
  }
  ~Poller() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    thread_.join();
    rig_.on_wake = nullptr;
  }

  void WaitUntilIdle() {
    std::unique_lock lock(mutex_);
    RAILGAUGE_CHECK(
        changed_.wait_for(lock, std::chrono::minutes(1), [&] { return idle_ && !woken_; }));
  }

 private:
  void Run() {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (stop_) return;
        woken_ = idle_ = false;
      }
      if (const auto next = rig_.Poll()) {
        rig_.Advance(std::max(*next - rig_.now(), Nanoseconds(0)));
        continue;
      }
      std::unique_lock lock(mutex_);
      idle_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return woken_ || stop_; });
    }
  }

  TestFabric& rig_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = true, idle_ = false, stop_ = false;
  std::thread thread_;
};

// The same with copies and completions under way in another thread while objects are destroyed.
TEST(RandomOperationsTest, WithAPollerOfItsOwn) {
  for (const uint64_t seed : Seeds({11, 12})) {
    TestFabric rig(RandomOperations::Machine());
    Poller poller(rig);
    RandomOperations::Environment environment;
    environment.run_until_idle = [&] { poller.WaitUntilIdle(); };
    environment.poll = [](bool) { std::this_thread::yield(); };
    environment.events = false;
    RunSeed(rig, seed, environment);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace railgauge::efa
