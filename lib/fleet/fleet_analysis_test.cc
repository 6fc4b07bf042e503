#include "lib/fleet/fleet_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "lib/fleet/confirmation.h"
#include "lib/fleet/fleet_report.h"
#include "lib/fleet/simulated_fleet_testutil.h"

namespace railgauge {
namespace {

struct Night {
  explicit Night(const SimulatedFleetOptions& options)
      : fleet(options), table(fleet.MeasureAll()), analysis(Analyse(table)) {}

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Suspicion& suspicion : analysis.suspicions) {
      names.push_back(NameOf(suspicion, fleet.plan(), table));
    }
    return names;
  }

  SimulatedFleet fleet;
  FleetTable table;
  FleetAnalysis analysis;
};

using Names = std::vector<std::string>;

TEST(FleetAnalysisTest, NothingStandsOutOfHealthyMachines) {
  const Night night(SmallFleet());
  EXPECT_EQ(night.Names(), Names());
  EXPECT_TRUE(night.analysis.missing.empty());
  EXPECT_EQ(night.analysis.standings.size(), 9u * 4u);
}

TEST(FleetAnalysisTest, ANicIsSlowWithEveryPeer) {
  auto options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    return t.slot == 2 && (t.node == 3 || t.peer == 3) ? 0.6 : 1;
  };
  const Night night(options);
  EXPECT_EQ(night.Names(), Names{"nic-n3-0000-42-00.0"});
  EXPECT_NEAR(night.analysis.suspicions[0].deviation, -0.4, 0.02);
  EXPECT_FALSE(night.analysis.suspicions[0].could_be_peer);
}

TEST(FleetAnalysisTest, APathIsSlowBetweenTwoThatAreWellWithOthers) {
  auto options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    return t.slot == 1 && t.node == 4 && t.peer == 5 ? 0.7 : 1;
  };
  EXPECT_EQ(Night(options).Names(), Names{"path-n4-n5-0000-41-00.0"});
}

TEST(FleetAnalysisTest, AMachineMostOfWhoseNicsAreSlow) {
  auto options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    return t.slot != 0 && (t.node == 6 || t.peer == 6) ? 0.8 : 1;
  };
  const Night night(options);
  EXPECT_EQ(night.Names(), Names{"machine-n6"});
  EXPECT_EQ(night.analysis.suspicions[0].slots.size(), 3u);
}

TEST(FleetAnalysisTest, OnePlaceOfTheInitiatorIsItsOwn) {
  auto options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    return t.node == 2 && t.slot == 3 && t.relation == Relation::kSameSwitch ? 0.5 : 1;
  };
  const Night night(options);
  EXPECT_EQ(night.Names(), Names{"place-n2-0000-43-00.0"});
  EXPECT_EQ(night.analysis.suspicions[0].groups.size(), 4u);  // two operations, two directions
}

// The half of a NIC that receives: its own run is low to memory, its predecessor's from memory.
TEST(FleetAnalysisTest, OneDirectionOfANicIsBlamedOnItInBothParts) {
  auto options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    const bool receives = (t.node == 5 && t.direction == Direction::kToMemory) ||
                          (t.peer == 5 && t.direction == Direction::kFromMemory);
    return t.slot == 0 && receives ? 0.6 : 1;
  };
  const Night night(options);
  ASSERT_FALSE(night.analysis.suspicions.empty());
  for (const Suspicion& suspicion : night.analysis.suspicions) {
    EXPECT_EQ(suspicion.node, 5u) << NameOf(suspicion, night.fleet.plan(), night.table);
  }
}

TEST(FleetAnalysisTest, WithoutASecondPeerNobodyIsCertain) {
  auto options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    return t.slot == 2 && (t.node == 3 || t.peer == 3) ? 0.6 : 1;
  };
  options.measured = [](const PlannedPair& pair) { return pair.initiator != 2; };
  const Night night(options);
  EXPECT_EQ(night.Names(), Names{"nic-n3-0000-42-00.0"});
  EXPECT_TRUE(night.analysis.suspicions[0].could_be_peer);
  // Measured again with others, it is.
  SimulatedFleet again(options);
  const auto outcomes = again.ConfirmAll(night.table, night.analysis);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].confirmed, Confirmed::kSlow);
  EXPECT_NEAR(outcomes[0].ratio->ratio, 0.6, 0.02);
}

