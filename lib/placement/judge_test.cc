#include "lib/placement/judge.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "lib/placement/policy.h"
#include "lib/placement/shortlist.h"
#include "lib/placement/world_testutil.h"
#include "lib/report/report_csv.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// The p5 of machine_testutil: NICs 4f…52 and GPU 53 below one switch, 60…63 and 64, 71…74 and 75,
// 82…85 and 86 on node 0; 93…96 and 97, a4…a7 and a8, b5…b8 and b9, c6…c9 and ca on node 1.

Judgement JudgeWorld(const World& world, const Decision& decision) {
  return Judge(world.machine, world.census, world.samples, decision);
}

// The row of a consumer; IDLE rows apart.
const PlacementRow& RowOf(const Judgement& judgement, std::string_view consumer) {
  for (const PlacementRow& row : judgement.placement) {
    if (row.consumer.ToString() == consumer && row.verdict != Verdict::kIdle) return row;
  }
  static const PlacementRow kNone;
  ADD_FAILURE() << "no row of " << consumer;
  return kNone;
}

std::vector<PlacementRow> IdleRows(const Judgement& judgement) {
  std::vector<PlacementRow> rows;
  for (const PlacementRow& row : judgement.placement) {
    if (row.verdict == Verdict::kIdle) rows.push_back(row);
  }
  return rows;
}

Decision NearestOf(const World& world) { return *DecideByPolicy("nearest", world.machine); }

// Moves what `speed` gives for cells that `condition` selects by `factor`.
template <typename Condition>
World::Speed Scaled(World::Speed speed, double factor, Condition condition) {
  return [=](const Cell& cell, Relation relation) {
    return speed(cell, relation) * (condition(cell) ? factor : 1);
  };
}

TEST(JudgeTest, NearestIsOkWhereNearIsFast) {
  for (const Machine& machine : {MakeP5(), MakeP4d(), MakeG6()}) {
    World world(machine);
    const Decision decision = NearestOf(world);
    world.Check(decision);
    const Judgement judgement = JudgeWorld(world, decision);
    EXPECT_EQ(judgement.placement.size(), decision.assignments.size());
    for (const PlacementRow& row : judgement.placement) {
      EXPECT_EQ(row.verdict, Verdict::kOk) << machine.instance_type << ": " << row.reason;
      EXPECT_TRUE(row.best.empty());
      EXPECT_LT(*row.regret, 0.02);
    }
    EXPECT_EQ(ExitStatusOf(judgement.placement), 0);
    EXPECT_EQ(judgement.summary.size(), world.census.size() * 4);
    for (const SummaryRow& row : judgement.summary) EXPECT_EQ(row.verdict, Verdict::kOk);
  }
}

// Every NIC is equally fast everywhere, so no pair can show a difference, however noisy single
// windows are.
TEST(JudgeTest, NoiseAloneIsNeverWrong) {
  for (const double noise : {0.005, 0.02, 0.04}) {
    World world(MakeP5());
    world.noise = noise;
    world.speed = [](const Cell&, Relation) { return 12.5e9; };
    const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"});
    world.Check(decision);
    const Judgement judgement = JudgeWorld(world, decision);
    EXPECT_EQ(RowOf(judgement, "gpu:0000:53:00.0").verdict, Verdict::kOk)
        << noise << ": " << judgement.placement[0].reason;
  }
}

// The false-discovery budget and the re-measuring at work in the judge itself, over 320 cells: of
// runs in which nothing is slow, at most one in a hundred has more than one false finding.
// (statistics_benchmark counts the same in thousands of runs.)
TEST(JudgeTest, ARunOfManyCellsHasFewFalseFindings) {
  constexpr int kRuns = 12;
  int noisy = 0;
  World world(MakeP5());
  world.noise = 0.02;
  world.speed = [](const Cell& cell, Relation relation) {
    const bool asked = cell.operation == Operation::kRead && cell.direction == Direction::kToMemory;
    return asked ? World::NearIsFast(cell, relation) : -1;
  };
  const Decision decision = NearestOf(world);
  for (int run = 0; run < kRuns; ++run) {
    world.samples.clear();
    world.Check(decision);
    const Judgement judgement = JudgeWorld(world, decision);
    int measured = 0, findings = 0;
    for (const SummaryRow& row : judgement.summary) {
      if (row.sample_count == 0) continue;
      ++measured;
      findings += row.verdict == Verdict::kOk && row.findings.empty() ? 0 : 1;
    }
    for (const PlacementRow& row : judgement.placement) {
      const bool missing = row.reason.find("was not measured") != std::string::npos;
      findings += row.verdict == Verdict::kOk || missing ? 0 : 1;
      noisy += row.verdict == Verdict::kNoisy ? 1 : 0;
    }
    EXPECT_EQ(measured, 320);
    EXPECT_LE(findings, 1) << run;
  }
  EXPECT_LE(noisy, 1);
}

