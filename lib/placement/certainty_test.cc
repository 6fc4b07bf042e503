#include "lib/placement/certainty.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "lib/placement/judge.h"
#include "lib/placement/policy.h"
#include "lib/placement/shortlist.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

class CertaintyTest : public testing::Test {
 protected:
  CertaintyTest() : world_(MakeP5()), decision_(*DecideByPolicy("nearest", world_.machine)) {}

  bool Chosen(const Cell& cell) const {
    for (const Assignment& assignment : decision_.assignments) {
      const auto& nics = assignment.nics;
      if (assignment.consumer == cell.place &&
          std::find(nics.begin(), nics.end(), cell.nic) != nics.end()) {
        return true;
      }
    }
    return false;
  }
  // All windows so far that `condition` selects were disturbed and half as fast as the path.
  template <typename Condition>
  void Disturb(Condition condition) {
    for (Sample& sample : world_.samples) {
      if (!condition(sample.cell)) continue;
      sample.disturbed = true;
      sample.throughput->value *= 0.5;
    }
  }
  std::vector<Cell> MoreWindows() const {
    return WorthMoreWindows(world_.machine, world_.census, world_.samples, decision_);
  }
  Judgement Judged() const {
    return Judge(world_.machine, world_.census, world_.samples, decision_);
  }
  size_t Count(const Judgement& judgement, Verdict verdict) const {
    return static_cast<size_t>(
        std::count_if(judgement.placement.begin(), judgement.placement.end(),
                      [&](const PlacementRow& row) { return row.verdict == verdict; }));
  }

  World world_;
  Decision decision_;
};

TEST_F(CertaintyTest, AQuietMachineIsInNoDoubt) {
  world_.Screen();
  EXPECT_TRUE(MoreWindows().empty());
  EXPECT_EQ(Count(Judged(), Verdict::kOk), 8u);
}

// As a stranger found it: every window disturbed, all of them alike, and eight times OK.
TEST_F(CertaintyTest, DisturbedSingleWindowsAreNoOk) {
  world_.Screen();
  Disturb([](const Cell&) { return true; });
  const Judgement judgement = Judged();
  EXPECT_EQ(Count(judgement, Verdict::kNoisy), 8u);
  EXPECT_EQ(ExitStatusOf(judgement.placement), 3);
  EXPECT_EQ(judgement.placement[0].reason,
            "The measuring thread was kept from its CPU in 16 of 16 windows of the NICs of "
            "gpu:0000:53:00.0: run on a quieter machine or raise --time-budget.");
  for (const SummaryRow& row : judgement.summary) EXPECT_EQ(row.verdict, Verdict::kNoisy);
  EXPECT_EQ(MoreWindows().size(), 8u * 4 * 4);
}

TEST_F(CertaintyTest, AnUndisturbedWindowMore) {
  const Cell victim =
      world_.CellOf("0000:4f:00.0", "gpu:0000:53:00.0", Operation::kRead, Direction::kToMemory);
  world_.Screen();
  Disturb([&](const Cell& cell) { return cell == victim; });
  EXPECT_EQ(MoreWindows(), std::vector{victim});
  EXPECT_EQ(Count(Judged(), Verdict::kNoisy), 1u);
  world_.Add(victim, 0, 12.5e9).disturbed = true;
  const auto still = [&] {
    return StillDisturbed(world_.machine, world_.census, world_.samples, decision_);
  };
  EXPECT_EQ(still(), std::vector{victim});
  EXPECT_EQ(Count(Judged(), Verdict::kNoisy), 1u);
  world_.Add(victim, 0, 12.5e9).disturbed = false;
  EXPECT_TRUE(still().empty());
  const Judgement judgement = Judged();
  EXPECT_EQ(Count(judgement, Verdict::kOk), 8u);
  for (const SummaryRow& row : judgement.summary) {
    if (row.cell == victim) {
      EXPECT_EQ(row.throughput_median->value, 12.5e9);
    }
  }
}

