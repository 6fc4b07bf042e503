#include "lib/placement/best_assignment.h"

#include <algorithm>
#include <map>
#include <random>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/placement/best_assignment_text.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

BestAssignment Find(const World& world, const Decision& given,
                    std::span<const KnownCapacity> capacities = {}) {
  const CellTable table(world.samples);
  const Relations relations(world.census);
  auto best = FindBestAssignment(world.machine, table, relations, given, capacities);
  EXPECT_TRUE(best) << best.error().ToString();
  return best ? *best : BestAssignment{};
}

Decision Policy(const World& world, std::string_view name) {
  const auto decision = DecideByPolicy(name, world.machine);
  EXPECT_TRUE(decision);
  return *decision;
}

std::map<MemoryPlace, std::vector<NicKey>> AsMap(const Decision& decision) {
  std::map<MemoryPlace, std::vector<NicKey>> map;
  for (const Assignment& assignment : decision.assignments) {
    map[assignment.consumer] = assignment.nics;
  }
  return map;
}

// Every GPU's NICs given to the GPU that is as many further in the list.
Decision Rotated(Decision decision, size_t by) {
  std::vector<std::vector<NicKey>> nics;
  for (const Assignment& assignment : decision.assignments) nics.push_back(assignment.nics);
  for (size_t i = 0; i < nics.size(); ++i) {
    decision.assignments[i].nics = nics[(i + by) % nics.size()];
  }
  return decision;
}

// The bytes per second of a healthy NIC next to its consumer, in World.
constexpr double kNear = 12.5e9;

TEST(BestAssignmentTest, AHealthyP5KeepsNearest) {
  World world(MakeP5());
  world.Screen();
  const Decision nearest = Policy(world, "nearest");
  const BestAssignment best = Find(world, nearest);
  EXPECT_TRUE(best.kept);
  EXPECT_TRUE(best.proven);
  EXPECT_FALSE(best.shared);
  EXPECT_EQ(AsMap(best.decision), AsMap(nearest));
  EXPECT_NEAR(best.value.worst, 4 * kNear, 0.01 * 4 * kNear);
  EXPECT_EQ(best.dimensions.size(), 4u);
  EXPECT_TRUE(best.missing.empty());
  EXPECT_EQ(AdviceLine(best, {}, "run"), "");
}

// From a wrong one it finds nearest, not merely one that is as fast.
TEST(BestAssignmentTest, NicsOfTheOtherSocketAreExchanged) {
  World world(MakeP5());
  world.Screen();
  const Decision nearest = Policy(world, "nearest");
  const BestAssignment best = Find(world, Rotated(nearest, 4));
  EXPECT_FALSE(best.kept);
  EXPECT_EQ(AsMap(best.decision), AsMap(nearest));
  ASSERT_TRUE(best.worst_gain);
  EXPECT_NEAR(*best.worst_gain, 1.0, 0.03);
  EXPECT_EQ(best.fewest_windows, 1u);
  EXPECT_FALSE(best.worst_gain_interval);
  const std::string advice = AdviceLine(best, {}, "run-1");
  EXPECT_TRUE(advice.starts_with("best measured assignment: worst consumer ")) << advice;
  EXPECT_NE(advice.find("+100 % against this placement; `railgauge plan"), std::string::npos)
      << advice;
  EXPECT_EQ(AdviceOf(world.machine, world.census, world.samples, Rotated(nearest, 4), "run-1"),
            advice);
}

// No assignment helps all eight against one slow NIC: somebody has it.
TEST(BestAssignmentTest, OneSlowNicOfAP5IsNobodysFault) {
  World world(MakeP5());
  const PciAddress slow = world.machine.nics[5].position.address;
  world.speed = [&](const Cell& cell, Relation relation) {
    return World::NearIsFast(cell, relation) * (cell.nic.address == slow ? 0.5 : 1);
  };
  world.Screen();
  const BestAssignment best = Find(world, Policy(world, "nearest"));
  EXPECT_TRUE(best.kept);
  EXPECT_TRUE(best.proven);
  EXPECT_NEAR(best.value.worst, 3.5 * kNear, 0.01 * 4 * kNear);
}

// But where NICs idle, they are taken.
TEST(BestAssignmentTest, AnIdleNicTakesTheSlowOnesPlace) {
  World world(MakeP5());
  const PciAddress slow = Pci("0000:4f:00.0");
  world.speed = [&](const Cell& cell, Relation relation) {
    return World::NearIsFast(cell, relation) * (cell.nic.address == slow ? 0.2 : 1);
  };
  world.Screen();
  // Of its switch's four NICs the first GPU has the slow one; the others have one each.
  Decision given = Policy(world, "nearest");
  for (Assignment& assignment : given.assignments) assignment.nics.resize(1);
  ASSERT_EQ(given.assignments[0].nics[0].address, slow);
  const BestAssignment best = Find(world, given);
  EXPECT_FALSE(best.kept);
  EXPECT_GE(best.value.worst, 3 * kNear);
}