// A NIC that gives 5 % less than the 31 others at its GPU is found from one window each on.
TEST(JudgeTest, FivePercentLessAreFound) {
  constexpr int kRuns = 20;
  World world(MakeP5());
  world.noise = 0.01;
  const PciAddress slow = Pci("0000:72:00.0");
  world.speed = [=](const Cell& cell, Relation relation) {
    const bool asked = cell.operation == Operation::kRead && cell.direction == Direction::kToMemory;
    if (!asked) return -1.0;
    return World::NearIsFast(cell, relation) * (cell.nic.address == slow ? 0.95 : 1);
  };
  const Decision decision = NearestOf(world);
  int found = 0, others = 0;
  for (int run = 0; run < kRuns; ++run) {
    world.samples.clear();
    world.Check(decision);
    for (const PlacementRow& row : JudgeWorld(world, decision).placement) {
      if (row.verdict != Verdict::kSlow) continue;
      (row.reason.find("0000:72:00.0") == 0 ? found : others) += 1;
    }
  }
  EXPECT_GE(found, 17);
  EXPECT_EQ(others, 0);
}

TEST(JudgeTest, ACellOfTwoSpeedsNamesBoth) {
  World world(MakeP5());
  const Decision decision =
      MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0"});
  int windows = 0;
  world.speed = [&](const Cell& cell, Relation relation) {
    const bool mixed = cell.nic.address == Pci("0000:4f:00.0") &&
                       cell.place.ToString() == "gpu:0000:53:00.0" &&
                       cell.operation == Operation::kRead && cell.direction == Direction::kToMemory;
    const bool slow = mixed && ++windows % 5 < 2;  // 6 of 16
    return World::NearIsFast(cell, relation) * (slow ? 0.17 : 1);
  };
  world.Screen();
  const Cell mixed =
      world.CellOf("0000:4f:00.0", "gpu:0000:53:00.0", Operation::kRead, Direction::kToMemory);
  const Cell peer =
      world.CellOf("0000:50:00.0", "gpu:0000:53:00.0", Operation::kRead, Direction::kToMemory);
  world.Measure(std::vector<CellPair>{{mixed, peer, 1, true}}, 15);
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& row = RowOf(judgement, "gpu:0000:53:00.0");
  EXPECT_EQ(row.verdict, Verdict::kNoisy) << row.reason;
  EXPECT_NE(row.reason.find("two speeds (READ to_memory, 1MiB): 2.1"), std::string::npos)
      << row.reason;
  EXPECT_NE(row.reason.find(" of 16 windows and 12."), std::string::npos) << row.reason;
  int rows = 0;
  for (const SummaryRow& summary : judgement.summary) {
    if (summary.findings.empty()) continue;
    ++rows;
    EXPECT_EQ(summary.findings, "two_speeds");
    EXPECT_EQ(summary.verdict, Verdict::kNoisy);
    EXPECT_NEAR(summary.slow_speed->value, 2.1e9, 0.1e9);
    EXPECT_NEAR(summary.fast_speed->value, 12.5e9, 0.1e9);
    EXPECT_NEAR(*summary.slow_fraction, 0.4, 0.1);
  }
  EXPECT_EQ(rows, 1);
}

