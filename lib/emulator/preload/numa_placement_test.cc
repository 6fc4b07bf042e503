#include "lib/emulator/preload/numa_placement.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>

#include <cerrno>
#include <set>

namespace railgauge {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kBase = uint64_t{1} << 32;
constexpr uint64_t kUnmapped = uint64_t{1} << 40;

std::set<uint64_t> g_resident;

bool Probe(uint64_t address, std::vector<bool>* resident) {
  if (address >= kUnmapped) return false;
  for (size_t i = 0; i < resident->size(); ++i) {
    (*resident)[i] = g_resident.contains(address + i * kPage);
  }
  return true;
}

EmulatedMachine TwoNodes() {
  EmulatedMachine machine;
  machine.numa_nodes.resize(3);
  for (uint32_t i = 0; i < 3; ++i) machine.numa_nodes[i].index = i;
  machine.numa_nodes[0].cpus = {0, 1, 4, 5};
  machine.numa_nodes[1].cpus = {2, 3, 6, 7};
  machine.numa_nodes[0].memory = machine.numa_nodes[1].memory = Bytes{1u << 30};  // 2 has none
  return machine;
}

class NumaPlacementTest : public testing::Test {
 protected:
  NumaPlacementTest() { g_resident.clear(); }

  int Bind(uint64_t pages, int mode, unsigned long mask, unsigned flags = 0) {
    return placement_.Bind(kBase, pages * kPage, mode, &mask, 64, flags, 0, {});
  }
  std::vector<uint32_t> Nodes(uint64_t pages, uint32_t here = 0) {
    std::vector<uint32_t> nodes;
    for (const auto& run : placement_.RunsOf(kBase, pages * kPage, here, {})) {
      nodes.insert(nodes.end(), run.length / kPage, run.node);
    }
    return nodes;
  }

