#include "lib/compare/compare.h"

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr char kSlowNic[] = "0000:62:00.0";

RunReadings Readings(const World& world, const std::string& id) {
  return ReadingsOf({id, "host", "", world.machine.instance_type, "emulated"}, world.machine,
                    world.census, world.samples, std::nullopt);
}

// The baseline of `runs` runs of the world as it is.
Baseline BaselineOf(World& world, int runs) {
  BaselineMaker maker;
  for (int i = 0; i < runs; ++i) {
    world.samples.clear();
    world.Screen();
    EXPECT_TRUE(maker.Add(Readings(world, "base-" + std::to_string(i)), "base"));
  }
  world.samples.clear();
  return *maker.Finish();
}

RunComparison Held(const Baseline& baseline, const World& world, const JudgeGates& gates = {}) {
  const auto comparison =
      CompareWithBaseline(baseline, "BASE", Readings(world, "run"), "RUN", gates);
  EXPECT_TRUE(comparison) << comparison.error().ToString();
  return *comparison;
}

size_t Count(const RunComparison& comparison, CompareVerdict verdict) {
  const auto found = comparison.counts.find(verdict);
  return found == comparison.counts.end() ? 0 : found->second;
}

std::set<std::string> NicsWith(const RunComparison& comparison, CompareVerdict verdict) {
  std::set<std::string> nics;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict == verdict) nics.insert(row.nic ? row.nic->address.ToString() : "none");
  }
  return nics;
}

World::Speed Times(double factor, std::function<bool(const Cell&)> where) {
  return [=](const Cell& cell, Relation relation) {
    return World::NearIsFast(cell, relation) * (where(cell) ? factor : 1);
  };
}
bool IsSlowNic(const Cell& cell) { return cell.nic.address == Pci(kSlowNic); }

TEST(CompareTest, ARunIsTheSameAsItself) {
  World world(MakeP5());
  world.Screen();
  BaselineMaker maker;
  ASSERT_TRUE(maker.Add(Readings(world, "one"), "one"));
  const RunComparison comparison = Held(*maker.Finish(), world);
  EXPECT_EQ(comparison.whole, CompareVerdict::kSame);
  EXPECT_EQ(Count(comparison, CompareVerdict::kSame), comparison.rows.size());
  EXPECT_EQ(comparison.rows.size(), 32u * 10 * 4);
}

TEST(CompareTest, HealthyRunsAreTheSame) {
  World world(MakeP5());
  world.noise = 0.01;
  for (const int runs : {1, 3, 8}) {
    const Baseline baseline = BaselineOf(world, runs);
    for (int i = 0; i < 10; ++i) {
      world.samples.clear();
      world.Screen();
      EXPECT_EQ(Held(baseline, world).whole, CompareVerdict::kSame) << runs;
    }
  }
}

// One window in fifty has lost a third: single windows accuse nobody.
TEST(CompareTest, SpoiledWindowsAreNoSlowNics) {
  World world(MakeP5());
  std::mt19937_64 generator(7);
  world.speed = [&](const Cell& cell, Relation relation) {
    return World::NearIsFast(cell, relation) * (generator() % 50 == 0 ? 0.66 : 1);
  };
  for (const int runs : {1, 3}) {
    const Baseline baseline = BaselineOf(world, runs);
    for (int i = 0; i < 10; ++i) {
      world.samples.clear();
      world.Screen();
      const RunComparison comparison = Held(baseline, world);
      EXPECT_EQ(Count(comparison, CompareVerdict::kSlower), 0u) << runs;
      EXPECT_GT(Count(comparison, CompareVerdict::kNoisy), 0u);
      EXPECT_EQ(comparison.whole, CompareVerdict::kNoisy);
    }
  }
}

TEST(CompareTest, ASlowNicIsFoundBySingleWindows) {
  World world(MakeP5());
  world.noise = 0.01;
  const Baseline baseline = BaselineOf(world, 1);
  world.speed = Times(0.8, IsSlowNic);
  world.Screen();
  const RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(comparison.whole, CompareVerdict::kSlower);
  EXPECT_EQ(Count(comparison, CompareVerdict::kSlower), 40u);
  EXPECT_EQ(NicsWith(comparison, CompareVerdict::kSlower), std::set<std::string>{kSlowNic});
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != CompareVerdict::kSlower) continue;
    EXPECT_EQ(row.evidence, "nic");
    EXPECT_LE(*row.adjusted_p_value, 0.05);
    EXPECT_NEAR(*row.ratio, 0.8, 0.06);
    EXPECT_NE(row.reason.find("slower: "), std::string::npos) << row.reason;
  }
}

