#include "lib/placement/others_nics.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/judge.h"
#include "lib/placement/policy.h"
#include "lib/placement/scenario_records_testutil.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// 12.5 GB/s below the switch and 9 GB/s elsewhere.
World MakeWorld() {
  World world(MakeP5());
  world.speed = [](const Cell&, Relation relation) {
    return relation == Relation::kSameSwitch ? 12.5e9 : 9e9;
  };
  return world;
}

struct Row {
  const char* type;
  const char* policy;
  bool costs;
};

// What the policies of frameworks cost that share NICs across a node.
constexpr Row kRows[] = {
    {"p4d.24xlarge", "numa", true},
    {"p4d.24xlarge", "ucx", true},
    {"p4de.24xlarge", "numa", true},
    {"p4de.24xlarge", "ucx", true},
    {"p5.48xlarge", "numa", true},
    {"p5en.48xlarge", "numa", true},
    {"p6-b200.48xlarge", "numa", true},
    {"p6-b300.48xlarge", "numa", true},
    // Less than a tenth: two GPUs share, and half of the NICs are nearer to neither.
    {"p6e-gb200.36xlarge", "numa", false},
    // Shared by those that are equally near, as they must be.
    {"p4d.24xlarge", "nearest", false},
    {"p5en.48xlarge", "mooncake", false},
    {"g6.48xlarge", "nearest", false},
};

TEST(OthersNicsTest, PoliciesThatTakeWhatIsNearerToOthers) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(std::string(row.type) + " " + row.policy);
    const ScenarioRecords records = RecordsOf(row.type);
    const auto decision = DecideByPolicy(row.policy, records.machine);
    ASSERT_TRUE(decision) << decision.error().ToString();
    const Evidence evidence(records.machine, records.census, records.samples, *decision, {});
    for (const Assignment& assignment : decision->assignments) {
      const auto found = FindOthersNics(evidence, assignment);
      ASSERT_EQ(found.has_value(), row.costs) << assignment.consumer.ToString();
      if (found) {
        EXPECT_TRUE(found->sure);
      }
    }
  }
}

// Of a p5 with these NICs alone, so that none idles; three windows each.
std::vector<PlacementRow> JudgeOnly(const std::vector<std::string>& lines,
                                    const std::vector<std::string>& nics, bool flat = false) {
  World world = MakeWorld();
  const Decision decision = MakeDecision(world.machine, lines);
  std::erase_if(world.machine.nics, [&](const Nic& nic) {
    return std::find(nics.begin(), nics.end(), nic.position.address.ToString()) == nics.end();
  });
  for (int i = 0; i < 3; ++i) world.Screen();
  if (flat) {
    world.machine.flat = true;
    for (CensusRow& row : world.census) row.relation = Relation::kUnknown;
  }
  return Judge(world.machine, world.census, world.samples, decision).placement;
}

const std::vector<std::string> kBothShareBoth = {"gpu:0000:53:00.0 0000:4f:00.0 0000:60:00.0",
                                                 "gpu:0000:64:00.0 0000:60:00.0 0000:4f:00.0"};

TEST(OthersNicsTest, SaysWhatToKeepAndWhatItCosts) {
  const auto rows = JudgeOnly(kBothShareBoth, {"0000:4f:00.0", "0000:60:00.0"});
  const PlacementRow& row = rows[0];
  EXPECT_EQ(row.verdict, Verdict::kOversubscribed) << row.reason;
  EXPECT_EQ(row.best, std::vector{row.chosen[0]});
  EXPECT_NEAR(*row.regret, 1 - (12.5 + 9) / 2 / 12.5, 0.01);
  EXPECT_EQ(row.reason.find("0000:4f:00.0 (rdmap79s0) and 0000:60:00.0 (rdmap96s0) also serve "
                            "gpu:0000:64:00.0: with its share of each NIC gpu:0000:53:00.0 gets 14 "
                            "% less ("),
            0u)
      << row.reason;
  EXPECT_NE(row.reason.find(": use 0000:4f:00.0 (rdmap79s0) alone."), std::string::npos)
      << row.reason;
  EXPECT_EQ(rows[1].best, std::vector{rows[1].chosen[0]});
  EXPECT_EQ(rows[1].best[0].address, Pci("0000:60:00.0"));
}

TEST(OthersNicsTest, TheOneWhoseNicIsTakenIsTold) {
  const auto rows = JudgeOnly(
      {"gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0 0000:60:00.0", "gpu:0000:64:00.0 0000:60:00.0"},
      {"0000:4f:00.0", "0000:50:00.0", "0000:60:00.0"});
  EXPECT_EQ(rows[1].verdict, Verdict::kOversubscribed) << rows[1].reason;
  EXPECT_TRUE(rows[1].best.empty());
  EXPECT_NE(rows[1].reason.find("0000:60:00.0 (rdmap96s0) also serves gpu:0000:53:00.0"),
            std::string::npos);
  EXPECT_NE(rows[1].reason.find(": leave 0000:60:00.0 (rdmap96s0) to it."), std::string::npos);
  EXPECT_EQ(rows[0].verdict, Verdict::kOk) << "it has more by what it takes: " << rows[0].reason;
}

TEST(OthersNicsTest, WhoHasLeastMayTakeOfWhoHasMore) {
  const std::string many = " 0000:60:00.0 0000:61:00.0 0000:62:00.0";
  const auto rows =
      JudgeOnly({"gpu:0000:53:00.0 0000:4f:00.0 0000:60:00.0", "gpu:0000:64:00.0" + many},
                {"0000:4f:00.0", "0000:60:00.0", "0000:61:00.0", "0000:62:00.0"});
  for (const PlacementRow& row : rows) EXPECT_EQ(row.verdict, Verdict::kOk) << row.reason;
}

TEST(OthersNicsTest, WhoIsNearIsNeverInvented) {
  const auto rows = JudgeOnly(kBothShareBoth, {"0000:4f:00.0", "0000:60:00.0"}, true);
  for (const PlacementRow& row : rows) {
    EXPECT_NE(row.verdict, Verdict::kOversubscribed) << row.reason;
  }
}

// Where the windows are too few to say that it costs more than a tenth, that is said.
TEST(OthersNicsTest, FewWindowsThatDisagreeDoNotAccuse) {
  World world(MakeP4d());
  world.speed = [](const Cell& cell, Relation relation) {
    if (relation == Relation::kSameHostBridge) return 12.5e9;
    // One window of the NIC is far below its class.
    return cell.nic.address == Pci("0000:20:1b.0") && cell.place.gpu.bus == 0x10 ? 6e9 : 11e9;
  };
  const auto decision = DecideByPolicy("numa", world.machine);
  ASSERT_TRUE(decision);
  world.Screen();
  const Evidence evidence(world.machine, world.census, world.samples, *decision, {});
  for (const Assignment& assignment : decision->assignments) {
    const auto found = FindOthersNics(evidence, assignment);
    EXPECT_EQ(found.has_value(), assignment.consumer.gpu.bus == 0x10);
    if (found) {
      EXPECT_FALSE(found->sure);
    }
  }
  for (const PlacementRow& row :
       Judge(world.machine, world.census, world.samples, *decision).placement) {
    const bool seen = row.consumer.gpu.bus == 0x10;
    EXPECT_EQ(row.verdict, seen ? Verdict::kUndecided : Verdict::kOk) << row.reason;
  }
}

}  // namespace
}  // namespace railgauge
