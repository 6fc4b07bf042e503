#include "lib/scenario/scale.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

TEST(ScaleTest, EveryRateIsDivided) {
  const EmulatedMachine whole = LoadText(kSmallScenario);
  EmulatedMachine scaled = whole;
  ScaleDown(8, &scaled);
  EXPECT_EQ(scaled.instance_type, "small.2xlarge/8");
  for (size_t i = 0; i < whole.nics.size(); ++i) {
    EXPECT_DOUBLE_EQ(scaled.nics[i].line_rate.value, 10e9 / 8);
    EXPECT_DOUBLE_EQ(scaled.nics[i].model.reported_gb_per_second, 12.5);
  }
  ASSERT_EQ(scaled.resources.size(), whole.resources.size());
  for (size_t i = 0; i < whole.resources.size(); ++i) {
    EXPECT_DOUBLE_EQ(scaled.resources[i].capacity.value, whole.resources[i].capacity.value / 8);
  }
  for (const auto& [pair, paths] : whole.paths) {
    EXPECT_DOUBLE_EQ(scaled.paths.at(pair)[0].capacity.value, paths[0].capacity.value / 8);
    EXPECT_DOUBLE_EQ(scaled.paths.at(pair)[1].capacity.value, paths[1].capacity.value / 8);
  }
}

TEST(ScaleTest, WhatIsNoRateStays) {
  const EmulatedMachine whole = LoadText(kSmallScenario);
  EmulatedMachine scaled = whole;
  ScaleDown(8, &scaled);
  EXPECT_EQ(scaled.base_latency, whole.base_latency);
  EXPECT_EQ(scaled.nics[0].model.max_rdma_size, whole.nics[0].model.max_rdma_size);
  EXPECT_EQ(scaled.host_and_dmabuf_ids, whole.host_and_dmabuf_ids);
  EXPECT_EQ(scaled.numa_nodes[0].memory, whole.numa_nodes[0].memory);
}

TEST(ScaleTest, OneChangesNothing) {
  EmulatedMachine machine = LoadText(kSmallScenario);
  ScaleDown(1, &machine);
  EXPECT_EQ(machine.instance_type, "small.2xlarge");
  EXPECT_DOUBLE_EQ(machine.nics[0].line_rate.value, 10e9);
}

// What a link of `speed` and `width` becomes.
std::pair<double, uint32_t> Scaled(double speed, uint32_t width, uint32_t divisor) {
  EmulatedMachine machine;
  machine.host_bridges.resize(1);
  machine.host_bridges[0].children.resize(1);
  EmulatedPciDevice below;
  below.link_gt_per_second = speed;
  below.link_width = width;
  machine.host_bridges[0].children[0].children = {below};
  ScaleDown(divisor, &machine);
  const EmulatedPciDevice& link = machine.host_bridges[0].children[0].children[0];
  return {link.link_gt_per_second, link.link_width};
}

TEST(ScaleTest, LinksLoseLanesAndThenSpeed) {
  using Link = std::pair<double, uint32_t>;
  EXPECT_EQ(Scaled(32, 16, 16), (Link{32, 1}));
  EXPECT_EQ(Scaled(32, 16, 2), (Link{32, 8}));
  EXPECT_EQ(Scaled(16, 8, 16), (Link{8, 1}));
  EXPECT_EQ(Scaled(5, 4, 8), (Link{2.5, 1}));
}

TEST(ScaleTest, ALinkThatCannotBeExpressedIsUnknown) {
  using Link = std::pair<double, uint32_t>;
  EXPECT_EQ(Scaled(16, 8, 3), (Link{0, 0}));
  EXPECT_EQ(Scaled(8, 1, 4), (Link{0, 0})) << "other coding below 8 GT/s, so not 2.5 GT/s either";
  EXPECT_EQ(Scaled(0, 0, 16), (Link{0, 0})) << "unknown stays unknown";
}

}  // namespace
}  // namespace railgauge
