#include "lib/scenario/pci_functions.h"

#include "gtest/gtest.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

TEST(PciFunctionsTest, EveryFieldOfANicIsRead) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  const EmulatedNic& nic = machine.nics[0];
  EXPECT_DOUBLE_EQ(nic.line_rate.value, 10e9);
  const EmulatedNicModel& model = nic.model;
  EXPECT_EQ(model.firmware, "emulated-small");
  EXPECT_DOUBLE_EQ(model.reported_gb_per_second, 100);
  EXPECT_TRUE(model.rdma_read && model.can_query_mr);
  EXPECT_FALSE(model.rdma_write || model.rnr_retry || model.cq_with_sgid ||
               model.unsolicited_write_recv);
  EXPECT_EQ(model.max_qp, 256u);
  EXPECT_EQ(model.max_mr_pages, 67108864u);
  EXPECT_EQ(model.max_rq_sge, 3u);
  EXPECT_EQ(model.mtu, 8928u);
  EXPECT_EQ(model.sub_cqs_per_cq, 1u);
}

TEST(PciFunctionsTest, IdsClassAndLinkAreRead) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  const EmulatedPciDevice& gpu = machine.host_bridges[0].children[0].children[1].children[0];
  EXPECT_EQ(gpu.vendor_id, 0x10de);
  EXPECT_EQ(gpu.device_id, 0x2330);
  EXPECT_EQ(gpu.subsystem_device_id, 0x16c1);
  EXPECT_EQ(gpu.class_code, 0x030200u);
  EXPECT_EQ(gpu.revision, 0xa1);
  EXPECT_DOUBLE_EQ(gpu.link_gt_per_second, 32);
  EXPECT_EQ(gpu.link_width, 16u);
  const EmulatedPciDevice& disk = machine.host_bridges[2].children[1];
  EXPECT_DOUBLE_EQ(disk.link_gt_per_second, 0) << "unknown";
}

TEST(PciFunctionsTest, NamesAreExpandedInDecimal) {
  YamlErrors errors("x.yaml");
  const PciAddress address = Address("0001:c6:1b.2");
  EXPECT_EQ(ExpandName("rdmap{bus}s{device}", address, 1, &errors), "rdmap198s27");
  EXPECT_EQ(ExpandName("d{domain}f{function}{bus}", address, 1, &errors), "d1f2198");
  EXPECT_TRUE(errors.ok());
  for (const char* bad : {"", "a b", "{bus", "a/b", "sixteen-letters0"}) {
    YamlErrors refused("x.yaml");
    ExpandName(bad, address, 7, &refused);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.first().object, "x.yaml:7");
  }
}

}  // namespace
}  // namespace railgauge