TEST(JudgeTest, NicOfTheOtherSocketIsWrong) {
  World world(MakeP5());
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"});
  world.Check(decision);
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& row = RowOf(judgement, "gpu:0000:53:00.0");
  EXPECT_EQ(row.verdict, Verdict::kWrong) << row.reason;
  EXPECT_EQ(row.best, std::vector{world.nic("0000:4f:00.0")});
  EXPECT_NEAR(*row.regret, 0.5, 0.01);
  EXPECT_LE(*row.regret_low, *row.regret);
  EXPECT_GE(*row.regret_high, *row.regret);
  EXPECT_EQ(row.reason.find("0000:c6:00.0 (rdmap198s0) gives 6.2"), 0u) << row.reason;
  EXPECT_NE(row.reason.find("where idle 0000:4f:00.0 (rdmap79s0) gives 12."), std::string::npos);
  EXPECT_NE(row.reason.find("50 % lost"), std::string::npos) << row.reason;
  EXPECT_NE(row.reason.find(": use 0000:4f:00.0 (rdmap79s0)."), std::string::npos) << row.reason;
  EXPECT_EQ(ExitStatusOf(judgement.placement), 1);
  // The NICs of the switch are named by the row itself, and those of other GPUs, which the decision
  // does not speak of, are not its business.
  EXPECT_TRUE(IdleRows(judgement).empty());
}

TEST(JudgeTest, OneDirectionAloneMakesItWrong) {
  World world(MakeP5());
  // As a redirect of peer traffic does: only reading from the GPU is slow.
  world.speed = [&](const Cell& cell, Relation relation) {
    const bool slow = cell.operation == Operation::kWrite &&
                      cell.direction == Direction::kFromMemory && relation > Relation::kSameSwitch;
    return slow ? 8e9 : 12.5e9;
  };
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:53:00.0 0000:4f:00.0 0000:60:00.0 0000:50:00.0 0000:51:00.0"});
  world.Check(decision);
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& row = RowOf(judgement, "gpu:0000:53:00.0");
  EXPECT_EQ(row.verdict, Verdict::kWrong) << row.reason;
  EXPECT_NE(row.reason.find("WRITE from_memory, 1MiB"), std::string::npos) << row.reason;
  EXPECT_EQ(row.best, (std::vector{world.nic("0000:4f:00.0"), world.nic("0000:50:00.0"),
                                   world.nic("0000:51:00.0"), world.nic("0000:52:00.0")}))
      << row.reason;
}

TEST(JudgeTest, AFewPercentAreToldAndDoNotCount) {
  World world(MakeP5());
  world.speed = [](const Cell&, Relation relation) {
    return relation == Relation::kSameSwitch ? 12.5e9 : 11.75e9;
  };
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"});
  world.Check(decision);
  const PlacementRow row = JudgeWorld(world, decision).placement.at(0);
  EXPECT_EQ(row.verdict, Verdict::kOk) << row.reason;
  EXPECT_NE(row.reason.find("is a little faster than 0000:c6:00.0 (rdmap198s0)"), std::string::npos)
      << row.reason;
  EXPECT_NEAR(*row.regret, 0.06, 0.01);
}

TEST(JudgeTest, ExchangedNicsAreWrongOnBothSides) {
  World world(MakeP4d());
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:10:1c.0 0000:90:1b.0", "gpu:0000:90:1c.0 0000:10:1b.0",
                      "gpu:0000:20:1c.0 0000:20:1b.0", "gpu:0000:a0:1c.0 0000:a0:1b.0"});
  world.Check(decision);
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& row = RowOf(judgement, "gpu:0000:10:1c.0");
  EXPECT_EQ(row.verdict, Verdict::kWrong) << row.reason;
  EXPECT_EQ(row.best, std::vector{world.nic("0000:10:1b.0")});
  EXPECT_NE(row.reason.find("in exchange with gpu:0000:90:1c.0"), std::string::npos) << row.reason;
  EXPECT_EQ(RowOf(judgement, "gpu:0000:90:1c.0").verdict, Verdict::kWrong);
  EXPECT_EQ(RowOf(judgement, "gpu:0000:20:1c.0").verdict, Verdict::kOk)
      << RowOf(judgement, "gpu:0000:20:1c.0").reason;
  EXPECT_EQ(RowOf(judgement, "gpu:0000:a0:1c.0").verdict, Verdict::kOk);
}

