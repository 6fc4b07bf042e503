#include "lib/scenario/load.h"

#include <algorithm>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

constexpr char kScenarios[] = "scenarios";

EmulatedMachine Load(const std::string& spec) {
  auto machine = LoadSpec(spec, kScenarios);
  EXPECT_TRUE(machine) << machine.error().ToString();
  return machine ? *machine : EmulatedMachine();
}

PciAddress Address(const std::string& text) { return PciAddress::Parse(text).value(); }

double GigabytesPerSecond(const EmulatedMachine& machine, const std::string& nic,
                          const MemoryPlace& place, Direction direction) {
  return machine.PathOf(Address(nic), place, direction).capacity.value / 1e9;
}

TEST(LoadSpecTest, P5HasTheCountsOfTheType) {
  const EmulatedMachine p5 = Load("p5.48xlarge");
  EXPECT_EQ(p5.spec, "p5.48xlarge");
  EXPECT_EQ(p5.instance_type, "p5.48xlarge");
  ASSERT_EQ(p5.nics.size(), 32u);
  ASSERT_EQ(p5.gpus.size(), 8u);
  ASSERT_EQ(p5.numa_nodes.size(), 2u);
  EXPECT_EQ(p5.numa_nodes[0].cpus.size() + p5.numa_nodes[1].cpus.size(), 192u);
  EXPECT_EQ(p5.host_bridges.size(), 9u);
  EXPECT_EQ(p5.Places().size(), 10u);
  EXPECT_EQ(p5.paths.size(), 320u);
  EXPECT_EQ(p5.nics.front().name, "rdmap79s0");
  EXPECT_EQ(p5.nics.back().name, "rdmap201s0");
  EXPECT_EQ(p5.gpus[1].address, Address("0000:64:00.0"));
  EXPECT_EQ(p5.gpus[1].name, "NVIDIA H100 80GB HBM3");
  EXPECT_TRUE(p5.nics[0].model.rdma_read && p5.nics[0].model.rdma_write);
  EXPECT_DOUBLE_EQ(p5.nics[0].model.reported_gb_per_second, 100);
}

TEST(LoadSpecTest, P4dHasTheCountsOfTheType) {
  const EmulatedMachine p4d = Load("p4d.24xlarge");
  ASSERT_EQ(p4d.nics.size(), 4u);
  EXPECT_EQ(p4d.gpus.size(), 8u);
  EXPECT_EQ(p4d.host_bridges.size(), 5u);
  EXPECT_EQ(p4d.paths.size(), 40u);
  EXPECT_EQ(p4d.nics[0].name, "rdmap16s27");
  EXPECT_TRUE(p4d.nics[0].model.rdma_read);
  EXPECT_FALSE(p4d.nics[0].model.rdma_write);
}

// Holds for every machine: what other packages rely on.
TEST(LoadSpecTest, EveryInstanceIsWhole) {
  const auto types = ListInstanceTypes(kScenarios);
  ASSERT_TRUE(types);
  ASSERT_GE(types->size(), 2u);
  for (const std::string& type : *types) {
    SCOPED_TRACE(type);
    const EmulatedMachine machine = Load(type);
    std::set<std::string> gids;
    for (const EmulatedNic& nic : machine.nics) {
      EXPECT_TRUE(gids.insert(nic.gid).second) << nic.gid;
      EXPECT_EQ(nic.gid.size(), 39u);
      EXPECT_EQ(nic.model.firmware.rfind("emulated-", 0), 0u);
      for (const MemoryPlace& place : machine.Places()) {
        for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
          const EmulatedPath& path = machine.PathOf(nic.address, place, direction);
          double slowest = 1e30;
          for (const uint32_t resource : path.resources) {
            ASSERT_LT(resource, machine.resources.size());
            slowest = std::min(slowest, machine.resources[resource].capacity.value);
          }
          EXPECT_GT(path.capacity.value, 0);
          EXPECT_DOUBLE_EQ(path.capacity.value, slowest);
          EXPECT_LE(path.capacity.value, nic.line_rate.value);
        }
        machine.IdsOf(nic.address, place, RegistrationWay::kHost);
        if (place.is_gpu()) machine.IdsOf(nic.address, place, RegistrationWay::kPeerMemory);
      }
    }
  }
}

TEST(LoadSpecTest, P5CapacitiesTellPlacesApart) {
  const EmulatedMachine p5 = Load("p5.48xlarge");
  const std::string nic = "0000:c6:00.0";  // NUMA node 1
  const auto to = [&](const MemoryPlace& place) {
    return GigabytesPerSecond(p5, nic, place, Direction::kToMemory);
  };
  const auto from = [&](const MemoryPlace& place) {
    return GigabytesPerSecond(p5, nic, place, Direction::kFromMemory);
  };
  const MemoryPlace same_switch = MemoryPlace::Gpu(Address("0000:ca:00.0"));
  const MemoryPlace same_node = MemoryPlace::Gpu(Address("0000:97:00.0"));
  const MemoryPlace other_node = MemoryPlace::Gpu(Address("0000:53:00.0"));
  EXPECT_DOUBLE_EQ(to(same_switch), 12.5);
  EXPECT_DOUBLE_EQ(from(same_switch), 12.5);
  EXPECT_DOUBLE_EQ(to(same_node), 9);
  EXPECT_DOUBLE_EQ(to(other_node), 6);
  EXPECT_DOUBLE_EQ(from(other_node), 5.2);
  EXPECT_DOUBLE_EQ(to(MemoryPlace::NumaNode(1)), 12.5);
  EXPECT_DOUBLE_EQ(to(MemoryPlace::NumaNode(0)), 11.8);
}

