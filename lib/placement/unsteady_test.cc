#include "lib/placement/unsteady.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr std::string_view kGpu = "gpu:0000:53:00.0";
constexpr const char* kSwitch[] = {"0000:4f:00.0", "0000:50:00.0", "0000:51:00.0", "0000:52:00.0"};

// Nine more windows of the NICs of the first switch at its GPU, at `factor(nic, round)` of the
// line.
template <typename Factor>
void MeasureMore(World& world, Direction direction, Factor factor) {
  for (uint32_t round = 1; round <= 9; ++round) {
    for (const std::string nic : kSwitch) {
      world.Add(world.CellOf(nic, kGpu, Operation::kRead, direction), round,
                12.5e9 * factor(nic, round));
    }
  }
}

std::vector<Finding> Find(const World& world) {
  const Decision nothing;
  return FindUnsteady(Evidence(world.machine, world.census, world.samples, nothing, JudgeGates()));
}

TEST(UnsteadyTest, AQuietMachineHasNone) {
  World world(MakeP5());
  world.noise = 0.02;
  world.Screen();
  MeasureMore(world, Direction::kToMemory,
              [](const auto&, uint32_t round) { return 1 - 0.02 * (round % 3); });
  EXPECT_TRUE(Find(world).empty());
  EXPECT_TRUE(Find(World(Machine())).empty());
}

// None stands out of its class; what they swing by is told of each, once.
TEST(UnsteadyTest, AllThatSwingAlikeAreTold) {
  World world(MakeP5());
  world.Screen();
  constexpr double kSwings[] = {1, 0.8, 0.55, 0.4, 0.3, 0.35, 0.5, 0.75, 0.9};
  for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
    MeasureMore(world, direction, [&](const auto&, uint32_t round) { return kSwings[round - 1]; });
  }
  const std::vector<Finding> findings = Find(world);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].kind, "unsteady");
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[0].nic->address, Pci(kSwitch[0]));
  EXPECT_EQ(findings[0].places, std::vector<MemoryPlace>{MemoryPlace::Parse(kGpu).value()});
  EXPECT_EQ(
      findings[0].evidence.find("READ to_memory, 1MiB at gpu:0000:53:00.0: from 3.75 GB/s to 12.5"),
      0u)
      << findings[0].evidence;
  EXPECT_NE(findings[0].evidence.find("; READ from_memory, 1MiB"), std::string::npos)
      << findings[0].evidence;
}

// One NIC that swings while its like do not is findings.h's.
TEST(UnsteadyTest, WhatStandsOutOfItsClassIsLeftToThatFinding) {
  World world(MakeP5());
  world.Screen();
  MeasureMore(world, Direction::kToMemory, [](const std::string& nic, uint32_t round) {
    return nic == kSwitch[0] ? round % 2 == 0 ? 1 : 0.17 : 1 + 0.001 * (round % 3);
  });
  EXPECT_TRUE(Find(world).empty());
}

}  // namespace
}  // namespace railgauge
