#include "lib/placement/loaded.h"

#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr uint32_t kRounds = 9;
constexpr double kLine = 12.5e9;

// Samples of groups on p5's shape: every NIC alone at the line rate, and together at what the test
// says. Far ends lie in the GPU below the partner's switch; of NICs below one switch, the partners
// are below different ones.
class World {
 public:
  LoadGroup Group(const std::string& load, size_t first, size_t count, const MemoryPlace& place,
                  Direction direction = Direction::kToMemory) const {
    LoadGroup group{load, {}};
    for (size_t i = first; i < first + count; ++i) {
      Cell cell;
      cell.nic = machine.nics[i].key();
      cell.place = place;
      cell.direction = direction;
      cell.size = Bytes{1 << 20};
      cell.depth = 32;
      cell.load = load;
      group.members.push_back(cell);
    }
    return group;
  }

  LoadGroup AtNearestGpus() const {
    LoadGroup group = Group("all", 0, 32, MemoryPlace::NumaNode(0));
    for (size_t i = 0; i < 32; ++i) {
      group.members[i].place = MemoryPlace::Gpu(machine.gpus[i / 4].position.address);
    }
    return group;
  }

  // `sum`, in GB/s, of all members together, spread evenly.
  void Measure(const LoadGroup& group, double sum, uint32_t rounds = kRounds) {
    groups.push_back(group);
    for (uint32_t round = 1; round <= rounds; ++round) {
      const double wobble = 1 + 0.002 * (round % 3);
      for (Cell cell : group.members) {
        Add(cell, round, sum * 1e9 / static_cast<double>(group.members.size()) * wobble);
        cell.load = "alone";
        Add(cell, round, kLine * wobble);
      }
    }
  }

  std::map<std::string, GroupRow> Judge() const {
    std::map<std::string, GroupRow> rows;
    for (const GroupRow& row : JudgeGroups(machine, groups, samples)) rows[row.load] = row;
    return rows;
  }

  Machine machine = MakeP5();
  std::vector<LoadGroup> groups;
  std::vector<Sample> samples;

 private:
  void Add(const Cell& cell, uint32_t round, double rate) {
    Sample sample;
    sample.cell = cell;
    sample.round = round;
    sample.status = SampleStatus::kOk;
    sample.throughput = BytesPerSecond{rate};
    size_t index = 0;
    while (machine.nics[index].key() != cell.nic) ++index;
    const size_t far_switch = (index / 4 + 1 + index % 4) % 8;
    sample.partner = machine.nics[far_switch * 4 + index % 4].key();
    sample.partner_place = MemoryPlace::Gpu(machine.gpus[far_switch].position.address);
    samples.push_back(sample);
  }
};

const MemoryPlace kNode0 = MemoryPlace::NumaNode(0);
const MemoryPlace kGpu0 = MemoryPlace::Gpu(Pci("0000:53:00.0"));

TEST(LoadedTest, WhatTheyShareIsNotFull) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kGpu0), 50);
  const GroupRow row = world.Judge().at("switch:44");
  EXPECT_EQ(row.sharing, Sharing::kIndependent);
  EXPECT_EQ(row.rounds, 9u);
  EXPECT_EQ(row.nic_count, 4u);
  EXPECT_NEAR(*row.sharing_factor, 1, 1e-9);
  EXPECT_NEAR(row.throughput_sum->value, 50e9, 0.2e9);
  EXPECT_EQ(row.resource, "");
  EXPECT_EQ(row.places, std::vector<MemoryPlace>{kGpu0});
}

// The switches' uplinks let 15.75 GB/s through and the node's memory 32.
TEST(LoadedTest, EachGroupIsNamedWithWhatIsFull) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kNode0), 15.75);
  world.Measure(world.Group("switch:55", 4, 4, kNode0), 15.75);
  world.Measure(world.Group("switch:66", 8, 4, kNode0), 15.75);
  world.Measure(world.Group("numa0", 0, 16, kNode0), 32);
  world.Measure(world.AtNearestGpus(), 400);
  const auto rows = world.Judge();
  EXPECT_EQ(rows.at("switch:44").sharing, Sharing::kSlowed);
  EXPECT_EQ(rows.at("switch:44").resource, "the uplink of switch 0000:44:00.0");
  EXPECT_EQ(rows.at("switch:55").resource, "the uplink of switch 0000:55:00.0");
  EXPECT_NEAR(*rows.at("switch:44").sharing_factor, 15.75 / 50, 1e-6);
  EXPECT_EQ(rows.at("switch:44").reason,
            "Together they move 68 % less than alone: most likely they share the uplink of switch "
            "0000:44:00.0; nothing else that the topology shows is common to them, but for what "
            "carried more in another group: the memory of numa0.");
  // Its uplinks carried more by themselves; the one that was not measured by itself is left, too.
  EXPECT_EQ(rows.at("numa0").resource, "the uplink of switch 0000:77:00.0 or the memory of numa0");
}

