// The table against the machines of scenarios/instances, as the tools see these: a fact that the
// scenario of its own file contradicts is wrong, or the scenario is.
#include "lib/instance_types/instance_types.h"

#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/scenario/load.h"
#include "lib/scenario/seen_machine_testutil.h"
#include "lib/topology/relation.h"

namespace railgauge {

void PrintTo(const InstanceType& type, std::ostream* out) { *out << type.name; }

namespace {

class InstanceTypesTest : public testing::TestWithParam<InstanceType> {
 protected:
  const EmulatedMachine& emulated_ = SeeMachine(GetParam().name).emulated;
  const Machine& seen_ = SeeMachine(GetParam().name).seen;
};

PciTree TreeOf(const Machine& machine) {
  if (machine.flat) return PciTree::kFlat;
  return machine.nics.front().position.bridges.empty() ? PciTree::kHostBridges : PciTree::kSwitches;
}

TEST_P(InstanceTypesTest, IsWhatItsScenarioShows) {
  const InstanceType& type = GetParam();
  EXPECT_EQ(seen_.instance_type, type.name);
  ASSERT_TRUE(type.nics && type.gpus && type.line_rate && type.pci_tree);
  EXPECT_EQ(seen_.nics.size(), type.nics->value);
  EXPECT_EQ(seen_.gpus.size(), type.gpus->value);
  EXPECT_EQ(TreeOf(seen_), type.pci_tree->value);
  for (const EmulatedNic& nic : emulated_.nics) {
    EXPECT_DOUBLE_EQ(nic.line_rate.value, type.line_rate->value.value) << nic.name;
    if (type.rdma_read) {
      EXPECT_EQ(nic.model.rdma_read, type.rdma_read->value) << nic.name;
    }
    if (type.rdma_write) {
      EXPECT_EQ(nic.model.rdma_write, type.rdma_write->value) << nic.name;
    }
  }
}

TEST_P(InstanceTypesTest, ItsGroupsAreThoseOfItsScenario) {
  const InstanceType& type = GetParam();
  for (const NicGroup& group : GroupNics(seen_)) {
    if (type.nics_per_group) {
      EXPECT_EQ(group.nics.size(), type.nics_per_group->value) << group.name;
    }
    uint32_t gpus = 0;
    for (const Gpu& gpu : seen_.gpus) {
      const auto relation = RelationOf(seen_, *seen_.FindNic(group.nics.front()),
                                       MemoryPlace::Gpu(gpu.position.address));
      if (relation.relation <= Relation::kSameHostBridge) ++gpus;
    }
    if (type.gpus_per_group) {
      EXPECT_EQ(gpus, type.gpus_per_group->value) << group.name;
    }
  }
}

// What all NICs together reached is no more than their line rates.
TEST_P(InstanceTypesTest, WhatIsReportedIsPossible) {
  const InstanceType& type = GetParam();
  for (const ReportedThroughput& reported : type.reported) {
    EXPECT_LE(reported.throughput.value, type.nics->value * type.line_rate->value.value);
    EXPECT_GT(reported.throughput.value, 0);
    EXPECT_FALSE(reported.source.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Types, InstanceTypesTest, testing::ValuesIn(InstanceTypes()),
                         [](const auto& row) { return TestNameOf(row.param.name); });

TEST(InstanceTypesTableTest, HasEveryScenarioOnceAndInOrder) {
  const auto files = ListInstanceTypes("scenarios");
  ASSERT_TRUE(files) << files.error().ToString();
  std::vector<std::string> names;
  for (const InstanceType& type : InstanceTypes()) names.push_back(type.name);
  EXPECT_EQ(names, *files);
}

TEST(InstanceTypesTableTest, FindsByTheWholeName) {
  ASSERT_NE(FindInstanceType("p5en.48xlarge"), nullptr);
  EXPECT_EQ(FindInstanceType("p5en.48xlarge")->line_rate->value, BytesPerSecond{25e9});
  EXPECT_EQ(FindInstanceType("p5.48xlarge/16"), nullptr) << "a type of its own";
  EXPECT_EQ(FindInstanceType("p5"), nullptr);
  EXPECT_EQ(FindInstanceType(""), nullptr);
}

// Where nobody published it, the table says so, and those who accuse by it must look.
TEST(InstanceTypesTableTest, WhatIsAssumedSaysSo) {
  const auto& gb200 = *FindInstanceType("p6e-gb200.36xlarge");
  EXPECT_FALSE(gb200.line_rate->certain());
  EXPECT_TRUE(gb200.nics->certain());
  EXPECT_EQ(ToString(gb200.nics->provenance), "seen");
  EXPECT_FALSE(FindInstanceType("g6.48xlarge")->rdma_read) << "not published";
}

}  // namespace
}  // namespace railgauge
