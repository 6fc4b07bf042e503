#include "lib/measure/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

NicKey NicNumber(uint8_t number) {
  return {PciAddress{0, number, 0, 0}, "n" + std::to_string(number)};
}

ScreeningRequest P5Request() {
  ScreeningRequest request;
  for (uint8_t i = 0; i < 32; ++i) request.nics.push_back(NicNumber(i));
  request.places = {MemoryPlace::NumaNode(0), MemoryPlace::NumaNode(1)};
  for (uint8_t i = 0; i < 8; ++i) {
    request.places.push_back(MemoryPlace::Gpu(PciAddress{0, static_cast<uint8_t>(0x80 + i), 0, 0}));
  }
  return request;
}

std::set<Cell> CellSet(const Plan& plan) {
  std::set<Cell> cells;
  for (const PlannedWindow& window : plan.windows) cells.insert(window.cell);
  return cells;
}

TEST(PlanScreeningTest, HasEveryCellOnce) {
  const Plan plan = PlanScreening(P5Request());
  EXPECT_EQ(plan.windows.size(), 1280u);
  EXPECT_EQ(CellSet(plan).size(), 1280u);
  EXPECT_TRUE(plan.left_out.empty());
  for (const PlannedWindow& window : plan.windows) {
    EXPECT_EQ(window.round, 0u);
    EXPECT_EQ(window.cell.depth, 32u);
    EXPECT_EQ(window.cell.load, "alone");
  }
}

TEST(PlanScreeningTest, WhatDevicesCannotDoTakesNoTime) {
  ScreeningRequest request = P5Request();
  const Nanoseconds both = EstimateDuration(PlanScreening(request));
  request.can = [](const NicKey& nic, Operation operation) {
    return operation == Operation::kRead || nic == NicNumber(3);
  };
  const Plan plan = PlanScreening(request);
  EXPECT_EQ(plan.windows.size(), 640u + 20);
  EXPECT_EQ(plan.not_possible.size(), 640u - 20);
  EXPECT_LT(EstimateDuration(plan), both * 2 / 3);
  for (const Cell& cell : plan.not_possible) {
    EXPECT_EQ(cell.operation, Operation::kWrite);
    EXPECT_NE(cell.nic, NicNumber(3));
  }
}

TEST(PlanScreeningTest, AWideBudgetKeepsTheWindow) {
  ScreeningRequest request = P5Request();
  request.budget = seconds{600};
  const Plan plan = PlanScreening(request);
  EXPECT_EQ(plan.timing.window, WindowTiming().window);
  EXPECT_EQ(plan.timing.warm_up, WindowTiming().warm_up);
}

TEST(PlanScreeningTest, ATighterOneShortensWindowsAndKeepsAllCells) {
  ScreeningRequest request = P5Request();
  request.budget = seconds{40};
  const Plan plan = PlanScreening(request);
  EXPECT_EQ(plan.windows.size(), 1280u);
  EXPECT_LT(plan.timing.window, WindowTiming().window);
  EXPECT_GE(plan.timing.window, milliseconds{5});
  EXPECT_LE(EstimateDuration(plan), seconds{40});
  EXPECT_GE(EstimateDuration(plan), seconds{39});
}

TEST(PlanScreeningTest, ATooTightOneLeavesOutTheLastCellsAndSaysWhich) {
  ScreeningRequest request = P5Request();
  request.budget = seconds{5};
  const Plan plan = PlanScreening(request);
  EXPECT_EQ(plan.timing.window, milliseconds{5});
  EXPECT_LE(EstimateDuration(plan), seconds{5});
  EXPECT_GE(EstimateDuration(plan), milliseconds{4900});
  EXPECT_EQ(plan.windows.size() + plan.left_out.size(), 1280u);
  EXPECT_EQ(plan.windows.front().cell.operation, Operation::kRead);
  ASSERT_FALSE(plan.left_out.empty());
  EXPECT_EQ(plan.left_out.back().operation, Operation::kWrite);
  const std::set<Cell> planned = CellSet(plan);
  for (const Cell& cell : plan.left_out) EXPECT_EQ(planned.count(cell), 0u);
}

