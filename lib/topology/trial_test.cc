#include "lib/topology/trial.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kAmple{60'000};

TEST(TrialTest, TellsWhatTheFunctionReturned) {
  EXPECT_EQ(TryInChild([] { return true; }, kAmple), TrialOutcome::kTrue);
  EXPECT_EQ(TryInChild([] { return false; }, kAmple), TrialOutcome::kFalse);
}

TEST(TrialTest, SurvivesItsDeathInSilence) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(TryInChild([]() -> bool { std::abort(); }, kAmple), TrialOutcome::kDied);
  EXPECT_EQ(TryInChild([] { return ::raise(SIGSEGV) == 0; }, kAmple), TrialOutcome::kDied);
  EXPECT_EQ(TryInChild([]() -> bool { ::_exit(0); }, kAmple), TrialOutcome::kDied);
  EXPECT_EQ(TryInChild([] { return std::fputs("noise\n", stderr) >= 0; }, kAmple),
            TrialOutcome::kTrue);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(TrialTest, KillsWhatDoesNotEnd) {
  const auto forever = [] {
    while (true) ::pause();
    return true;
  };
  EXPECT_EQ(TryInChild(forever, milliseconds(50)), TrialOutcome::kLate);
}

TEST(TrialTest, ChangesNothingHere) {
  int value = 1;
  EXPECT_EQ(TryInChild([&] { return ++value == 2; }, kAmple), TrialOutcome::kTrue);
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace railgauge
