#include "lib/scenario/paths.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

// The resources of a path by name.
std::vector<std::string> Crossed(const EmulatedMachine& machine, const EmulatedPath& path) {
  std::vector<std::string> names;
  for (const uint32_t index : path.resources) names.push_back(machine.resources[index].name);
  return names;
}

class PathsTest : public testing::Test {
 protected:
  const EmulatedPath& To(const char* nic, const MemoryPlace& place) const {
    return machine_.PathOf(Address(nic), place, Direction::kToMemory);
  }
  const EmulatedPath& From(const char* nic, const MemoryPlace& place) const {
    return machine_.PathOf(Address(nic), place, Direction::kFromMemory);
  }
  std::vector<std::string> Names(const EmulatedPath& path) const { return Crossed(machine_, path); }

  const EmulatedMachine machine_ = LoadText(kSmallScenario);
};

using Strings = std::vector<std::string>;

TEST_F(PathsTest, BelowTheSwitchOnlyTheNicAndTheGpuLimit) {
  EXPECT_EQ(Names(To("0000:12:00.0", GpuAt("0000:13:00.0"))),
            (Strings{"nic:0000:12:00.0:rx", "gpu:0000:13:00.0:in"}));
  EXPECT_DOUBLE_EQ(To("0000:12:00.0", GpuAt("0000:13:00.0")).capacity.value, 10e9);
}

TEST_F(PathsTest, ALimitBelowTheLineRateIsOfThePairAlone) {
  const EmulatedPath& path = From("0000:12:00.0", GpuAt("0000:13:00.0"));
  EXPECT_EQ(Names(path),
            (Strings{"nic:0000:12:00.0:tx", "path:0000:12:00.0:gpu:0000:13:00.0:from_memory",
                     "gpu:0000:13:00.0:out"}));
  EXPECT_DOUBLE_EQ(path.capacity.value, 9.5e9);
}

TEST_F(PathsTest, TheOtherSocketsGpuIsReachedOverBothUplinksAndTheLink) {
  EXPECT_EQ(Names(To("0000:12:00.0", GpuAt("0000:23:00.0"))),
            (Strings{"nic:0000:12:00.0:rx", "path:0000:12:00.0:gpu:0000:23:00.0:to_memory",
                     "uplink:0000:10:00.0:up", "numa0->numa1", "uplink:0000:20:00.0:down",
                     "gpu:0000:23:00.0:in"}));
  EXPECT_EQ(Names(From("0000:12:00.0", GpuAt("0000:23:00.0"))),
            (Strings{"nic:0000:12:00.0:tx", "path:0000:12:00.0:gpu:0000:23:00.0:from_memory",
                     "uplink:0000:10:00.0:down", "numa1->numa0", "uplink:0000:20:00.0:up",
                     "gpu:0000:23:00.0:out"}));
}

TEST_F(PathsTest, HostMemoryIsReachedOverTheUplink) {
  EXPECT_EQ(Names(To("0000:12:00.0", MemoryPlace::NumaNode(0))),
            (Strings{"nic:0000:12:00.0:rx", "path:0000:12:00.0:numa0:to_memory",
                     "uplink:0000:10:00.0:up", "numa0:write"}));
  EXPECT_EQ(
      Names(From("0000:12:00.0", MemoryPlace::NumaNode(1))),
      (Strings{"nic:0000:12:00.0:tx", "uplink:0000:10:00.0:down", "numa1->numa0", "numa1:read"}));
}

TEST_F(PathsTest, WithoutBridgesTheHostBridgeIsTheUplink) {
  EXPECT_EQ(Names(From("0000:30:01.0", MemoryPlace::NumaNode(1))),
            (Strings{"nic:0000:30:01.0:tx", "uplink:0000:30:down", "numa1:read"}));
}

TEST_F(PathsTest, SharedResourcesAreTheSameOne) {
  const auto& first = To("0000:22:00.0", MemoryPlace::NumaNode(1)).resources;
  const auto& second = To("0000:30:01.0", MemoryPlace::NumaNode(1)).resources;
  EXPECT_EQ(first.back(), second.back());
  EXPECT_NE(first.front(), second.front());
}

TEST_F(PathsTest, DirectionsHaveTheirOwnCapacities) {
  const auto capacity = [&](const std::string& name) {
    for (const EmulatedResource& resource : machine_.resources) {
      if (resource.name == name) return resource.capacity.value / 1e9;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(capacity("uplink:0000:10:00.0:up"), 16);
  EXPECT_DOUBLE_EQ(capacity("uplink:0000:10:00.0:down"), 15);
  EXPECT_DOUBLE_EQ(capacity("gpu:0000:13:00.0:in"), 50);
  EXPECT_DOUBLE_EQ(capacity("gpu:0000:13:00.0:out"), 40);
  EXPECT_DOUBLE_EQ(capacity("numa1:write"), 32);
  EXPECT_DOUBLE_EQ(capacity("numa1:read"), 30);
  EXPECT_DOUBLE_EQ(capacity("numa0->numa1"), 20);
}

TEST(PathRulesTest, ASharedResourceLimitsASingleTransferToo) {
  const EmulatedMachine machine =
      LoadText(SmallScenarioWith("numa_link: 20GB/s", "numa_link: 3GB/s"));
  const EmulatedPath& path =
      machine.PathOf(Address("0000:12:00.0"), GpuAt("0000:23:00.0"), Direction::kToMemory);
  EXPECT_DOUBLE_EQ(path.capacity.value, 3e9);
}

TEST(PathRulesTest, UnlimitedIsNoResource) {
  const EmulatedMachine machine =
      LoadText(SmallScenarioWith("numa_link: 20GB/s", "numa_link: unlimited"));
  for (const EmulatedResource& resource : machine.resources) {
    EXPECT_EQ(resource.name.find("->"), std::string::npos) << resource.name;
  }
}

TEST(PathRulesTest, OneCellIsChangedByOneRule) {
  const EmulatedMachine before = LoadText(kSmallScenario);
  const EmulatedMachine after = LoadText(SmallScenarioWith(
      "interconnect_ids:\n",
      "  - {nics: rdmap34s0, places: gpu1, to_memory: 2.5GB/s}\ninterconnect_ids:\n"));
  for (const auto& [pair, paths] : before.paths) {
    const bool changed =
        pair.first == Address("0000:22:00.0") && pair.second == GpuAt("0000:23:00.0");
    const auto& now = after.paths.at(pair);
    EXPECT_DOUBLE_EQ(now[0].capacity.value, changed ? 2.5e9 : paths[0].capacity.value);
    EXPECT_DOUBLE_EQ(now[1].capacity.value, paths[1].capacity.value);
  }
}

TEST(PathRulesTest, ALaterRuleLiftsALimitToTheLineRate) {
  const EmulatedMachine machine = LoadText(SmallScenarioWith(
      "interconnect_ids:\n",
      "  - {nics: \"0000:12:00.0\", places: numa0, to_memory: line_rate}\ninterconnect_ids:\n"));
  EXPECT_DOUBLE_EQ(
      machine.PathOf(Address("0000:12:00.0"), MemoryPlace::NumaNode(0), Direction::kToMemory)
          .capacity.value,
      10e9);
}

}  // namespace
}  // namespace railgauge