// Noise alone is never a reason to change.
TEST(BestAssignmentTest, NoiseKeepsTheGivenDecision) {
  for (int seed = 0; seed < 10; ++seed) {
    World world(MakeP5());
    world.noise = 0.008;
    for (int i = 0; i < seed; ++i) world.Screen();  // another state of the generator
    world.samples.clear();
    world.Screen();
    EXPECT_TRUE(Find(world, Policy(world, "nearest")).kept) << seed;
  }
}

TEST(BestAssignmentTest, EightGpusShareFourNics) {
  World world(MakeP4d());
  world.Screen();
  Decision nearest = Policy(world, "nearest");
  const BestAssignment best = Find(world, nearest);
  EXPECT_TRUE(best.shared);
  EXPECT_TRUE(best.kept);
  EXPECT_NEAR(best.value.worst, kNear / 2, 0.01 * kNear);
  // All eight on one NIC.
  for (Assignment& assignment : nearest.assignments) {
    assignment.nics = {world.machine.nics[0].key()};
  }
  const BestAssignment spread = Find(world, nearest);
  EXPECT_FALSE(spread.kept);
  EXPECT_NEAR(spread.value.worst, kNear / 2, 0.01 * kNear);
  EXPECT_GT(*spread.worst_gain, 3);
}

TEST(BestAssignmentTest, OneNicForAllIsAllThereIs) {
  for (const Machine& machine : {MakeG5(), MakeG6()}) {
    World world(machine);
    world.speed = [](const Cell&, Relation) { return 10e9; };
    world.Screen();
    const BestAssignment best = Find(world, Policy(world, "nearest"));
    EXPECT_TRUE(best.kept);
    EXPECT_TRUE(best.proven);
    EXPECT_NEAR(best.value.worst, 10e9 / 8, 0.02e9);
  }
}

TEST(BestAssignmentTest, NumaNodesAreConsumersToo) {
  World world(MakeP5());
  world.Screen();
  Decision given{"test", {}};
  for (const uint32_t node : {0u, 1u}) {
    Assignment assignment{MemoryPlace::NumaNode(node), {}};
    for (const Nic& nic : world.machine.nics) {
      if (nic.position.numa_node != node) assignment.nics.push_back(nic.key());
    }
    given.assignments.push_back(assignment);
  }
  const BestAssignment best = Find(world, given);
  EXPECT_NEAR(best.value.worst, 16 * kNear, 0.01 * 16 * kNear);
  EXPECT_NEAR(*best.worst_gain, 1.0, 0.03);
}

// An uplink that is known to be full bounds what lies behind it: eight of sixteen NICs would do.
TEST(BestAssignmentTest, AKnownCapacityBoundsAndAnUnknownDoesNot) {
  World world(MakeP5());
  world.Screen();
  const Decision given = MakeDecision(world.machine, {"numa0 0000:4f:00.0"});
  KnownCapacity memory;
  memory.resource = {Resource::Kind::kNodeMemory, Resource::Flow::kEither, "numa0"};
  memory.rate = BytesPerSecond{100e9};
  memory.source = "test";
  const BestAssignment bounded = Find(world, given, {{memory}});
  EXPECT_NEAR(bounded.value.worst, 100e9, 1e9);
  ASSERT_EQ(bounded.capacities.size(), 1u);
  EXPECT_TRUE(bounded.proven);
  EXPECT_GT(Find(world, given).value.worst, 250e9);
}