// A slow node spoils two runs: with one of four, two of six or two of eight the median lies between
// two speeds or is of the slower. What stands between two slow ones is a suspect, too, until it was
// measured again.
TEST(FleetAnalysisTest, SlowNodesMayTouchHalfOfTheRunsAndMore) {
  struct Case {
    size_t nodes;
    std::set<size_t> slow;
    std::set<uint32_t> slots;
  };
  for (const Case& one :
       {Case{4, {2}, {0, 1, 2, 3}}, Case{4, {2}, {0, 1}}, Case{6, {2, 4}, {0, 1, 2, 3}},
        Case{8, {2, 5}, {0, 1, 2, 3}}, Case{8, {2, 5}, {3}}, Case{16, {2, 4, 6, 8, 10}, {1}}}) {
    SCOPED_TRACE(one.nodes);
    auto options = SmallFleet();
    options.nodes = one.nodes;
    options.speed = [&](const SimulatedTransfer& t) {
      const bool slow = one.slow.contains(t.node) || one.slow.contains(t.peer);
      return slow && one.slots.contains(t.slot) ? 0.6 : 1;
    };
    Night night(options);
    std::set<size_t> suspects;
    for (const Suspicion& suspicion : night.analysis.suspicions) {
      suspects.insert(suspicion.node);
      EXPECT_TRUE(suspicion.two_speeds);
      EXPECT_NEAR(suspicion.deviation, -0.4, 0.02);
    }
    EXPECT_TRUE(std::includes(suspects.begin(), suspects.end(), one.slow.begin(), one.slow.end()));
    const auto judge = [&](const std::vector<ConfirmationOutcome>& outcomes) {
      return JudgeFleet(night.fleet.plan(), night.table, night.analysis, outcomes, {});
    };
    const FleetVerdicts open =
        judge(std::vector<ConfirmationOutcome>(night.analysis.suspicions.size()));
    EXPECT_EQ(ExitStatusOf(open), 3);
    std::set<size_t> slow;
    for (const FleetRow& row : judge(night.fleet.ConfirmAll(night.table, night.analysis)).rows) {
      if (row.verdict == FleetVerdict::kOk) continue;
      slow.insert(row.node);
      EXPECT_EQ(row.verdict, FleetVerdict::kSlow);
    }
    EXPECT_EQ(slow, one.slow);
  }
}

TEST(FleetAnalysisTest, AMissingNicIsMissedByMostOthers) {
  auto options = SmallFleet();
  options.has = [](size_t node, uint32_t slot) { return node != 7 || slot != 1; };
  const Night night(options);
  EXPECT_EQ(night.Names(), Names());
  ASSERT_EQ(night.analysis.missing.size(), 1u);
  EXPECT_EQ(night.analysis.missing[0].node, 7u);
  EXPECT_EQ(night.table.slots()[night.analysis.missing[0].slot], SimulatedFleet::AddressOf(1));
}

TEST(FleetAnalysisTest, ANicAtAnotherAddressIsNotMissing) {
  auto options = SmallFleet();
  options.slots = 5;
  options.has = [](size_t node, uint32_t slot) { return slot != (node == 6 ? 1 : 4); };
  const Night night(options);
  EXPECT_TRUE(night.analysis.missing.empty());
  ASSERT_EQ(night.analysis.renumbered.size(), 1u);
  EXPECT_EQ(night.analysis.renumbered[0].node, 6u);
  ASSERT_EQ(night.analysis.renumbered[0].slots.size(), 1u);
  EXPECT_EQ(night.table.slots()[night.analysis.renumbered[0].slots[0]],
            SimulatedFleet::AddressOf(4));
  const std::vector<ConfirmationOutcome> outcomes(night.analysis.suspicions.size());
  const FleetVerdicts verdicts =
      JudgeFleet(night.fleet.plan(), night.table, night.analysis, outcomes, {});
  for (const FleetRow& row : verdicts.rows) {
    const bool is_it = row.node == 6 && row.slot == SimulatedFleet::AddressOf(4);
    EXPECT_EQ(row.verdict, is_it ? FleetVerdict::kUnmeasured : FleetVerdict::kOk) << row.reason;
    EXPECT_EQ(row.reason.find("numbered in another way") != std::string::npos, is_it) << row.reason;
  }
}

TEST(FleetAnalysisTest, OfThreeMachinesNoneStandsOut) {
  auto options = SmallFleet();
  options.nodes = 3;
  options.speed = [](const SimulatedTransfer& t) { return t.node == 1 ? 0.5 : 1; };
  const Night night(options);
  EXPECT_EQ(night.Names(), Names());
  EXPECT_EQ(night.analysis.too_few, (std::vector<size_t>{0, 1, 2}));
}

TEST(ConfirmationTest, MachinesAreHealthyAndOnesOwn) {
  auto options = SmallFleet();
  options.speed = [](const SimulatedTransfer& t) {
    return (t.slot == 2 && (t.node == 3 || t.peer == 3)) ||
                   (t.slot == 1 && (t.node == 8 || t.peer == 8))
               ? 0.6
               : 1;
  };
  const Night night(options);
  ASSERT_EQ(night.analysis.suspicions.size(), 2u);
  std::set<size_t> taken, used;
  for (const Suspicion& suspicion : night.analysis.suspicions) {
    const auto planned =
        PlanConfirmation(suspicion, night.fleet.plan(), night.table, night.analysis, taken);
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->suspect.initiator, suspicion.node);
    EXPECT_EQ(planned->suspect.target, planned->reference.target);
    EXPECT_TRUE(used.insert(planned->reference.initiator).second);
    EXPECT_TRUE(used.insert(planned->reference.target).second);
    const auto parsed =
        ParseConfirmation(ToJson(*planned, night.fleet.plan()), night.fleet.plan(), "x");
    ASSERT_TRUE(parsed) << parsed.error().ToString();
    EXPECT_EQ(*parsed, *planned);
  }
  EXPECT_EQ(used.count(3), 0u);
  EXPECT_EQ(used.count(8), 0u);
  EXPECT_FALSE(ParseConfirmation("{\"suspect\": 7}", night.fleet.plan(), "x"));
  EXPECT_FALSE(ParseConfirmation("", night.fleet.plan(), "x"));
}

}  // namespace
}  // namespace railgauge
