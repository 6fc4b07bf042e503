#include "lib/placement/variance.h"

#include <map>
#include <string>

#include "gtest/gtest.h"
#include "lib/placement/all_findings.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr std::string_view kGpu = "gpu:0000:53:00.0";
constexpr char kNic[] = "0000:4f:00.0";
constexpr const char* kSwitch[] = {kNic, "0000:50:00.0", "0000:51:00.0", "0000:52:00.0"};

// 20 more windows of the NICs of the first switch at its GPU, READ, at `factor(nic, round)` of the
// line.
template <typename Factor>
void MeasureMore(World& world, Direction direction, Factor factor) {
  for (uint32_t round = 1; round <= 20; ++round) {
    for (const std::string nic : kSwitch) {
      world.Add(world.CellOf(nic, kGpu, Operation::kRead, direction), round,
                12.5e9 * factor(nic, round));
    }
  }
}

double Steady(uint32_t round) { return 1 - 0.0005 * round; }
double OfTwoSpeeds(uint32_t round) { return (round % 2 == 0 ? 0.4 : 1) - 0.001 * round; }
double Swinging(uint32_t round) { return 0.7 + 0.03 * ((7 * round) % 20); }

// How many findings of each kind there are of what varies.
std::map<std::string, int> Kinds(const World& world) {
  std::map<std::string, int> kinds;
  for (const Finding& finding : AllFindings(world.machine, world.census, world.samples, nullptr)) {
    ++kinds[finding.kind];
  }
  return kinds;
}

using Expected = std::map<std::string, int>;

World MakeWorld() {
  World world(MakeP5());
  world.speed = [](const Cell&, Relation) { return 12.5e9; };
  world.Screen();
  return world;
}

TEST(VarianceTest, TwoSpeedsInBothDirectionsAreOneFinding) {
  World world = MakeWorld();
  for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
    MeasureMore(world, direction, [](const std::string& nic, uint32_t round) {
      return nic == kNic ? OfTwoSpeeds(round) : Steady(round);
    });
  }
  EXPECT_EQ(Kinds(world), (Expected{{"two_speeds", 1}}));
}

TEST(VarianceTest, TwoSpeedsBesideASwingAreOneFindingThatNamesBoth) {
  World world = MakeWorld();
  MeasureMore(world, Direction::kToMemory, [](const std::string& nic, uint32_t round) {
    return nic == kNic ? OfTwoSpeeds(round) : Steady(round);
  });
  // All alike, so that no spread is wide for its class.
  MeasureMore(world, Direction::kFromMemory,
              [](const std::string&, uint32_t round) { return Swinging(round); });
  EXPECT_EQ(Kinds(world), (Expected{{"unsteady", 4}}));
  for (const Finding& finding : AllFindings(world.machine, world.census, world.samples, nullptr)) {
    if (finding.nic->address != Pci(kNic)) continue;
    EXPECT_NE(finding.evidence.find("READ to_memory, 1MiB at gpu:0000:53:00.0: 4."),
              std::string::npos)
        << finding.evidence;
    EXPECT_NE(finding.evidence.find("; READ from_memory, 1MiB at gpu:0000:53:00.0: from 8."),
              std::string::npos)
        << finding.evidence;
  }
}

TEST(VarianceTest, AWideSpreadIsOneFinding) {
  World world = MakeWorld();
  for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
    MeasureMore(world, direction, [](const std::string& nic, uint32_t round) {
      return nic == kNic ? Swinging(round) : Steady(round);
    });
  }
  EXPECT_EQ(Kinds(world), (Expected{{"wide_spread", 1}}));
}

}  // namespace
}  // namespace railgauge
