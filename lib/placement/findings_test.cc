#include "lib/placement/findings.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr std::string_view kGpu = "gpu:0000:53:00.0";

// A world, its classes and what is found in them.
struct Found {
  explicit Found(const World& world)
      : table(world.samples),
        relations(world.census),
        classes(table, relations, JudgeGates()),
        findings(classes, JudgeGates()) {}

  const CellFindings& At(std::string_view nic, std::string_view place = kGpu) const {
    const Dimension read = {Operation::kRead, Direction::kToMemory};
    return findings.Of(*table.Find(Pci(nic), *MemoryPlace::Parse(place), read));
  }

  CellTable table;
  Relations relations;
  SpeedClasses classes;
  Findings findings;
};

// Nine windows more of the four NICs of the first switch at its GPU.
void MeasureSwitch(World& world, double factor_of_4f_in_odd_rounds = 1) {
  for (uint32_t round = 1; round <= 9; ++round) {
    for (const char* nic : {"0000:4f:00.0", "0000:50:00.0", "0000:51:00.0", "0000:52:00.0"}) {
      const bool odd = std::string(nic) == "0000:4f:00.0" && round % 2 == 1;
      world.Add(world.CellOf(nic, kGpu, Operation::kRead, Direction::kToMemory), round,
                12.5e9 * (odd ? factor_of_4f_in_odd_rounds : 1) * (1 + 0.001 * (round % 3)));
    }
  }
}

TEST(FindingsTest, QuietWindowsHaveNone) {
  World world(MakeP5());
  world.noise = 0.01;
  world.Screen();
  MeasureSwitch(world);
  const Found found(world);
  for (const MeasuredCell& cell : found.table.cells()) {
    EXPECT_EQ(found.findings.Of(cell).Names(), "");
  }
}

TEST(FindingsTest, TwoSpeedsOfACell) {
  World world(MakeP5());
  world.Screen();
  MeasureSwitch(world, 0.17);
  const Found found(world);
  const CellFindings& findings = found.At("0000:4f:00.0");
  EXPECT_EQ(findings.Names(), "two_speeds");
  ASSERT_TRUE(findings.two_speeds);
  EXPECT_NEAR(findings.two_speeds->low, 2.125e9, 0.05e9);
  EXPECT_NEAR(findings.two_speeds->high, 12.5e9, 0.1e9);
  EXPECT_EQ(NameBoth(*findings.two_speeds, "windows"),
            "2.13 GB/s in 5 of 10 windows and 12.51 GB/s in the others");
  EXPECT_EQ(found.At("0000:50:00.0").Names(), "");
}

TEST(FindingsTest, SpeedsThatAreNearChangeNothing) {
  World world(MakeP5());
  world.Screen();
  MeasureSwitch(world, 0.95);
  EXPECT_EQ(Found(world).At("0000:4f:00.0").two_speeds, std::nullopt);
}

// Half of the switches are slow to their own GPU: no member is an outlier, the class has two modes.
TEST(FindingsTest, AClassOfTwoSpeeds) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation relation) {
    const bool slow = relation == Relation::kSameSwitch && cell.nic.address > Pci("0000:90:00.0");
    return World::NearIsFast(cell, relation) * (slow ? 0.5 : 1);
  };
  world.Screen();
  const Found found(world);
  const CellFindings& findings = found.At("0000:4f:00.0");
  EXPECT_EQ(findings.Names(), "class_of_two_speeds");
  EXPECT_EQ(findings.class_two_speeds->low_count, 16u);
  EXPECT_EQ(findings.class_two_speeds->count, 32u);
  EXPECT_EQ(found.At("0000:93:00.0", "gpu:0000:97:00.0").Names(), "class_of_two_speeds");
  EXPECT_EQ(found.At("0000:4f:00.0", "numa0").Names(), "");
}

TEST(FindingsTest, ASpreadUnlikeTheClass) {
  World world(MakeP5());
  world.Screen();
  MeasureSwitch(world);
  // Evenly from 10 to 15 GB/s: wide, and one mode.
  for (Sample& sample : world.samples) {
    if (sample.round == 0 || sample.cell.nic.address != Pci("0000:4f:00.0")) continue;
    sample.throughput = BytesPerSecond{10e9 + 0.55e9 * sample.round};
  }
  const Found found(world);
  EXPECT_EQ(found.At("0000:4f:00.0").Names(), "wide_spread");
  EXPECT_GT(*found.At("0000:4f:00.0").spread_factor, 3);
  EXPECT_EQ(found.At("0000:50:00.0").Names(), "");
}

}  // namespace
}  // namespace railgauge
