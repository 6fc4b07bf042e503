#include "lib/fleet/fleet_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace railgauge {
namespace {

std::vector<FleetNode> Nodes(size_t count) {
  std::vector<FleetNode> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back({"n" + std::to_string(i), "10.0.0." + std::to_string(i)});
  }
  return nodes;
}

TEST(FleetPlanTest, EveryNodeIsBothPartsWithTwoPeersInDisjointPairs) {
  for (size_t count = 3; count <= 40; ++count) {
    const auto rounds = RingRounds(count);
    EXPECT_EQ(rounds.size(), count % 2 == 0 ? 2u : 3u);
    std::map<size_t, std::set<size_t>> peers;
    std::set<size_t> initiators, targets;
    for (const auto& round : rounds) {
      std::set<size_t> busy;
      for (const PlannedPair& pair : round) {
        EXPECT_TRUE(busy.insert(pair.initiator).second);
        EXPECT_TRUE(busy.insert(pair.target).second);
        EXPECT_TRUE(initiators.insert(pair.initiator).second);
        EXPECT_TRUE(targets.insert(pair.target).second);
        peers[pair.initiator].insert(pair.target);
        peers[pair.target].insert(pair.initiator);
      }
    }
    EXPECT_EQ(initiators.size(), count);
    EXPECT_EQ(targets.size(), count);
    for (const auto& [node, others] : peers) EXPECT_EQ(others.size(), 2u) << node;
  }
}

TEST(FleetPlanTest, TwoNodesHaveOnePeerEach) {
  const std::vector<std::vector<PlannedPair>> expected = {{{0, 1}}, {{1, 0}}};
  EXPECT_EQ(RingRounds(2), expected);
  const auto one = MakePlan(Nodes(1), {});
  ASSERT_FALSE(one);
  EXPECT_NE(one.error().ToString().find("railgauge check"), std::string::npos);
}

TEST(FleetPlanTest, NeighboursOfALostNodeAreMeasuredWithEachOther) {
  std::vector<bool> gone(6, false);
  EXPECT_TRUE(BridgingPairs(6, gone).empty());
  gone[2] = gone[3] = true;
  EXPECT_EQ(BridgingPairs(6, gone), (std::vector<PlannedPair>{{1, 4}}));
  gone[0] = true;
  EXPECT_EQ(BridgingPairs(6, gone), (std::vector<PlannedPair>{{1, 4}, {5, 1}}));
  gone.assign(6, true);
  gone[4] = false;
  EXPECT_TRUE(BridgingPairs(6, gone).empty());
}

TEST(FleetPlanTest, TheFileIsThePlan) {
  const auto plan = MakePlan(Nodes(5), {"--placement=nearest", "--time-budget=45s"});
  ASSERT_TRUE(plan);
  const auto parsed = ParsePlan(ToJson(*plan), "plan.json");
  ASSERT_TRUE(parsed) << parsed.error().ToString();
  EXPECT_EQ(*parsed, *plan);
  EXPECT_EQ(ToJson(*parsed), ToJson(*plan));
}

TEST(FleetPlanTest, WhatIsNoPlanIsToldWithItsPath) {
  const std::string good = ToJson(*MakePlan(Nodes(4), {"--placement=nearest"}));
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const auto& [text, reason] : std::map<std::string, std::string>{
           {good.substr(0, good.size() / 2), "it is no JSON from here on"},
           {edited("\"schema_version\": 1", "\"schema_version\": 2"), "schema_version"},
           {edited("\"name\": \"n1\"", "\"name\": \"../n1\""), "proper name"},
           {edited("\"name\": \"n1\"", "\"name\": \"n0\""), "twice"},
           {edited("\"initiator\": \"n0\"", "\"initiator\": \"n9\""), "two of its nodes"},
           {edited("\"initiator\": \"n0\"", "\"initiator\": \"n2\""), "two pairs of one round"},
           {edited("--placement=nearest", "rm"), "no flag"}}) {
    const auto plan = ParsePlan(text, "dir/plan.json");
    ASSERT_FALSE(plan) << reason;
    const std::string line = plan.error().ToString();
    EXPECT_NE(line.find("dir/plan.json"), std::string::npos) << line;
    EXPECT_NE(line.find(reason), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace railgauge