TEST(LoadedTest, WhatCannotBeToldApartIsNamedTogether) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kNode0), 15.75);
  EXPECT_EQ(world.Judge().at("switch:44").resource,
            "the uplink of switch 0000:44:00.0 or the memory of numa0");
}

TEST(LoadedTest, AGroupThatLosesWhatItsPartsLoseSharesNothingMore) {
  World world;
  world.Measure(world.Group("switch:44", 0, 2, kNode0), 15.75);
  world.Measure(world.Group("switch:55", 4, 2, kNode0), 15.75);
  LoadGroup both = world.Group("numa0", 0, 2, kNode0);
  for (const Cell& cell : world.Group("numa0", 4, 2, kNode0).members) both.members.push_back(cell);
  world.Measure(both, 31.5);
  const GroupRow row = world.Judge().at("numa0");
  EXPECT_EQ(row.sharing, Sharing::kSlowed);
  EXPECT_EQ(row.resource, "within switch:44, switch:55");
}

TEST(LoadedTest, TheWayThatDataGoesCounts) {
  World world;
  world.Measure(world.Group("a", 0, 4, kNode0), 15.75);
  // More in the other direction clears neither.
  world.Measure(world.Group("b", 0, 4, kNode0, Direction::kFromMemory), 40);
  EXPECT_EQ(world.Judge().at("a").resource,
            "the uplink of switch 0000:44:00.0 or the memory of numa0");
}

TEST(LoadedTest, TheOtherNodeIsBehindALink) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, MemoryPlace::NumaNode(1)), 15);
  EXPECT_EQ(world.Judge().at("switch:44").resource,
            "the uplink of switch 0000:44:00.0, the link from numa0 to numa1 or the memory of "
            "numa1");
}

// Below one switch only the GPU's link is shared, unless traffic is redirected (ACS).
TEST(LoadedTest, BelowTheSwitchTheUplinkIsOneOfTwo) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kGpu0), 15.75);
  EXPECT_EQ(world.Judge().at("switch:44").resource,
            "the uplink of switch 0000:44:00.0 (if traffic below it is redirected there) or the "
            "link of the GPU at 0000:53:00.0");
}

TEST(LoadedTest, BothWaysAtOnceShareTheNic) {
  World world;
  LoadGroup group = world.Group("bidirectional", 0, 1, kGpu0);
  group.members.push_back(
      world.Group("bidirectional", 0, 1, kGpu0, Direction::kFromMemory).members[0]);
  world.Measure(group, 15);
  const GroupRow row = world.Judge().at("bidirectional");
  EXPECT_FALSE(row.direction.has_value());
  EXPECT_EQ(row.nic_count, 1u);
  EXPECT_NEAR(*row.sharing_factor, 0.6, 1e-6);
  EXPECT_EQ(row.resource, "the NIC rdmap79s0 or the NIC rdmap96s0");
}

TEST(LoadedTest, SameIdsAreASuspectWithACaveat) {
  World world;
  LoadGroup group = world.Group("id:7", 0, 1, kGpu0);
  group.members.push_back(
      world.Group("id:7", 8, 1, MemoryPlace::Gpu(Pci("0000:75:00.0"))).members[0]);
  world.Measure(group, 12.5);
  for (Sample& sample : world.samples) sample.interconnect_id = 7;
  EXPECT_EQ(world.Judge().at("id:7").resource,
            "the interconnect with id 7 (if these devices mean the same by it)");
}

TEST(LoadedTest, APartnersSideIsShared) {
  World world;
  world.Measure(world.Group("switch:44", 0, 2, kGpu0), 15.75);
  for (Sample& sample : world.samples) {
    sample.partner =
        world.machine.nics[sample.cell.nic == world.machine.nics[0].key() ? 16 : 17].key();
    sample.partner_place = MemoryPlace::NumaNode(1);
  }
  EXPECT_EQ(world.Judge().at("switch:44").resource,
            "the uplink of switch 0000:44:00.0 (if traffic below it is redirected there), the "
            "uplink of switch 0000:88:00.0, the memory of numa1 or the link of the GPU at "
            "0000:53:00.0");
  for (Sample& sample : world.samples) sample.peer = "node-b";
  EXPECT_NE(world.Judge().at("switch:44").resource.find("something at node-b"), std::string::npos);
}