bool IsWriteFrom(const Cell& cell) {
  return cell.operation == Operation::kWrite && cell.direction == Direction::kFromMemory;
}

// Slow in one direction of one operation alone: four NICs' single windows tell.
TEST(CompareTest, OneDirectionIsNamedAlone) {
  World world(MakeP4d());
  const Baseline baseline = BaselineOf(world, 1);
  const PciAddress slow = world.machine.nics[2].position.address;
  world.speed =
      Times(0.7, [&](const Cell& cell) { return cell.nic.address == slow && IsWriteFrom(cell); });
  world.Screen();
  const RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(Count(comparison, CompareVerdict::kSlower), 10u);
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != CompareVerdict::kSlower) continue;
    EXPECT_EQ(row.cell.operation, Operation::kWrite);
    EXPECT_EQ(row.cell.direction, Direction::kFromMemory);
  }
}

// Ten windows are too few among the comparisons of 32 NICs, and that is said.
TEST(CompareTest, OneDirectionOfOneNicOf32IsNoisy) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 1);
  world.speed = Times(0.7, [](const Cell& cell) { return IsSlowNic(cell) && IsWriteFrom(cell); });
  world.Screen();
  const RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(comparison.whole, CompareVerdict::kNoisy);
  EXPECT_EQ(Count(comparison, CompareVerdict::kNoisy), 10u);
  EXPECT_EQ(NicsWith(comparison, CompareVerdict::kNoisy), std::set<std::string>{kSlowNic});
}

// What a driver does to all NICs alike, and to host memory only.
TEST(CompareTest, AllNicsSlowerIsFoundByTheirClass) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 1);
  world.speed = Times(0.8, [](const Cell& cell) { return cell.place.is_host(); });
  world.Screen();
  const RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(Count(comparison, CompareVerdict::kSlower), 32u * 2 * 4);
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.verdict == CompareVerdict::kSlower, row.place->is_host());
    EXPECT_EQ(row.evidence, row.place->is_host() ? "class" : "");
  }
}

// One path of one NIC: neither the NIC nor the class shows it, its own windows do.
TEST(CompareTest, OnePathIsFoundByItsWindows) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 3);
  const Cell path =
      world.CellOf(kSlowNic, "gpu:0000:64:00.0", Operation::kRead, Direction::kToMemory);
  world.speed = Times(0.6, [&](const Cell& cell) { return cell == path; });
  world.Screen();
  RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(Count(comparison, CompareVerdict::kSlower), 0u);
  EXPECT_EQ(Count(comparison, CompareVerdict::kNoisy), 1u);
  EXPECT_EQ(comparison.whole, CompareVerdict::kNoisy);

  for (uint32_t round = 1; round <= 9; ++round) world.Add(path, round, 0.6 * 12.5e9 + round * 1e6);
  comparison = Held(baseline, world);
  ASSERT_EQ(Count(comparison, CompareVerdict::kSlower), 1u);
  const auto row =
      std::find_if(comparison.rows.begin(), comparison.rows.end(),
                   [](const ComparisonRow& one) { return one.verdict == CompareVerdict::kSlower; });
  EXPECT_EQ(row->evidence, "windows");
  EXPECT_NEAR(*row->ratio, 0.6, 0.01);
  EXPECT_LT(*row->ratio_low, *row->ratio);
  EXPECT_GT(*row->ratio_high, *row->ratio);
  EXPECT_EQ(row->place->ToString(), "gpu:0000:64:00.0");
}

TEST(CompareTest, FasterIsSaidAndNotBad) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 1);
  world.speed = Times(1.3, IsSlowNic);
  world.Screen();
  const RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(comparison.whole, CompareVerdict::kFaster);
  EXPECT_EQ(NicsWith(comparison, CompareVerdict::kFaster), std::set<std::string>{kSlowNic});
  EXPECT_EQ(Count(comparison, CompareVerdict::kFaster), 40u);
}

// A baseline of a bad NIC, and a run that holds too little of the good one to be certain.
TEST(CompareTest, WhatMayBeFasterSaysWhyItIsNotCertain) {
  World world(MakeP5());
  const Cell path =
      world.CellOf(kSlowNic, "gpu:0000:64:00.0", Operation::kRead, Direction::kToMemory);
  world.speed = Times(0.6, [&](const Cell& cell) { return cell == path; });
  const Baseline baseline = BaselineOf(world, 3);
  world.speed = World::NearIsFast;
  world.Screen();
  const RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(comparison.whole, CompareVerdict::kSame);
  size_t told = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.reason.empty()) continue;
    ++told;
    EXPECT_EQ(row.nic->address, Pci(kSlowNic));
    EXPECT_TRUE(row.reason.starts_with("67 % faster: ")) << row.reason;
    EXPECT_TRUE(row.reason.ends_with("1 window is too few to tell")) << row.reason;
  }
  EXPECT_EQ(told, 1u);
}

