#include "lib/scenario/selector.h"

#include "gtest/gtest.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

class SelectorTest : public testing::Test {
 protected:
  // The pairs of a rule as "name place" texts.
  std::vector<std::string> Select(const std::string& rule) {
    const YamlNode node = ParseYaml(rule, "x.yaml").value();
    YamlErrors errors("x.yaml");
    const YamlMap map(node, "a rule", {"nics", "places", "relation"}, &errors);
    std::vector<std::string> texts;
    for (const auto& [nic, place] : SelectNicPlaces(map, machine_, locations_, &errors)) {
      texts.push_back(machine_.FindNic(nic)->name + " " + place.ToString());
    }
    if (!errors.ok()) return {errors.first().ToString()};
    return texts;
  }

  const EmulatedMachine machine_ = LoadText(kSmallScenario);
  const PciLocations locations_{machine_};
};

using Strings = std::vector<std::string>;

TEST_F(SelectorTest, LeftOutIsAll) {
  EXPECT_EQ(Select("{}").size(), 12u);
  EXPECT_EQ(Select("{nics: all, places: all}").size(), 12u);
}

TEST_F(SelectorTest, NicsByNameAndAddress) {
  EXPECT_EQ(Select("{nics: [rdmap34s0, \"0000:12:00.0\"], places: numa1}"),
            (Strings{"rdmap18s0 numa1", "rdmap34s0 numa1"}));
}

TEST_F(SelectorTest, PlacesByKindOrdinalAndAddress) {
  EXPECT_EQ(Select("{nics: rdmap34s0, places: host}"),
            (Strings{"rdmap34s0 numa0", "rdmap34s0 numa1"}));
  EXPECT_EQ(Select("{nics: rdmap34s0, places: gpus}"),
            (Strings{"rdmap34s0 gpu:0000:13:00.0", "rdmap34s0 gpu:0000:23:00.0"}));
  EXPECT_EQ(Select("{nics: rdmap34s0, places: [gpu1, numa0]}"),
            (Strings{"rdmap34s0 numa0", "rdmap34s0 gpu:0000:23:00.0"}));
  EXPECT_EQ(Select("{nics: rdmap34s0, places: \"gpu:0000:13:00.0\"}"),
            (Strings{"rdmap34s0 gpu:0000:13:00.0"}));
}

TEST_F(SelectorTest, RelationNarrows) {
  EXPECT_EQ(Select("{relation: same_switch}"),
            (Strings{"rdmap18s0 gpu:0000:13:00.0", "rdmap34s0 gpu:0000:23:00.0"}));
  EXPECT_EQ(Select("{relation: same_numa_node, places: gpus}"),
            (Strings{"rdmap48s1 gpu:0000:23:00.0"}));
}

TEST_F(SelectorTest, NamesMustMatchExactly) {
  EXPECT_EQ(Select("{nics: rdmap3}"),
            (Strings{"read scenario x.yaml:1: there is no NIC 'rdmap3'. Known are all, rdmap18s0, "
                     "rdmap34s0, rdmap48s1."}));
}

}  // namespace
}  // namespace railgauge