  NumaPlacement placement_{TwoNodes(), Probe};
};

using List = std::vector<uint32_t>;

TEST_F(NumaPlacementTest, UnplacedMemoryIsWhereTheThreadIs) {
  EXPECT_EQ(Nodes(2, 0), (List{0, 0}));
  EXPECT_EQ(Nodes(2, 1), (List{1, 1}));
  NumaPolicy policy;
  const unsigned long one = 2;
  ASSERT_EQ(placement_.SetThreadPolicy(MPOL_BIND, &one, 64, &policy), 0);
  EXPECT_EQ(placement_.RunsOf(kBase, kPage, 0, policy).front().node, 1u);
}

TEST_F(NumaPlacementTest, BindAndPreferred) {
  ASSERT_EQ(Bind(2, MPOL_BIND, 2), 0);
  EXPECT_EQ(Nodes(3), (List{1, 1, 0}));
  ASSERT_EQ(Bind(1, MPOL_PREFERRED, 1), 0);
  EXPECT_EQ(Nodes(3, 1), (List{0, 1, 1}));
  ASSERT_EQ(Bind(3, MPOL_BIND, 3), 0);  // either: the near one
  EXPECT_EQ(Nodes(3, 1), (List{1, 1, 1}));
  ASSERT_EQ(Bind(3, MPOL_DEFAULT, 0), 0);
  EXPECT_EQ(Nodes(3, 1), (List{1, 1, 1}));
}

TEST_F(NumaPlacementTest, InterleaveAlternatesPages) {
  ASSERT_EQ(Bind(4, MPOL_INTERLEAVE, 3), 0);
  EXPECT_EQ(Nodes(5), (List{0, 1, 0, 1, 0}));
}

TEST_F(NumaPlacementTest, PagesThatAreThereStayUnlessMoved) {
  g_resident = {kBase + kPage};
  ASSERT_EQ(Bind(3, MPOL_BIND, 2), 0);
  EXPECT_EQ(Nodes(3), (List{1, 0, 1}));
  EXPECT_EQ(Bind(3, MPOL_BIND, 2, MPOL_MF_STRICT), -EIO);
  ASSERT_EQ(Bind(3, MPOL_BIND, 2, MPOL_MF_MOVE), 0);
  EXPECT_EQ(Nodes(3), (List{1, 1, 1}));
}

TEST_F(NumaPlacementTest, RefusesWhatTheKernelRefuses) {
  EXPECT_EQ(Bind(1, MPOL_BIND, 0), -EINVAL);
  EXPECT_EQ(Bind(1, MPOL_BIND, 1ul << 2), -EINVAL);   // a node without memory
  EXPECT_EQ(Bind(1, MPOL_BIND, 1ul << 40), -EINVAL);  // no such node
  EXPECT_EQ(Bind(1, MPOL_DEFAULT, 1), -EINVAL);
  EXPECT_EQ(Bind(1, 99, 1), -EINVAL);
  EXPECT_EQ(Bind(1, MPOL_BIND, 1, 0x80), -EINVAL);
  const unsigned long one = 2;
  EXPECT_EQ(placement_.Bind(kBase + 1, kPage, MPOL_BIND, &one, 64, 0, 0, {}), -EINVAL);
  EXPECT_EQ(placement_.Bind(kUnmapped, kPage, MPOL_BIND, &one, 64, 0, 0, {}), -EFAULT);
}

TEST_F(NumaPlacementTest, MovePagesAsksAndMoves) {
  g_resident = {kBase, kBase + kPage};
  ASSERT_EQ(Bind(1, MPOL_BIND, 2, MPOL_MF_MOVE), 0);
  const uint64_t pages[] = {kBase + 5, kBase + kPage, kBase + 2 * kPage, kUnmapped};
  int status[4] = {};
  ASSERT_EQ(placement_.MovePages(4, pages, nullptr, status, 0, 0, {}), 0);
  EXPECT_EQ(status[0], 1);
  EXPECT_EQ(status[1], 0);
  EXPECT_EQ(status[2], -ENOENT);
  EXPECT_EQ(status[3], -EFAULT);
  const int to[] = {0, 1};
  ASSERT_EQ(placement_.MovePages(2, pages, to, status, MPOL_MF_MOVE, 0, {}), 0);
  EXPECT_EQ(Nodes(2), (List{0, 1}));
  const int nowhere[] = {2};
  EXPECT_EQ(placement_.MovePages(1, pages, nowhere, status, MPOL_MF_MOVE, 0, {}), -ENODEV);
}

TEST_F(NumaPlacementTest, GetPolicy) {
  ASSERT_EQ(Bind(1, MPOL_BIND, 2), 0);
  int mode = -1;
  unsigned long mask = 0;
  EXPECT_EQ(placement_.GetPolicy(&mode, &mask, 64, kBase, MPOL_F_ADDR, 0, {}), 0);
  EXPECT_EQ(mode, MPOL_BIND);
  EXPECT_EQ(mask, 2u);
  EXPECT_EQ(placement_.GetPolicy(&mode, nullptr, 0, kBase, MPOL_F_ADDR | MPOL_F_NODE, 0, {}), 0);
  EXPECT_EQ(mode, 1);
  EXPECT_EQ(placement_.GetPolicy(nullptr, &mask, 64, 0, MPOL_F_MEMS_ALLOWED, 0, {}), 0);
  EXPECT_EQ(mask, 3u);
  EXPECT_EQ(placement_.GetPolicy(nullptr, &mask, 2, 0, MPOL_F_MEMS_ALLOWED, 0, {}), -EINVAL);
}

TEST_F(NumaPlacementTest, ANewMappingForgets) {
  ASSERT_EQ(Bind(3, MPOL_BIND, 2), 0);
  placement_.Forget(kBase + kPage, kPage);
  EXPECT_EQ(Nodes(3), (List{1, 0, 1}));
}

TEST_F(NumaPlacementTest, Cpus) {
  EXPECT_EQ(placement_.NodeOfCpu(6), 1u);
  EXPECT_EQ(placement_.NodeOfCpu(99), 0u);
  EXPECT_EQ(placement_.cpus().size(), 8u);
}

}  // namespace
}  // namespace railgauge