// A run held against a baseline of itself: the same median, and windows that could hide a loss.
TEST(CompareTest, WindowsThatSpreadDoNotExcludeALoss) {
  World world(MakeP5());
  world.Screen();
  const Cell path =
      world.CellOf(kSlowNic, "gpu:0000:64:00.0", Operation::kRead, Direction::kToMemory);
  for (uint32_t round = 1; round <= 10; ++round) {
    world.Add(path, round, (round % 2 == 0 ? 12.5e9 : 6e9) + round * 1e6);
  }
  BaselineMaker maker;
  ASSERT_TRUE(maker.Add(Readings(world, "one"), "one"));
  const RunComparison comparison = Held(*maker.Finish(), world);
  EXPECT_EQ(comparison.whole, CompareVerdict::kNoisy);
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != CompareVerdict::kNoisy) continue;
    EXPECT_NE(row.reason.find("a loss of more than 10 % is not excluded: its 11 windows from"),
              std::string::npos)
        << row.reason;
  }
}

TEST(CompareTest, TheMarginIsTheUsers) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 3);
  world.speed = Times(0.95, IsSlowNic);
  world.Screen();
  EXPECT_EQ(Held(baseline, world).whole, CompareVerdict::kSame);
  JudgeGates gates;
  gates.bad_placement = 0.03;
  const RunComparison comparison = Held(baseline, world, gates);
  EXPECT_EQ(NicsWith(comparison, CompareVerdict::kSlower), std::set<std::string>{kSlowNic});
  EXPECT_EQ(Count(comparison, CompareVerdict::kSlower), 40u);
}

// Another host of the type: buses are numbered otherwise, and one NIC is not there.
TEST(CompareTest, AMissingNicIsMissingAndShiftsNoOther) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 1);
  Machine machine = MakeP5();
  machine.nics.erase(machine.nics.begin() + 5);
  for (size_t i = 5; i < 7; ++i) {
    --machine.nics[i].position.address.bus;
    machine.nics[i].name = "other";
  }
  World other(machine);
  other.Screen();
  const RunComparison comparison = Held(baseline, other);
  EXPECT_EQ(comparison.whole, CompareVerdict::kMissing);
  EXPECT_EQ(Count(comparison, CompareVerdict::kSame), 31u * 10 * 4);
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != CompareVerdict::kMissing) continue;
    EXPECT_EQ(row.cell.nic_slot, "1/00.0/00.0/01.1/00.0");
    EXPECT_EQ(row.reason, "the machine shows no EFA NIC in this slot");
    EXPECT_FALSE(row.nic);
  }
  EXPECT_GT(Count(comparison, CompareVerdict::kMissing), 0u);
}

TEST(CompareTest, NotMeasuredIsMissingWithItsReasonAndMoreIsNew) {
  World world(MakeP5());
  const Baseline whole = BaselineOf(world, 1);
  world.speed = [](const Cell& cell, Relation relation) {
    return IsSlowNic(cell) ? -1 : World::NearIsFast(cell, relation);
  };
  const Baseline part = BaselineOf(world, 1);
  world.Screen();
  const RunComparison comparison = Held(whole, world);
  EXPECT_EQ(NicsWith(comparison, CompareVerdict::kMissing), std::set<std::string>{kSlowNic});
  EXPECT_EQ(comparison.rows.back().reason, "not measured: the device cannot do it");

  world.speed = World::NearIsFast;
  world.samples.clear();
  world.Screen();
  const RunComparison more = Held(part, world);
  EXPECT_EQ(more.whole, CompareVerdict::kSame);
  EXPECT_EQ(NicsWith(more, CompareVerdict::kNew), std::set<std::string>{kSlowNic});
}

