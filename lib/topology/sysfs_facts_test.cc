#include "lib/topology/sysfs_facts.h"

#include <hwloc.h>

#include <cstdlib>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "lib/scenario/seen_machine_testutil.h"
#include "lib/topology/load.h"
#include "lib/topology/recorded_facts.h"

namespace railgauge {
namespace {

Machine FactsOf(const std::string& spec) {
  const SeenMachine& machine = SeeMachine(spec);
  Machine seen = machine.seen;
  ReadFactsFromSysfs(machine.folder.path().string() + "/sys", seen);
  return seen;
}

std::map<AcsRedirect, size_t> RedirectsOf(const Machine& machine) {
  std::map<AcsRedirect, size_t> counts;
  for (const PciBridge& bridge : machine.bridges) ++counts[bridge.acs_redirect];
  return counts;
}

using Counts = std::map<AcsRedirect, size_t>;

TEST(SysfsFactsTest, OfAP5) {
  const Machine machine = FactsOf("p5.48xlarge");
  for (const Nic& nic : machine.nics) {
    EXPECT_EQ(nic.port_rate, BytesPerSecond{12.5e9}) << nic.name;
    EXPECT_EQ(nic.p2p_provider, "NVIDIA") << nic.name;
  }
  // A root port, an upstream port and five downstream ports of each switch.
  EXPECT_EQ(RedirectsOf(machine), (Counts{{AcsRedirect::kOff, 8 * 7}}));
  const PciBridge* root = machine.FindBridge(*PciAddress::Parse("0000:44:00.0"));
  ASSERT_NE(root, nullptr);
  EXPECT_NEAR(root->link_speed->value, 15.75e9, 0.01e9);
}

TEST(SysfsFactsTest, TheThreeStatesOfAcs) {
  // Of a switch's bridges all but the upstream port, which has no such capability.
  const auto shown = RedirectsOf(FactsOf("p5.48xlarge,acs-redirect-shown"));
  EXPECT_EQ(shown, (Counts{{AcsRedirect::kOff, 8}, {AcsRedirect::kOn, 8 * 6}}));
  const auto unreadable = RedirectsOf(FactsOf("p5.48xlarge,config-unreadable"));
  EXPECT_EQ(unreadable, (Counts{{AcsRedirect::kUnreadable, 8 * 7}}));
  EXPECT_EQ(RedirectsOf(SeeMachine("p5.48xlarge").seen), (Counts{{AcsRedirect::kNotAsked, 8 * 7}}));
  EXPECT_TRUE(FactsOf("p4d.24xlarge").bridges.empty());
}

TEST(SysfsFactsTest, ThePortsOwnRate) {
  const Machine machine = FactsOf("p5.48xlarge,wrong-rate:rdmap79s0=50Gb/s");
  EXPECT_EQ(machine.FindNic(*PciAddress::Parse("0000:4f:00.0"))->port_rate, BytesPerSecond{6.25e9});
  EXPECT_EQ(machine.FindNic(*PciAddress::Parse("0000:50:00.0"))->port_rate, BytesPerSecond{12.5e9});
}

TEST(SysfsFactsTest, NothingToReadIsNothingKnown) {
  Machine machine = SeeMachine("p5.48xlarge").seen;
  ReadFactsFromSysfs(testing::TempDir() + "/no-such-folder", machine);
  for (const Nic& nic : machine.nics) {
    EXPECT_FALSE(nic.port_rate);
    EXPECT_EQ(nic.p2p_provider, "");
  }
  EXPECT_EQ(RedirectsOf(machine), (Counts{{AcsRedirect::kUnreadable, 8 * 7}}));
}

// A hwloc topology with the machine's facts, written to a file.
std::string ExportWithFacts(const Machine& machine, const std::string& root) {
  hwloc_topology_t topology = nullptr;
  ::setenv("HWLOC_FSROOT", root.c_str(), 1);
  hwloc_topology_init(&topology);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  ::unsetenv("HWLOC_FSROOT");
  RecordFacts(machine, topology);
  const std::string path = testing::TempDir() + "/facts.xml";
  EXPECT_EQ(hwloc_topology_export_xml(topology, path.c_str(), 0), 0);
  hwloc_topology_destroy(topology);
  return path;
}

TEST(RecordedFactsTest, SurviveTheXml) {
  const std::string spec = "p5.48xlarge,acs-redirect-shown,wrong-rate:rdmap79s0=50Gb/s";
  const Machine machine = FactsOf(spec);
  const auto read =
      LoadMachineFromXml(ExportWithFacts(machine, SeeMachine(spec).folder.path().string()));
  ASSERT_TRUE(read) << read.error().ToString();
  ASSERT_EQ(read->nics.size(), machine.nics.size());
  for (size_t i = 0; i < machine.nics.size(); ++i) {
    EXPECT_EQ(read->nics[i].port_rate, machine.nics[i].port_rate) << machine.nics[i].name;
    EXPECT_EQ(read->nics[i].p2p_provider, machine.nics[i].p2p_provider) << machine.nics[i].name;
  }
  ASSERT_EQ(read->bridges.size(), machine.bridges.size());
  for (size_t i = 0; i < machine.bridges.size(); ++i) {
    EXPECT_EQ(read->bridges[i].address, machine.bridges[i].address);
    EXPECT_EQ(read->bridges[i].acs_redirect, machine.bridges[i].acs_redirect);
    EXPECT_EQ(read->bridges[i].link_speed, machine.bridges[i].link_speed);
  }
}

}  // namespace
}  // namespace railgauge
