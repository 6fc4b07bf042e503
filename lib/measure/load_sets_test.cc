#include "lib/measure/load_sets.h"

#include <algorithm>
#include <map>
#include <set>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LoadRequest RequestFor(const Machine& machine) {
  LoadRequest request;
  for (const Nic& nic : machine.nics) request.nics.push_back(nic.key());
  for (const Gpu& gpu : machine.gpus)
    request.gpus.push_back(MemoryPlace::Gpu(gpu.position.address));
  request.kinds = {GroupKind::kSwitch, GroupKind::kNuma, GroupKind::kId, GroupKind::kAll};
  return request;
}

std::map<std::string, size_t> SizesOf(const LoadSet& set) {
  std::map<std::string, size_t> sizes;
  for (const LoadGroup& group : set.groups) sizes[group.load] = group.members.size();
  return sizes;
}

std::vector<std::string> TitlesOf(const std::vector<LoadSet>& sets) {
  std::vector<std::string> titles;
  for (const LoadSet& set : sets) titles.push_back(set.title);
  return titles;
}

TEST(LoadSetsTest, P5HasSwitchesNodesAndAll) {
  const Machine machine = MakeP5();
  const auto sets = MakeLoadSets(machine, {}, RequestFor(machine));
  EXPECT_EQ(TitlesOf(sets), (std::vector<std::string>{
                                "READ to_memory, 1MiB, each NIC at its nearest GPU",
                                "WRITE from_memory, 1MiB, each NIC at its nearest GPU",
                                "READ to_memory, 1MiB, each NIC at its own NUMA node",
                                "WRITE from_memory, 1MiB, each NIC at its own NUMA node",
                            }));
  for (const LoadSet& set : sets) {
    const auto sizes = SizesOf(set);
    EXPECT_EQ(sizes.size(), 11u);
    EXPECT_EQ(sizes.at("switch:0000:44:00.0"), 4u);
    EXPECT_EQ(sizes.at("numa1"), 16u);
    EXPECT_EQ(sizes.at("all"), 32u);
  }
  // Every NIC is there once, at the GPU below its own switch.
  const LoadGroup& all = sets[0].groups.back();
  EXPECT_EQ(all.members[0].place, MemoryPlace::Gpu(Pci("0000:53:00.0")));
  EXPECT_EQ(all.members[31].place, MemoryPlace::Gpu(Pci("0000:ca:00.0")));
  EXPECT_EQ(all.members[0].load, "all");
}

TEST(LoadSetsTest, GpusThatAreAsNearAreSpread) {
  Machine machine = MakeP4d();  // one NIC and two GPUs to a host bridge
  machine.nics.push_back(machine.nics[0]);
  machine.nics.back().position.address = Pci("0000:10:1a.0");
  std::sort(machine.nics.begin(), machine.nics.end(),
            [](const Nic& a, const Nic& b) { return a.position.address < b.position.address; });
  LoadRequest request = RequestFor(machine);
  request.kinds = {GroupKind::kSwitch};
  const auto sets = MakeLoadSets(machine, {}, request);
  ASSERT_FALSE(sets.empty());
  ASSERT_EQ(sets[0].groups.size(), 1u);  // the other host bridges have one NIC
  EXPECT_EQ(sets[0].groups[0].load, "host_bridge:0000:10");
  EXPECT_NE(sets[0].groups[0].members[0].place, sets[0].groups[0].members[1].place);
}

TEST(LoadSetsTest, TheSameMembersAreMeasuredOnce) {
  const Machine machine = MakeP5();
  LoadRequest request = RequestFor(machine);
  request.nics.resize(2);
  request.places = {MemoryPlace::NumaNode(0)};
  request.rdma_write = false;
  const auto sets = MakeLoadSets(machine, {}, request);
  EXPECT_EQ(TitlesOf(sets), (std::vector<std::string>{"READ to_memory, 1MiB, all at numa0",
                                                      "READ from_memory, 1MiB, all at numa0"}));
  EXPECT_EQ(SizesOf(sets[0]), (std::map<std::string, size_t>{{"switch:0000:44:00.0", 2}}));
}

TEST(LoadSetsTest, NothingIsSharedByOneOrByWhoIsUnknown) {
  const Machine flat = MakeG5();
  EXPECT_TRUE(MakeLoadSets(flat, {}, RequestFor(flat)).empty());
}

TEST(LoadSetsTest, IdsGroupWhoAnswersAlikeForItsPlace) {
  const Machine machine = MakeP5();
  LoadRequest request = RequestFor(machine);
  request.nics.resize(6);
  request.kinds = {GroupKind::kId};
  request.places = {MemoryPlace::NumaNode(0)};
  std::vector<CensusRow> census;
  for (size_t i = 0; i < 6; ++i) {
    CensusRow row;
    row.nic = request.nics[i];
    row.place = MemoryPlace::NumaNode(0);
    row.status = CensusStatus::kOk;
    row.ids.rdma_read = static_cast<uint16_t>(i == 0 || i == 5 ? 7 : i);
    census.push_back(row);
  }
  const auto sets = MakeLoadSets(machine, census, request);
  ASSERT_EQ(sets.size(), 1u);  // from_memory has no id
  ASSERT_EQ(SizesOf(sets[0]), (std::map<std::string, size_t>{{"id:7", 2}}));
  EXPECT_EQ(sets[0].groups[0].members[1].nic, request.nics[5]);
}

