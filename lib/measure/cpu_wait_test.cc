#include "lib/measure/cpu_wait.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

std::optional<Nanoseconds> WaitOf(const std::string& schedstat) {
  const fs::path proc = fs::path(testing::TempDir()) / "cpu_wait_proc";
  fs::create_directories(proc / "thread-self");
  std::ofstream(proc / "thread-self/schedstat") << schedstat;
  return CpuWaitOfThread(proc);
}

TEST(CpuWaitTest, IsTheSecondNumber) {
  EXPECT_EQ(WaitOf("100 2000 3\n"), Nanoseconds{2000});
  EXPECT_EQ(WaitOf("0 0 0\n"), Nanoseconds{0});
}

TEST(CpuWaitTest, AKernelThatDoesNotSayIsUnknown) {
  EXPECT_FALSE(CpuWaitOfThread("/no/such/proc"));
  EXPECT_FALSE(WaitOf("nonsense\n"));
  EXPECT_FALSE(WaitOf("1 x 2\n"));
}

TEST(TolerableCpuWaitTest, IsHalfOfWhatTheQueueCovers) {
  const BytesPerSecond rate{12.5e9};
  EXPECT_EQ(TolerableCpuWait(Bytes{25'000'000}, rate, milliseconds{20}),
            Nanoseconds{1'000'000 + 200'000});
  EXPECT_EQ(TolerableCpuWait(Bytes{1'000'000'000}, rate, milliseconds{20}),
            Nanoseconds{2'000'000 + 200'000});
  EXPECT_EQ(TolerableCpuWait(Bytes{4096}, {0}, milliseconds{0}), Nanoseconds{2'000'000});
}

}  // namespace
}  // namespace railgauge