TEST_F(CertaintyTest, RoundsProveADisturbedCell) {
  const Cell victim =
      world_.CellOf("0000:4f:00.0", "gpu:0000:53:00.0", Operation::kRead, Direction::kToMemory);
  world_.Screen();
  Disturb([&](const Cell& cell) { return cell == victim; });
  Cell other = victim;
  other.nic = world_.nic("0000:50:00.0");
  const CellPair pair{victim, other};
  world_.Measure(std::vector{pair}, 9);
  for (Sample& sample : world_.samples) {
    if (sample.round > 0) sample.disturbed = true;
  }
  EXPECT_EQ(Count(Judged(), Verdict::kOk), 8u);
}

TEST_F(CertaintyTest, ABetterNicThatWasDisturbedCannotBeExcluded) {
  world_.Screen();
  const MemoryPlace gpu = decision_.assignments[0].consumer;
  size_t others = 0;
  const auto few = [&](const Cell& cell) {
    return cell.place == gpu && !Chosen(cell) && cell.operation == Operation::kRead &&
           cell.direction == Direction::kToMemory && ++others <= 14;
  };
  World quiet = world_;
  Disturb(few);
  EXPECT_EQ(Count(Judged(), Verdict::kOk), 8u) << "half of them";
  world_ = quiet;
  others = 0;
  Disturb([&](const Cell& cell) {
    return cell.place == gpu && !Chosen(cell) && cell.operation == Operation::kRead &&
           cell.direction == Direction::kToMemory && ++others <= 15;
  });
  const Judgement judgement = Judged();
  EXPECT_EQ(Count(judgement, Verdict::kNoisy), 1u);
  EXPECT_EQ(judgement.placement[0].reason,
            "The measuring thread was kept from its CPU in all windows of 15 of 28 other NICs at "
            "gpu:0000:53:00.0, so a better one cannot be excluded: run on a quieter machine or "
            "raise --time-budget.");
}

// Among windows that spread by 8 %, a NIC that is 10 % slower does not stand out.
TEST_F(CertaintyTest, SingleWindowsThatSpreadAreNoOk) {
  world_.noise = 0.08;
  world_.Screen();
  const Judgement judgement = Judged();
  EXPECT_EQ(Count(judgement, Verdict::kOk), 0u);
  EXPECT_EQ(ExitStatusOf(judgement.placement), 3);
  const auto noisy = std::find_if(
      judgement.placement.begin(), judgement.placement.end(),
      [](const PlacementRow& row) { return row.reason.find("spread so much") != row.reason.npos; });
  ASSERT_NE(noisy, judgement.placement.end());
  EXPECT_NE(noisy->reason.find("was measured in one window: run on a quieter"), std::string::npos)
      << noisy->reason;
  EXPECT_GE(MoreWindows().size(), 8u * 4 * 4);
}

// A class of two kinds of path spreads, too, and its windows do not.
TEST_F(CertaintyTest, RepeatedWindowsThatAgreeAreEvidenceInAClassThatSpreads) {
  world_.speed = [](const Cell& cell, Relation relation) {
    return World::NearIsFast(cell, relation) * (cell.nic.address.bus % 2 == 0 ? 1 : 0.8);
  };
  world_.Screen();
  EXPECT_EQ(Count(Judged(), Verdict::kNoisy), 8u);
  std::vector<Cell> cells = MoreWindows();
  std::erase_if(cells, [&](const Cell& cell) { return !Chosen(cell); });
  EXPECT_EQ(cells.size(), 8u * 4 * 4);
  for (const Cell& cell : cells) {
    for (int i = 0; i < 2; ++i) {
      world_.Add(cell, 0, world_.speed(cell, Relation::kSameSwitch) * (i == 0 ? 1.001 : 0.999));
    }
  }
  EXPECT_EQ(Count(Judged(), Verdict::kNoisy), 0u);
}

}  // namespace
}  // namespace railgauge
