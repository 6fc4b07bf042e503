#include <gtest/gtest.h>

#include <map>
#include <string>

#include "lib/base/runfiles.h"
#include "lib/emulator/truth/cases.h"
#include "lib/emulator/truth/deliver.h"
#include "lib/scenario/load.h"

namespace railgauge {
namespace {

EmulatedMachine LoadP5() {
  const auto scenarios = FindDataFile("scenarios");
  EXPECT_TRUE(scenarios.has_value());
  return LoadSpec("p5.48xlarge", *scenarios).value();
}

TEST(MaxMinRatesTest, IsTheTextbooks) {
  using Rates = std::vector<double>;
  const std::vector<std::vector<uint32_t>> flows = {{0}, {0, 1}, {1}};
  EXPECT_EQ(MaxMinRates(flows, std::vector<double>{10, 4}), (Rates{8, 2, 2}));
  const std::vector<std::vector<uint32_t>> twice = {{0, 0}, {0}};
  EXPECT_EQ(MaxMinRates(twice, std::vector<double>{12}), (Rates{4, 4}));
}

TEST(TruthCasesTest, KnowWhatIsShared) {
  std::map<std::string, TruthCase> cases;
  for (TruthCase& truth : TruthCasesOf(LoadP5())) {
    cases.emplace(truth.kind + "/" + truth.shared, truth);
  }
  const auto sum = [&](const std::string& name) {
    double total = 0;
    for (const double rate : cases.at(name).expected) total += rate / 1e9;
    return total;
  };
  // Figures of the scenario. Four NICs share an uplink, but not towards a GPU below it.
  EXPECT_EQ(cases.at("same_numa_node host to_memory/uplink up").flows.size(), 4u);
  EXPECT_DOUBLE_EQ(sum("same_numa_node host to_memory/uplink up"), 15.75);
  EXPECT_EQ(cases.at("same_numa_node host to_memory/numa write").flows.size(), 16u);
  EXPECT_DOUBLE_EQ(sum("same_numa_node host to_memory/numa write"), 32);
  EXPECT_DOUBLE_EQ(sum("same_switch gpu to_memory/gpu in"), 50);
  EXPECT_FALSE(cases.contains("same_switch gpu to_memory/uplink up"));
  EXPECT_DOUBLE_EQ(sum("same_switch gpu to_memory/"), 12.5);
}

TEST(DeliverTest, SeesADifference) {
  const EmulatedMachine machine = LoadP5();
  EmulatedMachine slower = machine;
  for (EmulatedResource& resource : slower.resources) resource.capacity.value *= 0.96;
  for (const TruthCase& truth : TruthCasesOf(machine)) {
    if (truth.kind != "same_numa_node host to_memory") continue;
    const std::vector<double> good = Deliver(machine, truth.flows);
    const std::vector<double> bad = Deliver(slower, truth.flows);
    for (size_t i = 0; i < good.size(); ++i) {
      EXPECT_NEAR(good[i] / truth.expected[i], 1, 0.01) << truth.shared;
      EXPECT_NEAR(bad[i] / truth.expected[i], 0.96, 0.01) << truth.shared;
    }
  }
}

// Two NICs below one switch share its uplink only for what crosses it.
TEST(DeliverTest, SharingFollowsThePath) {
  const EmulatedMachine machine = LoadP5();
  const auto nic = [&](size_t index) { return machine.nics[index].address; };
  const MemoryPlace host = MemoryPlace::NumaNode(0);
  const MemoryPlace gpu = MemoryPlace::Gpu(machine.gpus[0].address);
  const Direction to = Direction::kToMemory;
  const std::vector<double> both_cross =
      Deliver(machine, std::vector<TruthFlow>{{nic(0), host, to}, {nic(1), host, to}});
  EXPECT_NEAR(both_cross[0] / (15.75e9 / 2), 1, 0.01);
  EXPECT_NEAR(both_cross[1] / (15.75e9 / 2), 1, 0.01);
  const std::vector<double> one_crosses =
      Deliver(machine, std::vector<TruthFlow>{{nic(0), host, to}, {nic(1), gpu, to}});
  EXPECT_NEAR(one_crosses[0] / 12.5e9, 1, 0.01);
  EXPECT_NEAR(one_crosses[1] / 12.5e9, 1, 0.01);
  // Nor do the two directions share.
  const std::vector<double> both_ways = Deliver(
      machine, std::vector<TruthFlow>{{nic(0), host, to}, {nic(1), host, Direction::kFromMemory}});
  EXPECT_NEAR(both_ways[0] / 12.5e9, 1, 0.01);
  EXPECT_NEAR(both_ways[1] / 12.5e9, 1, 0.01);
}

}  // namespace
}  // namespace railgauge
