#include "lib/placement/policy_cost.h"

#include <algorithm>
#include <sstream>

#include "gtest/gtest.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

Decision DecisionOf(const World& world, std::string_view policy) {
  return *DecideByPolicy(policy, world.machine);
}

const PolicyCost& CostOf(const std::vector<PolicyCost>& costs, std::string_view policy) {
  for (const PolicyCost& cost : costs) {
    const auto& names = cost.policies;
    if (std::find(names.begin(), names.end(), policy) != names.end()) return cost;
  }
  static const PolicyCost kNone;
  ADD_FAILURE() << "no " << policy;
  return kNone;
}

TEST(PolicyCostTest, NearestIsBestWhereNearIsFast) {
  World world(MakeP4d());
  world.Check(DecisionOf(world, "nearest"));
  const auto costs = CostsOfPolicies(world.machine, world.census, world.samples);
  const PolicyCost& nearest = CostOf(costs, "nearest");
  ASSERT_TRUE(nearest.worst && nearest.loss);
  EXPECT_LT(*nearest.loss, 0.02);
  // NIC i for GPU i, modulo 4: GPU 1 has the second NIC, which is as near to nobody of the first
  // two.
  const PolicyCost& enumeration = CostOf(costs, "enumeration");
  ASSERT_TRUE(enumeration.worst && enumeration.loss);
  EXPECT_NEAR(*enumeration.loss, 0.5, 0.02);
  // Without paired rounds of its own, which the run made for nearest, it is not proven to be wrong.
  EXPECT_GT(
      enumeration.verdicts.count(Verdict::kWrong) + enumeration.verdicts.count(Verdict::kUndecided),
      0u);
}

TEST(PolicyCostTest, ANicIsSharedEvenlyAndTheWorstDimensionCounts) {
  World world(MakeP5());
  world.noise = 0;
  world.speed = [](const Cell& cell, Relation) {
    return cell.operation == Operation::kWrite && cell.direction == Direction::kFromMemory ? 4e9
                                                                                           : 8e9;
  };
  world.Screen();
  const Decision decision =
      MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0 0000:51:00.0",
                                   "gpu:0000:64:00.0 0000:50:00.0 0000:51:00.0"});
  const std::vector<MemoryPlace> places = world.machine.Places();
  const CellTable table(world.samples);
  const auto worst = WorstConsumer(table, decision, places);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->consumer.ToString(), "gpu:0000:64:00.0");
  EXPECT_EQ(ToString(worst->dimension), "WRITE from_memory");
  EXPECT_DOUBLE_EQ(worst->rate, 4e9);  // half of each of two
  // Of the first alone: one whole and two halves.
  EXPECT_DOUBLE_EQ(
      WorstConsumer(table, decision, std::span(&decision.assignments[0].consumer, 1))->rate, 8e9);
}

TEST(PolicyCostTest, WhatWasNotMeasuredIsNotValued) {
  World world(MakeP4d());
  world.noise = 0;
  world.Screen();
  const Decision nearest = DecisionOf(world, "nearest");
  const NicKey left_out = nearest.assignments[2].nics[0];
  const MemoryPlace place = nearest.assignments[2].consumer;
  std::erase_if(world.samples, [&](const Sample& sample) {
    return sample.cell.nic == left_out && sample.cell.place == place &&
           sample.cell.direction == Direction::kToMemory;
  });
  const CellTable table(world.samples);
  EXPECT_FALSE(WorstConsumer(table, nearest, world.machine.Places()));
  // A place that the run was not about counts for nothing.
  std::vector<MemoryPlace> others = world.machine.Places();
  std::erase(others, place);
  EXPECT_TRUE(WorstConsumer(table, nearest, others));
  EXPECT_FALSE(WorstConsumer(table, nearest, {}));
}

TEST(PolicyCostTest, TheTableFitsAndSaysWhatIsNotKnown) {
  World world(MakeP5());
  const auto costs = CostsOfPolicies(world.machine, world.census, world.samples);
  const std::string text = FormatPolicyCosts(costs);
  EXPECT_NE(text.find("not measured"), std::string::npos) << text;
  EXPECT_NE(text.find("vendor-map: not decided: "), std::string::npos) << text;
  world.Screen();
  const std::string measured =
      FormatPolicyCosts(CostsOfPolicies(world.machine, world.census, world.samples));
  EXPECT_NE(measured.find("GB/s"), std::string::npos) << measured;
  for (const std::string& table : {text, measured}) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(PolicyCostTest, ARowPerPolicy) {
  World world(MakeP4d());
  world.noise = 0;
  world.Screen();
  const auto costs = CostsOfPolicies(world.machine, world.census, world.samples);
  const std::string csv = PolicyCostsCsv({"r1", "h", "", "p4d.24xlarge", "emulated"}, costs);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), static_cast<long>(Policies().size()));
  EXPECT_NE(csv.find("1,r1,h,,p4d.24xlarge,emulated,nearest,"), std::string::npos) << csv;
  const std::string header = PolicyCostsHeader();
  EXPECT_NE(header.find(",policy,ok_count,slow_count,wrong_count,oversubscribed_count,"),
            std::string::npos)
      << header;
  const std::string row = csv.substr(0, csv.find('\n'));
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(row.begin(), row.end(), ','));
}

}  // namespace
}  // namespace railgauge