TEST(JudgeTest, OneSlowNicIsSlowAndNotAReasonToTakeAnothersNic) {
  World world(MakeP5());
  const PciAddress slow = Pci("0000:72:00.0");
  world.speed = Scaled([](const Cell&, Relation) { return 12.5e9; }, 0.6,
                       [=](const Cell& cell) { return cell.nic.address == slow; });
  const Decision decision = NearestOf(world);
  world.Check(decision);
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& row = RowOf(judgement, "gpu:0000:75:00.0");
  EXPECT_EQ(row.verdict, Verdict::kSlow) << row.reason;
  EXPECT_EQ(row.reason.find("0000:72:00.0 (rdmap114s0) gives 7."), 0u) << row.reason;
  EXPECT_NE(row.reason.find("the median of 32 same_switch cells is 12."), std::string::npos);
  EXPECT_NE(row.reason.find("have this NIC checked"), std::string::npos);
  for (const PlacementRow& other : judgement.placement) {
    if (&other == &row) continue;
    EXPECT_EQ(other.verdict, Verdict::kOk) << other.reason;
  }
  EXPECT_EQ(ExitStatusOf(judgement.placement), 1);
  const auto slow_cells =
      std::count_if(judgement.summary.begin(), judgement.summary.end(), [&](const SummaryRow& r) {
        return r.verdict == Verdict::kSlow && r.cell.nic.address == slow;
      });
  EXPECT_GT(slow_cells, 0);
}

TEST(JudgeTest, SharedNicsWhileOthersIdle) {
  World world(MakeP5());
  world.speed = [](const Cell&, Relation) { return 12.5e9; };
  const std::string nics = " 0000:4f:00.0 0000:50:00.0 0000:51:00.0 0000:52:00.0";
  const Decision decision =
      MakeDecision(world.machine, {"gpu:0000:53:00.0" + nics, "gpu:0000:64:00.0" + nics});
  world.Check(decision);
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& stays = RowOf(judgement, "gpu:0000:53:00.0");
  const PlacementRow& moves = RowOf(judgement, "gpu:0000:64:00.0");
  EXPECT_EQ(stays.verdict, Verdict::kOversubscribed) << stays.reason;
  EXPECT_TRUE(stays.best.empty());
  EXPECT_EQ(moves.verdict, Verdict::kOversubscribed) << moves.reason;
  EXPECT_EQ(moves.best, (std::vector{world.nic("0000:60:00.0"), world.nic("0000:61:00.0"),
                                     world.nic("0000:62:00.0"), world.nic("0000:63:00.0")}));
  EXPECT_NE(stays.reason.find("give gpu:0000:64:00.0 them instead"), std::string::npos)
      << stays.reason;
  EXPECT_EQ(ExitStatusOf(judgement.placement), 1);
}

TEST(JudgeTest, SharingWithoutIdleNicsIsNoFault) {
  World world(MakeP4d());
  const Decision decision = NearestOf(world);  // 4 NICs for 8 GPUs
  world.Check(decision);
  for (const PlacementRow& row : JudgeWorld(world, decision).placement) {
    EXPECT_EQ(row.verdict, Verdict::kOk) << row.reason;
  }
}

TEST(JudgeTest, ANicThatNobodyUsesIsIdle) {
  World world(MakeP5());
  Decision decision = NearestOf(world);
  decision.assignments[2].nics.pop_back();
  world.Check(decision);
  const Judgement judgement = JudgeWorld(world, decision);
  const std::vector<PlacementRow> idle = IdleRows(judgement);
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_EQ(idle[0].consumer.ToString(), "gpu:0000:75:00.0");
  EXPECT_TRUE(idle[0].chosen.empty());
  EXPECT_EQ(idle[0].best, std::vector{world.nic("0000:74:00.0")});
  EXPECT_NE(idle[0].reason.find("give it to gpu:0000:75:00.0"), std::string::npos);
  EXPECT_EQ(RowOf(judgement, "gpu:0000:75:00.0").verdict, Verdict::kOk);
  EXPECT_EQ(ExitStatusOf(judgement.placement), 1);
}

