#include "lib/emulator/preload/thread_affinity.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <initializer_list>

namespace railgauge {
namespace {

IndexSet Cpus(std::initializer_list<uint32_t> cpus) {
  IndexSet set;
  for (const uint32_t cpu : cpus) set.Add(cpu);
  return set;
}

TEST(ThreadAffinity, StartsWithAllAndKeepsWhatIsSet) {
  ThreadAffinity affinity(Cpus({0, 1, 95, 191}));
  const ThreadAffinity::Thread one = {.id = 7, .handle = 70};
  EXPECT_EQ(affinity.Get(one), Cpus({0, 1, 95, 191}));
  EXPECT_EQ(affinity.Set(one, Cpus({95, 500})), 0);
  EXPECT_EQ(affinity.Get(one), Cpus({95}));
  EXPECT_EQ(affinity.Get({.id = 8, .handle = {}}), Cpus({0, 1, 95, 191}));
  EXPECT_EQ(affinity.Set(one, Cpus({500})), -EINVAL);
  EXPECT_EQ(affinity.Get(one), Cpus({95}));
}

TEST(ThreadAffinity, TheLaterNameOfAThreadCounts) {
  ThreadAffinity affinity(Cpus({0, 1, 2}));
  affinity.Set({.id = {}, .handle = 70}, Cpus({1}));
  EXPECT_EQ(affinity.Get({.id = 7, .handle = 70}), Cpus({1}));
  affinity.Set({.id = 7, .handle = {}}, Cpus({2}));
  EXPECT_EQ(affinity.Get({.id = 7, .handle = 70}), Cpus({2}));
}

TEST(IndexSet, Masks) {
  const unsigned long words[] = {1, 1ul << 63};
  const IndexSet set = IndexSet::FromMask(words, 128);
  EXPECT_EQ(set, Cpus({0, 127}));
  EXPECT_EQ(IndexSet::FromMask(words, 127), Cpus({0}));
  unsigned long back[3] = {9, 9, 9};
  set.ToMask(back, sizeof back);
  EXPECT_EQ(back[0], 1u);
  EXPECT_EQ(back[1], 1ul << 63);
  EXPECT_EQ(back[2], 0u);
  EXPECT_EQ(set.At(1), 127u);
  EXPECT_FALSE(set.At(2).has_value());
}

}  // namespace
}  // namespace railgauge
