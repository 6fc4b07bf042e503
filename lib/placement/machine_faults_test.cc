// What is found on the machines of scenarios/: nothing on a healthy one of any type, and on a sick
// one that which its fault is.
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/placement/evidence.h"
#include "lib/placement/machine_findings.h"
#include "lib/placement/peer_path_findings.h"
#include "lib/placement/registration_findings.h"
#include "lib/placement/scenario_records_testutil.h"
#include "lib/placement/speed_findings.h"
#include "lib/scenario/seen_machine_testutil.h"

namespace railgauge {
namespace {

std::vector<Finding> FindingsOf(const ScenarioRecords& records) {
  const Decision decision;
  const Evidence evidence(records.machine, records.census, records.samples, decision, {});
  std::vector<Finding> all;
  for (const auto& family : {FindMachineFindings(records.machine),
                             FindRegistrationFindings(records.machine, records.census),
                             FindPeerPathFindings(evidence), FindSpeedFindings(evidence)}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

std::string KindsOf(const std::vector<Finding>& findings) {
  std::string kinds;
  for (const Finding& finding : findings) kinds += (kinds.empty() ? "" : " ") + finding.kind;
  return kinds;
}

// One line per finding, for the message of a test that fails.
std::string TextOf(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}: {} [{}]\n", finding.kind, finding.sentence, finding.evidence);
  }
  return text;
}

struct Row {
  const char* spec;
  const char* kinds;      // of all findings, in order
  const char* says = "";  // what the sentence of the first has in it
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.spec; }

constexpr Row kHealthy[] = {
    {"c5n.18xlarge", ""},
    {"p3dn.24xlarge", ""},
    {"g5.48xlarge", ""},
    {"g6.48xlarge", ""},
    {"p4d.24xlarge", ""},
    {"p4de.24xlarge", ""},
    {"p5.48xlarge", ""},
    {"p5en.48xlarge", ""},
    {"p6-b200.48xlarge", ""},
    {"p6-b300.48xlarge", ""},
    {"p6e-gb200.36xlarge", ""},
    {"trn1.32xlarge", ""},
    {"trn1n.32xlarge", ""},
    {"trn2.48xlarge", ""},
    {"p5.48xlarge/16", ""},
    {"p4d.24xlarge/16", ""},
    {"p6-b200.48xlarge/4", ""},
    // Odd, and no fault.
    {"p5.48xlarge,renamed-nics", ""},
    {"p5.48xlarge,reversed-enumeration", ""},
    {"p5.48xlarge,visible-gpus=3+2+1+0", ""},
    {"p5.48xlarge,no-dmabuf", ""},
    {"p5.48xlarge,no-peer-memory", ""},
    {"p5.48xlarge,ids-none", ""},
    {"p5.48xlarge,ids-unsupported", ""},
};

constexpr Row kSick[] = {
    {"p5.48xlarge,missing-nic:rdmap79s0", "nic_count",
     "31 of the 32 EFA NICs of a p5.48xlarge are here (switch 0000:44:00.0 has 3 where others "
     "have 4)"},
    {"p6-b200.48xlarge,missing-nic:rdmap113s0", "nic_count", "7 of the 8 EFA NICs"},
    {"p4d.24xlarge,missing-nic:rdmap16s27", "nic_count", "3 of the 4 EFA NICs"},
    // Of a scaled machine nothing is known but what its NICs show.
    {"p5.48xlarge/16,missing-nic:rdmap79s0", "nic_count",
     "switch 0000:44:00.0 has 3 where most others have 4 NICs"},
    {"p5.48xlarge,missing-gpu:gpu3", "gpu_count",
     "PCI shows 7 of the 8 GPUs of a p5.48xlarge (switch 0000:77:00.0 has 0 where others have 1)"},
    {"p4d.24xlarge,missing-gpu:gpu0", "gpu_count", "has 1 where others have 2"},
    {"g6.48xlarge,missing-gpu:gpu0", "gpu_count", "PCI shows 7 of the 8 GPUs of a g6.48xlarge."},
    {"p5en.48xlarge,wrong-rate=100Gb/s", "port_rate",
     "below the line rate of a NIC of p5en.48xlarge (200 Gb/s)"},
    {"p5.48xlarge,wrong-rate:rdmap79s0=50Gb/s", "port_rate",
     "The driver reports 50 Gb/s for 0000:4f:00.0 (rdmap79s0), below"},
    {"p5.48xlarge/16,wrong-rate:rdmap79s0=2Gb/s", "port_rate", "what most of its siblings report"},
    {"p5.48xlarge,flat-tree", "no_topology", "PCI shows one bus"},
    {"g6.48xlarge,flat-tree", "no_topology", "what is near which is unknown here"},
    {"p5.48xlarge/16,flat-tree", "no_topology", "PCI shows one bus"},
    {"p5.48xlarge,hidden-pci", "no_topology", "PCI is hidden from this view"},
    {"p5.48xlarge,numa-unknown:rdmap79s0", "numa_unknown", "(-1, which is not node 0)"},
    {"p4d.24xlarge,numa-unknown", "numa_unknown", "does not say the NUMA node of"},
    {"p5.48xlarge,narrow-link:rdmap79s0", "narrow_link",
     "The PCI link of 0000:4f:00.0 (rdmap79s0) shows 7.88 GB/s where most of its siblings have "
     "15.75 GB/s"},
    {"p6e-gb200.36xlarge,narrow-link:rdmap54s0", "narrow_link", "where most of its siblings have"},
    // An idle GPU's link trains down, so that it proves nothing.
    {"p5.48xlarge,narrow-link:gpu0=8", ""},
    {"p5.48xlarge,acs-redirect-shown", "acs_redirect",
     "Below all 8 switches, the bridges send what goes between NIC and GPU up to the root port "
     "(ACS "
     "redirect is on). One stream is not slow there"},
    {"p5.48xlarge,acs-redirect-shown:gpu0", "acs_redirect", "Below switch 0000:44:00.0, the"},
    {"p5.48xlarge,acs-redirect=4GB/s", "acs_redirect", "It is slow there: READ to_memory, 1MiB"},
    {"p5.48xlarge,acs-redirect:gpu0=4GB/s", "acs_redirect", "It is slow there: READ to_memory"},
    {"p5.48xlarge,config-unreadable", "acs_unreadable", "to root only"},
    {"p5.48xlarge,slow-relation:same_switch", "peer_path_slow",
     "50 % of the line rate)): the way between them is suspect"},
    {"p4d.24xlarge,slow-relation:same_host_bridge", "class_below_ceiling",
     "All NICs are slow with same_host_bridge GPU"},
    {"trn1.32xlarge,slow-relation:same_numa_node", "class_below_ceiling",
     "50 % of a line rate (12.50 GB/s, published) at the least"},
    {"p5.48xlarge,registration-fails:peer_memory=EINVAL", "registration_fails",
     "Another way registers the same memory"},
    {"p5.48xlarge,registration-fails:host=ENOMEM", "registration_fails",
     "Nothing can be moved there"},
    // A NIC that is slow by itself is a verdict's business.
    {"p5.48xlarge,slow-nic:rdmap79s0=0.6", ""},
    {"p5.48xlarge,slow-relation:other_numa_node", ""},
};

class HealthyMachineTest : public testing::TestWithParam<Row> {};

TEST_P(HealthyMachineTest, ShowsNothing) {
  const auto findings = FindingsOf(RecordsOf(GetParam().spec));
  EXPECT_TRUE(findings.empty()) << TextOf(findings);
}

INSTANTIATE_TEST_SUITE_P(Types, HealthyMachineTest, testing::ValuesIn(kHealthy),
                         [](const auto& row) { return TestNameOf(row.param.spec); });

class SickMachineTest : public testing::TestWithParam<Row> {};

TEST_P(SickMachineTest, ShowsItsFaultAndNothingElse) {
  const auto findings = FindingsOf(RecordsOf(GetParam().spec));
  EXPECT_EQ(KindsOf(findings), GetParam().kinds) << TextOf(findings);
  if (findings.empty()) return;
  EXPECT_NE(findings.front().sentence.find(GetParam().says), std::string::npos) << TextOf(findings);
  EXPECT_FALSE(findings.front().evidence.empty());
}

INSTANTIATE_TEST_SUITE_P(Faults, SickMachineTest, testing::ValuesIn(kSick),
                         [](const auto& row) { return TestNameOf(row.param.spec); });

// Two ConnectX-7 are on a b200, and none of them makes up for an EFA NIC.
TEST(MachineFindingsTest, OtherRdmaDevicesDoNotCount) {
  const auto records = RecordsOf("p6-b200.48xlarge,missing-nic:rdmap113s0");
  ASSERT_EQ(records.machine.other_rdma_devices.size(), 2u);
  const auto findings = FindMachineFindings(records.machine);
  ASSERT_EQ(KindsOf(findings), "nic_count");
  EXPECT_NE(findings[0].evidence.find("nics=7 expected=8"), std::string::npos);
}

// Of a view that nobody asked about ACS, nothing is said about it.
TEST(PeerPathFindingsTest, NotAskedIsNotUnreadable) {
  auto records = RecordsOf("p5.48xlarge,config-unreadable");
  for (PciBridge& bridge : records.machine.bridges) {
    bridge.acs_redirect = AcsRedirect::kNotAsked;
  }
  EXPECT_EQ(KindsOf(FindingsOf(records)), "");
}

// Short messages and windows of a thread that had no CPU reach no line rate anywhere.
TEST(SpeedFindingsTest, ASlowHostIsNoSlowPath) {
  auto records = RecordsOf("p4d.24xlarge,slow-relation:same_host_bridge");
  for (Sample& sample : records.samples) sample.disturbed = true;
  EXPECT_EQ(KindsOf(FindingsOf(records)), "");
  for (Sample& sample : records.samples) {
    sample.disturbed = false;
    sample.cell.size = Bytes{4096};
  }
  EXPECT_EQ(KindsOf(FindingsOf(records)), "");
}

TEST(SpeedFindingsTest, WhatWindowsSayOfThemselvesIsSaidOnce) {
  auto records = RecordsOf("p4d.24xlarge");
  for (Sample& sample : records.samples) {
    sample.cpu_bound = true;
    sample.status = SampleStatus::kNoCounters;
  }
  EXPECT_EQ(KindsOf(FindingsOf(records)), "cpu_bound no_counters");
}

// However many cells show it, and in both directions, one finding.
TEST(SpeedFindingsTest, TwoSpeedsAreOneFindingPerRelation) {
  auto records = RecordsOf("p5.48xlarge");
  std::vector<Sample> more;
  for (const Sample& sample : records.samples) {
    const bool shown = sample.cell.place.is_gpu() && sample.cell.operation == Operation::kRead &&
                       sample.throughput->value > 12.4e9;
    if (!shown) continue;
    for (uint32_t round = 1; round <= 20; ++round) {
      Sample window = sample;
      window.round = round;
      const bool slow = sample.cell.nic.name.ends_with("s0") && round % 2 == 0;
      window.throughput->value *= slow ? 0.5 + 0.001 * round : 1 - 0.0001 * round;
      more.push_back(std::move(window));
    }
  }
  records.samples.insert(records.samples.end(), more.begin(), more.end());
  const auto findings = FindingsOf(records);
  ASSERT_EQ(KindsOf(findings), "two_speeds") << TextOf(findings);
  EXPECT_NE(findings[0].sentence.find("32 of 32 same_switch GPU cells (READ to_memory, 1MiB), 32 "
                                      "of 32 (READ from_memory, 1MiB) have two speeds"),
            std::string::npos)
      << findings[0].sentence;
}

}  // namespace
}  // namespace railgauge