TEST(LoadSpecTest, UnknownTypeNamesTheNearest) {
  const auto machine = LoadSpec("p5.48xlarg", kScenarios);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().ToString(),
            "read scenario: there is no instance type 'p5.48xlarg'. Write 'p5.48xlarge'. Known are "
            "c5n.18xlarge, g5.48xlarge, g6.48xlarge, p3dn.24xlarge, p4d.24xlarge, p4de.24xlarge, "
            "p5.48xlarge, p5en.48xlarge, p6-b200.48xlarge, p6-b300.48xlarge, p6e-gb200.36xlarge, "
            "trn1.32xlarge, trn1n.32xlarge, trn2.48xlarge; or give the path of a .yaml file.");
}

TEST(LoadSpecTest, TheBeginningOfATypeNamesAllThatBeginSo) {
  const auto machine = LoadSpec("p6", kScenarios);
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().ToString().find(
                "there is no instance type 'p6'. Write 'p6-b200.48xlarge' or 'p6-b300.48xlarge' or "
                "'p6e-gb200.36xlarge'. Known are c5n.18xlarge, "),
            std::string::npos)
      << machine.error().ToString();
}

TEST(LoadSpecTest, AScaledMachineIsATypeOfItsOwn) {
  const EmulatedMachine whole = Load("p5.48xlarge");
  const EmulatedMachine scaled = Load("p5.48xlarge/16");
  EXPECT_EQ(scaled.spec, "p5.48xlarge/16");
  EXPECT_EQ(scaled.instance_type, "p5.48xlarge/16");
  ASSERT_EQ(scaled.paths.size(), whole.paths.size());
  for (const auto& [pair, paths] : whole.paths) {
    for (size_t i = 0; i < paths.size(); ++i) {
      EXPECT_DOUBLE_EQ(scaled.paths.at(pair)[i].capacity.value, paths[i].capacity.value / 16);
    }
  }
  const auto of_a_file = LoadSpec("scenarios/instances/p5.48xlarge.yaml/4", "nowhere");
  ASSERT_TRUE(of_a_file) << of_a_file.error().ToString();
  EXPECT_EQ(of_a_file->instance_type, "p5.48xlarge/4");
  EXPECT_EQ(LoadSpec("p5.48xlarge/none", kScenarios).error().ToString(),
            "read machine p5.48xlarge/none: 'none' is no divisor. Write a whole number from 1 to "
            "1000 after '/'.");
}

TEST(LoadSpecTest, FaultsAreLaidOverTheMachine) {
  const EmulatedMachine p5 = Load("p5.48xlarge,slow-nic:rdmap79s0=0.6,missing-gpu:gpu3");
  EXPECT_EQ(p5.spec, "p5.48xlarge,slow-nic:rdmap79s0=0.6,missing-gpu:gpu3");
  EXPECT_EQ(p5.gpus.size(), 7u);
  EXPECT_DOUBLE_EQ(
      GigabytesPerSecond(p5, "0000:4f:00.0", MemoryPlace::NumaNode(0), Direction::kToMemory), 7.5);
}

TEST(LoadSpecTest, UnknownFaultNamesTheNearest) {
  const auto machine = LoadSpec("p5.48xlarge,slow-nick:rdmap79s0=0.6", kScenarios);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().ToString(),
            "apply fault slow-nick:rdmap79s0=0.6: there is no fault 'slow-nick'. Write "
            "'slow-nic'.");
}

TEST(LoadSpecTest, APathIsLoadedAsAFile) {
  const auto machine = LoadSpec("scenarios/instances/p5.48xlarge.yaml", "nowhere");
  ASSERT_TRUE(machine) << machine.error().ToString();
  EXPECT_EQ(machine->spec, "scenarios/instances/p5.48xlarge.yaml");
}

TEST(LoadSpecTest, WhatCannotBeReadIsOneLine) {
  EXPECT_EQ(LoadSpec("./missing.yaml", kScenarios).error().ToString(),
            "read scenario ./missing.yaml: ENOENT (No such file or directory). Check the path.");
  EXPECT_EQ(LoadSpec("scenarios/instances", kScenarios).error().ToString(),
            "read scenario scenarios/instances: it is a directory. Give a .yaml file.");
  EXPECT_EQ(LoadSpec("p5.48xlarge", "nowhere").error().ToString(),
            "list scenarios nowhere/instances: ENOENT (No such file or directory). Give the "
            "directory that holds the project's scenarios.");
}

}  // namespace
}  // namespace railgauge