TEST(PlanScreeningTest, WhatRanksFirstIsMeasuredFirst) {
  ScreeningRequest request = P5Request();
  request.budget = seconds{5};
  const auto is_claimed = [&](const Cell& cell) {
    return cell.nic == NicNumber(31) && cell.place == request.places.back();
  };
  const auto claimed_in = [&](const std::vector<PlannedWindow>& windows) {
    return std::count_if(windows.begin(), windows.end(),
                         [&](const PlannedWindow& window) { return is_claimed(window.cell); });
  };
  EXPECT_LT(claimed_in(PlanScreening(request).windows), 4);
  request.rank = [&](const Cell& cell) { return is_claimed(cell) ? 0 : 1; };
  const Plan plan = PlanScreening(request);
  EXPECT_EQ(claimed_in(plan.windows), 4);
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(is_claimed(plan.windows[i].cell)) << i;
  EXPECT_EQ(plan.windows.size() + plan.left_out.size(), 1280u);
  // What is equal keeps its order.
  EXPECT_EQ(plan.windows[4].cell, PlanScreening(P5Request()).windows[0].cell);
}

TEST(PlanScreeningTest, NoBudgetIsAnEmptyPlan) {
  ScreeningRequest request = P5Request();
  request.budget = seconds{0};
  const Plan plan = PlanScreening(request);
  EXPECT_TRUE(plan.windows.empty());
  EXPECT_EQ(plan.left_out.size(), 1280u);
}

TEST(PlanScreeningTest, NothingAskedForIsAnEmptyPlan) {
  EXPECT_TRUE(PlanScreening({}).windows.empty());
}

TEST(PlanScreeningTest, NeighboursAreDifferentNics) {
  const Plan plan = PlanScreening(P5Request());
  for (size_t i = 1; i < plan.windows.size(); ++i) {
    EXPECT_NE(plan.windows[i - 1].cell.nic, plan.windows[i].cell.nic);
  }
}

PairedRequest TwoPairs() {
  Cell a, b, c;
  a.nic = NicNumber(1);
  b.nic = NicNumber(2);
  c.nic = NicNumber(3);
  PairedRequest request;
  request.pairs = {{a, b}, {a, c}};
  return request;
}

TEST(PlanPairedTest, MeasuresEachPairSideBySideInEveryRound) {
  const PairedRequest request = TwoPairs();
  const Plan plan = PlanPaired(request);
  EXPECT_EQ(plan.rounds, 9u);
  ASSERT_EQ(plan.windows.size(), 9u * 4);
  std::map<std::pair<Cell, Cell>, int> seen;
  int swapped = 0;
  for (size_t i = 0; i < plan.windows.size(); i += 2) {
    EXPECT_EQ(plan.windows[i].round, i / 4 + 1);
    EXPECT_EQ(plan.windows[i].round, plan.windows[i + 1].round);
    std::pair<Cell, Cell> pair = {plan.windows[i].cell, plan.windows[i + 1].cell};
    if (pair.second < pair.first) {
      std::swap(pair.first, pair.second);
      ++swapped;
    }
    ++seen[pair];
  }
  EXPECT_EQ(seen[request.pairs[0]], 9);
  EXPECT_EQ(seen[request.pairs[1]], 9);
  EXPECT_GT(swapped, 3);
  EXPECT_LT(swapped, 15);
}

TEST(PlanPairedTest, TheSeedDecidesTheOrder) {
  PairedRequest request = TwoPairs();
  const auto nics_of = [](const Plan& plan) {
    std::vector<NicKey> nics;
    for (const PlannedWindow& window : plan.windows) nics.push_back(window.cell.nic);
    return nics;
  };
  const auto first = nics_of(PlanPaired(request));
  EXPECT_EQ(first, nics_of(PlanPaired(request)));
  request.seed = 2;
  EXPECT_NE(first, nics_of(PlanPaired(request)));
}

TEST(PlanPairedTest, AShortBudgetHasFewerWholeRounds) {
  PairedRequest request = TwoPairs();
  request.budget = milliseconds{500};
  const Plan plan = PlanPaired(request);
  EXPECT_GT(plan.rounds, 0u);
  EXPECT_LT(plan.rounds, 9u);
  EXPECT_EQ(plan.windows.size(), plan.rounds * 4u);
  EXPECT_LE(EstimateDuration(plan), milliseconds{500});
  request.budget = milliseconds{1};
  EXPECT_TRUE(PlanPaired(request).windows.empty());
  EXPECT_EQ(PlanPaired(request).rounds, 0u);
}

TEST(PlanPairedTest, NoPairsIsAnEmptyPlan) { EXPECT_TRUE(PlanPaired({}).windows.empty()); }

}  // namespace
}  // namespace railgauge