// One window of the chosen NICs, disturbed, makes a slow idle one look as good.
TEST(JudgeTest, SingleWindowsDoNotMakeANicIdle) {
  World world(MakeP5());
  Decision decision = NearestOf(world);
  decision.assignments[2].nics.pop_back();
  world.Screen();
  const Judgement screened = JudgeWorld(world, decision);
  EXPECT_TRUE(IdleRows(screened).empty());
  const PlacementRow& row = screened.placement.back();
  EXPECT_EQ(row.verdict, Verdict::kUndecided);
  EXPECT_EQ(row.consumer.ToString(), "gpu:0000:75:00.0");
  EXPECT_TRUE(row.best.empty());
  EXPECT_NE(row.reason.find("0000:74:00.0"), std::string::npos) << row.reason;
  EXPECT_NE(row.reason.find("--time-budget"), std::string::npos) << row.reason;
  EXPECT_EQ(ExitStatusOf(screened.placement), 3);

  // Rounds that show the idle one to be slow clear it, whatever the screening said.
  const PciAddress idle = Pci("0000:74:00.0");
  const auto pairs = Shortlist(world.machine, world.census, world.samples, decision);
  world.speed =
      Scaled(World::NearIsFast, 0.6, [=](const Cell& cell) { return cell.nic.address == idle; });
  world.Measure(pairs, 9);
  for (Sample& sample : world.samples) {
    if (sample.cell.place.ToString() == "gpu:0000:75:00.0" && sample.round == 0) {
      sample.throughput = BytesPerSecond{7e9};
    }
  }
  EXPECT_TRUE(IdleRows(JudgeWorld(world, decision)).empty());
}

TEST(JudgeTest, ABrokenNicLeftUnusedIsRight) {
  World world(MakeP5());
  const PciAddress broken = Pci("0000:74:00.0");
  world.speed =
      Scaled(World::NearIsFast, 0.3, [=](const Cell& cell) { return cell.nic.address == broken; });
  Decision decision = NearestOf(world);
  decision.assignments[2].nics.pop_back();
  world.Check(decision);
  const Judgement judgement = JudgeWorld(world, decision);
  EXPECT_TRUE(IdleRows(judgement).empty());
  EXPECT_EQ(ExitStatusOf(judgement.placement), 0);
}

TEST(JudgeTest, WithoutRdmaWriteReadAloneIsJudged) {
  World world(MakeP4d());
  world.speed = [](const Cell& cell, Relation relation) {
    return cell.operation == Operation::kWrite ? -1 : World::NearIsFast(cell, relation);
  };
  for (const bool good : {true, false}) {
    world.samples.clear();
    const Decision decision =
        good ? NearestOf(world) : MakeDecision(world.machine, {"gpu:0000:10:1c.0 0000:90:1b.0"});
    world.Check(decision);
    const Judgement judgement = JudgeWorld(world, decision);
    const PlacementRow& row = RowOf(judgement, "gpu:0000:10:1c.0");
    EXPECT_EQ(row.verdict, good ? Verdict::kOk : Verdict::kWrong) << row.reason;
    EXPECT_NE(row.reason.find("WRITE was not judged: the device cannot do it."), std::string::npos)
        << row.reason;
  }
}

TEST(JudgeTest, AMissingDirectionIsUndecided) {
  World world(MakeP5());
  const Decision decision = NearestOf(world);
  world.Check(decision);
  std::erase_if(world.samples, [](const Sample& sample) {
    return sample.cell.direction == Direction::kFromMemory &&
           sample.cell.operation == Operation::kRead;
  });
  const Judgement judgement = JudgeWorld(world, decision);
  for (const PlacementRow& row : judgement.placement) {
    EXPECT_EQ(row.verdict, Verdict::kUndecided) << row.reason;
  }
  EXPECT_EQ(judgement.placement[0].reason.find(
                "READ from_memory of 0000:4f:00.0 (rdmap79s0) was not measured (and 3 more)"),
            0u)
      << judgement.placement[0].reason;
  EXPECT_EQ(ExitStatusOf(judgement.placement), 3);
}