TEST(BestAssignmentTest, WhatWasNotMeasuredIsNoCandidateAndIsTold) {
  World world(MakeP5());
  world.Screen();
  const MemoryPlace first = world.machine.Places()[2];
  ASSERT_TRUE(first.is_gpu());
  std::erase_if(world.samples, [&](const Sample& sample) {
    const bool unmeasured_gpu = sample.cell.place == first;
    const bool unmeasured_pair =
        sample.cell.nic.address == world.machine.nics[4].position.address &&
        sample.cell.operation == Operation::kWrite && sample.cell.place != first;
    return unmeasured_gpu || unmeasured_pair;
  });
  const BestAssignment best = Find(world, Policy(world, "nearest"));
  EXPECT_FALSE(best.given);  // it has that NIC
  EXPECT_FALSE(best.worst_gain);
  ASSERT_EQ(best.missing.size(), 2u);
  EXPECT_EQ(best.missing[0],
            "gpu:0000:53:00.0 was not measured: it keeps its 4 NICs, which nobody "
            "else gets.");
  EXPECT_EQ(best.decision.assignments.size(), 7u);
  for (const Assignment& assignment : best.decision.assignments) {
    for (const NicKey& nic : assignment.nics) EXPECT_NE(nic, world.machine.nics[4].key());
  }
  const auto none =
      FindBestAssignment(world.machine, world.census, {}, Policy(world, "nearest"), {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().ToString().find("measured no consumer"), std::string::npos);
}

// Worse in one direction is worse.
TEST(BestAssignmentTest, AConsumersRateIsItsWorstDimension) {
  World world(MakeP5());
  world.speed = [&](const Cell& cell, Relation relation) {
    if (relation == Relation::kSameSwitch) {
      return cell.operation == Operation::kWrite && cell.direction == Direction::kFromMemory
                 ? 2e9
                 : kNear;
    }
    return relation == Relation::kSameNumaNode ? 10e9 : 1e9;
  };
  world.Screen();
  const BestAssignment best = Find(world, Policy(world, "nearest"));
  EXPECT_FALSE(best.kept);
  EXPECT_NEAR(best.given->worst, 4 * 2e9, 0.02 * 8e9);
  EXPECT_NEAR(best.value.worst, 4 * 10e9, 0.02 * 40e9);
}

// An operation that no NIC can do says nothing.
TEST(BestAssignmentTest, WhatIsNotPossibleIsLeftOut) {
  World world(MakeP5());
  world.speed = [](const Cell& cell, Relation relation) {
    return cell.operation == Operation::kWrite ? -1 : World::NearIsFast(cell, relation);
  };
  world.Screen();
  const BestAssignment best = Find(world, Policy(world, "nearest"));
  EXPECT_EQ(best.dimensions.size(), 2u);
  EXPECT_TRUE(best.kept);
  EXPECT_TRUE(best.missing.empty());
}

// Enough windows of every cell give the gain an interval, and it holds the truth.
TEST(BestAssignmentTest, TheGainHasAnIntervalWhereAllWasMeasuredOftenEnough) {
  World world(MakeP4d());
  for (int i = 0; i < 9; ++i) world.Screen();
  const Decision given = Rotated(Policy(world, "nearest"), 4);
  const BestAssignment best = Find(world, given);
  ASSERT_TRUE(best.worst_gain_interval);
  EXPECT_LT(best.worst_gain_interval->low, 1.0);
  EXPECT_GT(best.worst_gain_interval->high, 1.0);
  EXPECT_GT(best.worst_gain_interval->low, 0.9);
}

// Rates without any order, and a search that may hardly begin.
TEST(BestAssignmentTest, WhatIsNotProvenSaysHowFarItMayBe) {
  World world(MakeP5());
  std::mt19937_64 random(7);
  world.speed = [&](const Cell&, Relation) { return 1e9 * static_cast<double>(2 + random() % 9); };
  world.Screen();
  const CellTable table(world.samples);
  const Relations relations(world.census);
  BestOptions options;
  options.limits.steps = 10;
  const auto best =
      FindBestAssignment(world.machine, table, relations, Policy(world, "nearest"), {}, options);
  ASSERT_TRUE(best) << best.error().ToString();
  ASSERT_FALSE(best->proven);
  ASSERT_GT(best->worst_bound, best->value.worst);
  const std::string text = FormatBestAssignment(world.machine, *best);
  EXPECT_NE(text.find("Not proven to be the best: the search ended at its limit"),
            std::string::npos)
      << text;
  const double more = 100 * (best->worst_bound / best->value.worst - 1);
  EXPECT_NE(text.find(fmt::format("which is {:.1f} %", more)), std::string::npos) << text;
  EXPECT_TRUE(AdviceLine(*best, {}, "run-1").starts_with("a better measured assignment: "));
}

// Names prove nothing, and the order of rows and of the decision neither.
TEST(BestAssignmentTest, NamesAndOrdersDoNotMatter) {
  World world(MakeP5());
  std::mt19937_64 random(3);
  std::map<std::pair<PciAddress, MemoryPlace>, double> rates;
  world.speed = [&](const Cell& cell, Relation) {
    const auto [rate, is_new] = rates.try_emplace({cell.nic.address, cell.place}, 0);
    if (is_new) rate->second = 1e9 * static_cast<double>(1 + random() % 4);
    return rate->second;
  };
  world.Screen();
  const Decision given = Policy(world, "nearest");
  const auto expected = Find(world, given);
  World other = world;
  for (size_t i = 0; i < other.machine.nics.size(); ++i) {
    other.machine.nics[i].name = "efa_" + std::to_string(97 * i % 89);
  }
  const auto rename = [&](NicKey& nic) { nic = other.machine.FindNic(nic.address)->key(); };
  for (Sample& sample : other.samples) rename(sample.cell.nic);
  for (CensusRow& row : other.census) rename(row.nic);
  Decision renamed = given;
  for (Assignment& assignment : renamed.assignments) {
    for (NicKey& nic : assignment.nics) rename(nic);
  }
  std::shuffle(other.samples.begin(), other.samples.end(), random);
  std::shuffle(other.census.begin(), other.census.end(), random);
  std::shuffle(renamed.assignments.begin(), renamed.assignments.end(), random);
  const auto found = Find(other, renamed);
  EXPECT_EQ(found.kept, expected.kept);
  EXPECT_DOUBLE_EQ(found.value.worst, expected.value.worst);
  for (const auto& [consumer, nics] : AsMap(expected.decision)) {
    const auto others = AsMap(found.decision)[consumer];
    ASSERT_EQ(others.size(), nics.size());
    for (size_t i = 0; i < nics.size(); ++i) EXPECT_EQ(others[i].address, nics[i].address);
  }
}

}  // namespace
}  // namespace railgauge
