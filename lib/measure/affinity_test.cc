#include "lib/measure/affinity.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

std::vector<uint32_t> AllowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<uint32_t> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

TEST(ThreadAffinityTest, MovesTheThreadAndPutsItBack) {
  const std::vector<uint32_t> before = AllowedCpus();
  ASSERT_FALSE(before.empty());
  {
    ThreadAffinity affinity;
    const std::vector<uint32_t> one = {before.back()};
    ASSERT_TRUE(affinity.PinTo(one));
    EXPECT_EQ(AllowedCpus(), one);
    EXPECT_EQ(sched_getcpu(), static_cast<int>(before.back()));
  }
  EXPECT_EQ(AllowedCpus(), before);
}

TEST(ThreadAffinityTest, CpusThatAreNotThereAreAnErrorAndChangeNothing) {
  const std::vector<uint32_t> before = AllowedCpus();
  ThreadAffinity affinity;
  const Status far = affinity.PinTo(std::vector<uint32_t>{8000});
  ASSERT_FALSE(far);
  EXPECT_NE(far.error().ToString().find("EINVAL"), std::string::npos);
  EXPECT_FALSE(affinity.PinTo({}));
  EXPECT_EQ(AllowedCpus(), before);
}

}  // namespace
}  // namespace railgauge