TEST(LoadSetsTest, BidirectionalIsEveryNicByItself) {
  const Machine machine = MakeP5();
  LoadRequest request = RequestFor(machine);
  request.bidirectional = true;
  const auto sets = MakeLoadSets(machine, {}, request);
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[1].title, "READ to_memory and from_memory, 1MiB, each NIC at its own NUMA node");
  ASSERT_EQ(sets[0].groups.size(), 32u);
  const LoadGroup& group = sets[0].groups[3];
  EXPECT_EQ(group.load, "bidirectional");
  ASSERT_EQ(group.members.size(), 2u);
  EXPECT_EQ(group.members[0].nic, group.members[1].nic);
  EXPECT_NE(group.members[0].direction, group.members[1].direction);
  EXPECT_EQ(group.members[0].operation, group.members[1].operation);
}

TEST(LoadSetsTest, ARoundHasEveryMemberAloneAndEveryGroup) {
  const Machine machine = MakeP5();
  const auto sets = MakeLoadSets(machine, {}, RequestFor(machine));
  const auto round = PlanRound(sets[0], 3);
  EXPECT_EQ(round.size(), 32u + 11u);
  size_t alone = 0;
  for (const LoadWindow& window : round) {
    EXPECT_EQ(window.round, 3u);
    alone += window.cells[0].load == "alone" ? 1 : 0;
    EXPECT_EQ(window.cells[0].load == "alone", window.cells.size() == 1);
  }
  EXPECT_EQ(alone, 32u);
  // Shuffled, and the same again with the same seed.
  const auto order = [](const std::vector<LoadWindow>& windows) {
    std::vector<Cell> first;
    for (const LoadWindow& window : windows) first.push_back(window.cells[0]);
    return first;
  };
  EXPECT_EQ(order(round), order(PlanRound(sets[0], 3)));
  EXPECT_NE(order(round), order(PlanRound(sets[0], 4)));
}

TEST(LoadSetsTest, WindowsFitTheBudgetAsFarAsTheyCan) {
  const Machine machine = MakeP5();
  const auto sets = MakeLoadSets(machine, {}, RequestFor(machine));
  EXPECT_EQ(LoadTiming(sets, 9, seconds(3600)).window, milliseconds(100));
  EXPECT_EQ(LoadTiming(sets, 9, seconds(1)).window, milliseconds(10));
  const WindowTiming timing = LoadTiming(sets, 9, seconds(100));
  EXPECT_GT(timing.window, milliseconds(10));
  EXPECT_LT(timing.window, milliseconds(100));
  EXPECT_LE(EstimateLoad(sets, 9, timing), seconds(100));
  EXPECT_GE(EstimateLoad(sets, 9, timing), seconds(99));
  EXPECT_EQ(EstimateLoad({}, 9, timing), Nanoseconds{0});
}

// Two sets of rounds of one second: a window alone and together for two NICs.
TEST(LoadSetsTest, RoundsAreSharedOutAsTheTimeGoes) {
  const Machine machine = MakeP5();
  LoadRequest request = RequestFor(machine);
  request.nics.resize(2);
  request.kinds = {GroupKind::kSwitch};
  request.places = {MemoryPlace::NumaNode(0)};
  const auto sets = MakeLoadSets(machine, {}, request);
  ASSERT_EQ(sets.size(), 2u);
  const WindowTiming timing;
  const RoundLimits limits = {8, 12};
  const Nanoseconds round = EstimateLoad(std::span(sets).first(1), 1, timing);
  const auto within = [&](int64_t rounds) {
    return RoundsWithin(sets, limits, timing, rounds * round);
  };
  EXPECT_EQ(within(100), (std::vector<uint32_t>{12, 12}));
  EXPECT_EQ(within(20), (std::vector<uint32_t>{10, 10}));
  EXPECT_EQ(within(13), (std::vector<uint32_t>{8, 5})) << "enough of the first";
  EXPECT_EQ(within(5), (std::vector<uint32_t>{5, 0}));
  EXPECT_EQ(within(0), (std::vector<uint32_t>{0, 0}));
  EXPECT_TRUE(RoundsWithin({}, limits, timing, round).empty());
}

TEST(LoadSetsTest, AWindowThatHeldLessThanWasInFlightIsTooShort) {
  Sample sample;
  sample.cell.depth = 32;
  sample.completions = 11;
  sample.duration = milliseconds(20);
  EXPECT_FALSE(LongerWindow({&sample, 1})) << "it has a rate";
  sample.status = SampleStatus::kShortWindow;
  EXPECT_EQ(LongerWindow({&sample, 1}), milliseconds(75));  // 20 ms * 33 / 11 * 1.25
  std::vector<Sample> samples = {sample, sample};
  samples[1].completions = 3;
  EXPECT_EQ(LongerWindow(samples), milliseconds(275));
  samples[1].disturbed = true;
  EXPECT_EQ(LongerWindow(samples), milliseconds(75)) << "it tells of the scheduler";
  sample.completions = 0;
  EXPECT_FALSE(LongerWindow({&sample, 1}));
  sample.completions = 40;
  EXPECT_FALSE(LongerWindow({&sample, 1})) << "short for another reason";
}

}  // namespace
}  // namespace railgauge