TEST(LoadedTest, FewRoundsProveNothing) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kNode0), 15.75, 5);
  const GroupRow row = world.Judge().at("switch:44");
  EXPECT_EQ(row.sharing, Sharing::kUndecided);
  EXPECT_NEAR(*row.sharing_factor, 0.315, 1e-6);
  EXPECT_FALSE(row.sharing_factor_low.has_value());
  EXPECT_EQ(row.reason, "It has 5 of the 8 rounds that decide something.");
}

// Threads that wait for a CPU look like NICs that share a link.
TEST(LoadedTest, AThreadWithoutACpuTellsNothingOfTheLink) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kGpu0), 15.75);
  for (Sample& sample : world.samples) {
    if (sample.cell.load == "alone" || sample.round > 6) continue;
    if (sample.cell.nic == world.machine.nics[2].key()) {
      sample.disturbed = true;
    }
  }
  const GroupRow row = world.Judge().at("switch:44");
  EXPECT_EQ(row.rounds, 3u);
  EXPECT_EQ(row.sharing, Sharing::kUndecided);
  EXPECT_EQ(row.resource, "");
  EXPECT_EQ(
      row.reason,
      "In 6 of 9 rounds a measuring thread was kept from its CPU, which leaves 3 of the 8 that "
      "decide something: this host has too few CPUs, or they are busy.");
}

// The first round that was not done has rows that say so.
TEST(LoadedTest, ABudgetThatWasTooShortIsTheReason) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kGpu0), 50, 6);
  for (Sample& sample : world.samples) {
    sample.disturbed = sample.round == 2;
    if (sample.round < 6) continue;
    sample.status = SampleStatus::kSkipped;
    sample.skip_cause = SkipCause::kNoTime;
    sample.throughput.reset();
  }
  const GroupRow row = world.Judge().at("switch:44");
  EXPECT_EQ(row.sharing, Sharing::kUndecided);
  EXPECT_EQ(row.rounds, 4u);
  EXPECT_EQ(row.reason,
            "There was time for 5 of the 8 rounds that decide something, and in 1 of them a "
            "measuring thread was kept from its CPU: raise --time-budget or select less.");
}

TEST(LoadedTest, AWindowTooShortForARateIsNoRound) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kGpu0), 50);
  for (Sample& sample : world.samples) {
    if (sample.cell.load == "alone") continue;
    sample.status = SampleStatus::kShortWindow;
    sample.throughput.reset();
    sample.reason = "nothing completed in the common window";
  }
  const GroupRow row = world.Judge().at("switch:44");
  EXPECT_EQ(row.rounds, 0u);
  EXPECT_EQ(row.reason, "A member was not measured: nothing completed in the common window.");
}

TEST(LoadedTest, AMemberThatFailsLeavesItUndecided) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kGpu0), 50);
  for (Sample& sample : world.samples) {
    if (sample.cell.nic != world.machine.nics[2].key() || sample.cell.load == "alone") continue;
    sample.status = SampleStatus::kFailed;
    sample.throughput.reset();
    sample.reason = "rdmap81s0 is gone.";
  }
  const GroupRow row = world.Judge().at("switch:44");
  EXPECT_EQ(row.rounds, 0u);
  EXPECT_EQ(row.reason, "A member was not measured: rdmap81s0 is gone.");
  EXPECT_FALSE(row.throughput_sum.has_value());
}

TEST(LoadedTest, TheSlowestIsNamed) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kGpu0), 50);
  for (Sample& sample : world.samples) {
    if (sample.cell.nic == world.machine.nics[3].key() && sample.cell.load != "alone") {
      sample.throughput = BytesPerSecond{9e9};
    }
  }
  const GroupRow row = world.Judge().at("switch:44");
  EXPECT_EQ(row.slowest_nic, world.machine.nics[3].key());
  EXPECT_EQ(row.slowest_throughput, BytesPerSecond{9e9});
}

TEST(LoadedTest, ThreadsThatNeverWaitAreTold) {
  World world;
  world.Measure(world.Group("switch:44", 0, 4, kNode0), 15.75);
  for (Sample& sample : world.samples) sample.cpu_bound = true;
  EXPECT_NE(world.Judge().at("switch:44").reason.find("may be the limit"), std::string::npos);
}

TEST(LoadedTest, NothingMeasuredIsNoRowsLost) {
  World world;
  world.groups.push_back(world.Group("switch:44", 0, 4, kGpu0));
  const auto rows = JudgeGroups(world.machine, world.groups, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].sharing, Sharing::kUndecided);
  EXPECT_EQ(rows[0].nic_count, 4u);
}

}  // namespace
}  // namespace railgauge