// Whatever went wrong in it, a run lacks nothing that it has.
TEST(CompareTest, ARunHeldAgainstItselfIsNeverNewOrMissing) {
  World world(MakeP5());
  world.Screen();
  const PciAddress gpu = Pci("0000:53:00.0");
  for (Sample& sample : world.samples) {
    const Cell& cell = sample.cell;
    if (cell.direction == Direction::kToMemory) sample.disturbed = IsSlowNic(cell);
    if (cell.place != MemoryPlace::Gpu(gpu)) continue;
    const bool failed = cell.operation == Operation::kWrite;
    sample.status = failed ? SampleStatus::kWrongData : SampleStatus::kSkipped;
    sample.throughput.reset();
    sample.reason = failed ? "byte 0 differs" : "no time";
    if (!failed) sample.skip_cause = SkipCause::kNoTime;
  }
  const RunReadings run = Readings(world, "run");
  BaselineMaker maker;
  ASSERT_TRUE(maker.Add(run, "run"));
  const auto comparison = CompareWithBaseline(*maker.Finish(), "run", run, "run");
  ASSERT_TRUE(comparison) << comparison.error().ToString();
  EXPECT_EQ(Count(*comparison, CompareVerdict::kNew), 0u);
  EXPECT_EQ(Count(*comparison, CompareVerdict::kMissing), 0u);
  EXPECT_EQ(Count(*comparison, CompareVerdict::kSlower), 0u);
  EXPECT_GT(comparison->left_out, 0u);
  // What went wrong at one place of several is told.
  EXPECT_GT(Count(*comparison, CompareVerdict::kNoisy), 0u);
  EXPECT_GT(Count(*comparison, CompareVerdict::kSame), 1000u);
}

// A thread that was kept from its CPU is no slow NIC.
TEST(CompareTest, DisturbedCellsProveNothing) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 3);
  world.speed = Times(0.6, IsSlowNic);
  world.Screen();
  for (Sample& sample : world.samples) sample.disturbed = IsSlowNic(sample.cell);
  const RunComparison comparison = Held(baseline, world);
  EXPECT_EQ(Count(comparison, CompareVerdict::kSlower), 0u);
  EXPECT_EQ(Count(comparison, CompareVerdict::kNoisy), 40u);
}

// The fixed partner of loopback is slow in what is measured with it: the row says who it is.
TEST(CompareTest, ASlowPartnerIsNamed) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 1);
  const PciAddress partner = Pci("0000:71:00.0");
  world.speed =
      Times(0.7, [&](const Cell& cell) { return IsSlowNic(cell) || cell.nic.address == partner; });
  world.Screen();
  for (Sample& sample : world.samples) {
    if (IsSlowNic(sample.cell)) sample.partner = {partner, "rdmap113s0"};
  }
  size_t named = 0;
  for (const ComparisonRow& row : Held(baseline, world).rows) {
    named +=
        row.reason.find("its partner in loopback, 0000:71:00.0, is slower") != std::string::npos;
  }
  EXPECT_EQ(named, 40u);
}

// Also where neither is certain.
TEST(CompareTest, APartnerThatLooksSlowIsNamed) {
  World world(MakeP5());
  const Baseline baseline = BaselineOf(world, 3);
  const PciAddress partner = Pci("0000:71:00.0");
  const auto is_slow = [&](const Cell& cell) {
    return IsSlowNic(cell) || cell.nic.address == partner;
  };
  world.speed = Times(0.7, is_slow);
  world.Screen();
  for (Sample& sample : world.samples) {
    sample.disturbed = is_slow(sample.cell);
    if (IsSlowNic(sample.cell)) sample.partner = {partner, "rdmap113s0"};
  }
  const auto named = [](const RunComparison& comparison) {
    return std::count_if(
        comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
          return row.reason.find("its partner in loopback, 0000:71:00.0, looks slower") !=
                 std::string::npos;
        });
  };
  const RunComparison unsure = Held(baseline, world);
  EXPECT_EQ(Count(unsure, CompareVerdict::kNoisy), 80u);
  EXPECT_EQ(named(unsure), 40);
  // Noise of the partner is no excuse for a NIC that is slow for certain.
  for (Sample& sample : world.samples) sample.disturbed = sample.cell.nic.address == partner;
  const RunComparison sure = Held(baseline, world);
  EXPECT_EQ(Count(sure, CompareVerdict::kSlower), 40u);
  EXPECT_EQ(named(sure), 0);
}

TEST(CompareTest, WhatIsNotComparableIsRefused) {
  World p5(MakeP5()), p4d(MakeP4d());
  p4d.machine.instance_type = "p4d.24xlarge";
  const Baseline baseline = BaselineOf(p5, 1);
  p4d.Screen();
  const auto comparison = CompareWithBaseline(baseline, "BASE", Readings(p4d, "r"), "RUN");
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().ToString(),
            "compare RUN: its instance type is 'p4d.24xlarge', and that of BASE 'p5.48xlarge'. "
            "Compare machines of one type only.");
  // Nothing measured at all.
  const auto empty = CompareWithBaseline(baseline, "BASE", Readings(World(MakeP5()), "r"), "RUN");
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().ToString().find("none of its cells was measured and is in BASE"),
            std::string::npos);
}

}  // namespace
}  // namespace railgauge