TEST(JudgeTest, NothingMeasuredIsUndecided) {
  World world(MakeP5());
  const Decision decision = NearestOf(world);
  Judgement judgement = Judge(world.machine, world.census, {}, decision);
  for (const PlacementRow& row : judgement.placement) {
    EXPECT_EQ(row.verdict, Verdict::kUndecided);
    EXPECT_FALSE(row.regret);
  }
  EXPECT_EQ(ExitStatusOf(judgement.placement), 3);
  // Not even a census, or a consumer.
  EXPECT_EQ(ExitStatusOf(Judge(world.machine, {}, {}, decision).placement), 3);
  EXPECT_EQ(ExitStatusOf(Judge(Machine(), {}, {}, Decision()).placement), 3);
}

TEST(JudgeTest, WithoutTheOthersABetterOneCannotBeExcluded) {
  World world(MakeP5());
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0"});
  world.Check(decision);
  std::erase_if(world.samples, [](const Sample& sample) {
    return sample.cell.nic.address != PciAddress{0, 0x4f, 0, 0};
  });
  const PlacementRow row = JudgeWorld(world, decision).placement.at(0);
  EXPECT_EQ(row.verdict, Verdict::kUndecided);
  EXPECT_NE(row.reason.find("None of the 31 other NICs was measured"), std::string::npos);
}

TEST(JudgeTest, ASuspicionWithoutRoundsIsUndecided) {
  World world(MakeP5());
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"});
  world.Screen();
  const PlacementRow row = JudgeWorld(world, decision).placement.at(0);
  EXPECT_EQ(row.verdict, Verdict::kUndecided) << row.reason;
  EXPECT_NE(row.reason.find("allow more time"), std::string::npos) << row.reason;
  EXPECT_NEAR(*row.regret, 0.5, 0.02);
  EXPECT_FALSE(row.regret_low);
}

TEST(JudgeTest, RoundsThatSpreadAreNoisy) {
  World world(MakeP5());
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:60:00.0"});
  world.speed = [](const Cell&, Relation) { return 12.5e9; };
  world.Screen();
  // Two modes: the chosen NIC has half the speed in every other round.
  const std::vector<CellPair> pairs =
      Shortlist(world.machine, world.census, world.samples, decision);
  for (const CellPair& pair : pairs) {
    for (uint32_t round = 1; round <= 9; ++round) {
      world.Add(pair.cell, round, round % 2 == 0 ? 12.5e9 : 6.25e9);
      world.Add(pair.other, round, 12.5e9);
    }
  }
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& row = judgement.placement.at(0);
  EXPECT_EQ(row.verdict, Verdict::kNoisy) << row.reason;
  EXPECT_EQ(ExitStatusOf(std::span(judgement.placement).first(1)), 3);
  EXPECT_EQ(StillInDoubt(world.machine, world.census, world.samples, decision, pairs).size(),
            pairs.size());
}

TEST(JudgeTest, InvalidSamplesAreInvalid) {
  World world(MakeP5());
  const Decision decision = NearestOf(world);
  world.Check(decision);
  for (Sample& sample : world.samples) {
    if (sample.cell.nic.address != Pci("0000:50:00.0")) continue;
    sample.status = SampleStatus::kInvalid;
    sample.reason = "the counters moved 0 bytes";
  }
  const Judgement judgement = JudgeWorld(world, decision);
  const PlacementRow& row = RowOf(judgement, "gpu:0000:53:00.0");
  EXPECT_EQ(row.verdict, Verdict::kInvalid) << row.reason;
  EXPECT_NE(row.reason.find("the counters moved 0 bytes"), std::string::npos) << row.reason;
  EXPECT_EQ(ExitStatusOf(judgement.placement), 3);
}

TEST(JudgeTest, FailedSamplesAreUndecided) {
  World world(MakeP5());
  const Decision decision = NearestOf(world);
  world.Check(decision);
  for (Sample& sample : world.samples) {
    if (sample.cell.nic.address != Pci("0000:50:00.0")) continue;
    sample.status = SampleStatus::kFailed;
    sample.reason = "IBV_WC_RETRY_EXC_ERR";
  }
  const PlacementRow row = RowOf(JudgeWorld(world, decision), "gpu:0000:53:00.0");
  EXPECT_EQ(row.verdict, Verdict::kUndecided);
  EXPECT_NE(row.reason.find("IBV_WC_RETRY_EXC_ERR"), std::string::npos) << row.reason;
}

