#include "lib/placement/shortlist.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

std::vector<CellPair> ListOf(const World& world, const Decision& decision) {
  return Shortlist(world.machine, world.census, world.samples, decision);
}

TEST(ShortlistTest, NothingMeasuredNothingListed) {
  const World world(MakeP5());
  EXPECT_TRUE(
      ListOf(world, MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0"})).empty());
  EXPECT_TRUE(ListOf(world, Decision()).empty());
}

TEST(ShortlistTest, AWrongNicAgainstTheBestIdleOneInEveryDimension) {
  World world(MakeP5());
  world.Screen();
  const std::vector<CellPair> pairs =
      ListOf(world, MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"}));
  ASSERT_EQ(pairs.size(), 4u);
  for (const CellPair& pair : pairs) {
    EXPECT_EQ(pair.cell.nic.address, Pci("0000:c6:00.0"));
    EXPECT_EQ(pair.other.nic.address, Pci("0000:4f:00.0"));
    EXPECT_EQ(pair.other.place, pair.cell.place);
    EXPECT_TRUE(pair.suspect);
    EXPECT_NEAR(pair.ratio, 0.5, 0.01);
  }
}

TEST(ShortlistTest, WithoutSuspicionOnePairPerConsumerAndDimension) {
  World world(MakeP5());
  world.speed = [](const Cell&, Relation) { return 12.5e9; };
  world.Screen();
  const std::vector<CellPair> pairs =
      ListOf(world, MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0 "
                                                 "0000:51:00.0 0000:52:00.0"}));
  EXPECT_EQ(pairs.size(), 4u);
  for (const CellPair& pair : pairs) EXPECT_FALSE(pair.suspect);
}

TEST(ShortlistTest, AnIdleNicIsProvenInEveryDimension) {
  World world(MakeP5());
  world.Screen();
  const std::vector<CellPair> pairs =
      ListOf(world, MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0"}));
  const auto proofs = std::count_if(pairs.begin(), pairs.end(), [](const CellPair& pair) {
    return pair.suspect && pair.other.nic.address == Pci("0000:51:00.0");
  });
  EXPECT_EQ(proofs, 4);
}

TEST(ShortlistTest, AnOutlierAgainstItsClassFirst) {
  World world(MakeP5());
  const PciAddress slow = Pci("0000:72:00.0");
  world.speed = [=](const Cell& cell, Relation) { return cell.nic.address == slow ? 7e9 : 12.5e9; };
  world.Screen();
  const std::vector<CellPair> pairs =
      ListOf(world, MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:4f:00.0",
                                                 "gpu:0000:75:00.0 0000:71:00.0 0000:72:00.0"}));
  ASSERT_FALSE(pairs.empty());
  EXPECT_TRUE(pairs[0].suspect);
  EXPECT_EQ(pairs[0].cell.nic.address, slow);
  // A peer of the class and an idle rival, each once, in four dimensions.
  const auto suspects = std::count_if(pairs.begin(), pairs.end(), [&](const CellPair& pair) {
    return pair.suspect && pair.cell.nic.address == slow && pair.ratio < 1;
  });
  EXPECT_GE(suspects, 4);
  EXPECT_LE(suspects, 8);
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.suspect, a.ratio) < std::pair(!b.suspect, b.ratio);
  }));
}

TEST(ShortlistTest, OfManySuspectsTheWorst) {
  World world(MakeP5());
  world.Screen();
  std::string line = "gpu:0000:53:00.0";
  for (const char* nic : {"93", "94", "95", "96", "c6", "c7", "c8"}) {
    line += " 0000:" + std::string(nic) + ":00.0";
  }
  const std::vector<CellPair> pairs = ListOf(world, MakeDecision(world.machine, {line}));
  EXPECT_EQ(pairs.size(), 4 * JudgeGates().max_suspects);
}

TEST(ShortlistTest, QuietPairsNeedNoMoreRounds) {
  World world(MakeP5());
  world.Screen();
  const Decision decision = MakeDecision(world.machine, {"gpu:0000:53:00.0 0000:c6:00.0"});
  const std::vector<CellPair> pairs = ListOf(world, decision);
  const auto in_doubt = [&] {
    return StillInDoubt(world.machine, world.census, world.samples, decision, pairs);
  };
  EXPECT_TRUE(in_doubt().empty()) << "unproven is not noisy";
  world.Measure(pairs, 9);
  EXPECT_TRUE(in_doubt().empty());
}

}  // namespace
}  // namespace railgauge