// Zero, absent and impossible throughputs give some verdict and no number that is none.
TEST(JudgeTest, HostileThroughputs) {
  for (const double value : {0.0, -1.0, std::nan(""), double{INFINITY}, 1e-300, 1e300}) {
    World world(MakeP5());
    const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"});
    world.Check(decision);
    for (Sample& sample : world.samples) {
      if (sample.cell.nic.address == Pci("0000:c6:00.0")) {
        sample.throughput = BytesPerSecond{value};
      }
    }
    const Judgement judgement = JudgeWorld(world, decision);
    for (const PlacementRow& row : judgement.placement) {
      EXPECT_EQ(row.reason.find("nan"), std::string::npos) << row.reason;
      EXPECT_EQ(row.reason.find("inf"), std::string::npos) << row.reason;
      EXPECT_TRUE(!row.regret || (*row.regret >= 0 && *row.regret <= 1)) << value;
    }
    const Verdict verdict = judgement.placement.at(0).verdict;
    EXPECT_TRUE(value != 0 || verdict == Verdict::kWrong);
    const bool impossible = !(value >= 0) || std::isinf(value);
    EXPECT_TRUE(!impossible || verdict == Verdict::kInvalid) << value;
  }
}

TEST(JudgeTest, TheOrderOfSamplesChangesNoVerdict) {
  World world(MakeP5());
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"});
  world.Check(decision);
  const PlacementRow row = JudgeWorld(world, decision).placement.at(0);
  std::reverse(world.samples.begin(), world.samples.end());
  const PlacementRow reversed = JudgeWorld(world, decision).placement.at(0);
  EXPECT_EQ(reversed.verdict, row.verdict);
  EXPECT_EQ(reversed.best, row.best);
}

// The recorded files are enough to repeat every verdict.
TEST(JudgeTest, RecordedFilesGiveTheSameVerdicts) {
  World world(MakeP5());
  const Decision decision = MakeDecision(
      world.machine, {"gpu:0000:53:00.0 0000:c6:00.0 0000:4f:00.0", "numa1 0000:93:00.0"});
  world.Check(decision);
  const RunIdentity run = {"id", "host", "", "p5.48xlarge", "emulated"};
  const auto census = ParseReport<CensusRow>(CsvFile<CensusRow>(run, world.census), "census.csv");
  const auto samples = ParseReport<Sample>(CsvFile<Sample>(run, world.samples), "samples.csv");
  ASSERT_TRUE(census && samples);
  const Judgement now = JudgeWorld(world, decision);
  const Judgement later = Judge(world.machine, census->rows, samples->rows, decision);
  EXPECT_EQ(CsvFile<PlacementRow>(run, later.placement), CsvFile<PlacementRow>(run, now.placement));
  EXPECT_EQ(CsvFile<SummaryRow>(run, later.summary), CsvFile<SummaryRow>(run, now.summary));
}

TEST(JudgeTest, ExitStatus) {
  const auto status = [](std::initializer_list<Verdict> verdicts) {
    std::vector<PlacementRow> rows;
    for (const Verdict verdict : verdicts) {
      rows.emplace_back();
      rows.back().verdict = verdict;
    }
    return ExitStatusOf(rows);
  };
  EXPECT_EQ(status({}), 3);
  EXPECT_EQ(status({Verdict::kOk}), 0);
  for (const Verdict bad :
       {Verdict::kSlow, Verdict::kWrong, Verdict::kOversubscribed, Verdict::kIdle}) {
    EXPECT_EQ(status({Verdict::kOk, bad}), 1);
    EXPECT_EQ(status({Verdict::kNoisy, bad}), 1);
  }
  for (const Verdict unclear : {Verdict::kNoisy, Verdict::kInvalid, Verdict::kUndecided}) {
    EXPECT_EQ(status({Verdict::kOk, unclear}), 3);
  }
}

}  // namespace
}  // namespace railgauge
