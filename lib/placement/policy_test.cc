#include "lib/placement/policy.h"

#include <map>
#include <set>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// "gpu:0000:53:00.0: 0000:4f:00.0 …" per consumer.
std::vector<std::string> Lines(const Decision& decision) {
  std::vector<std::string> lines;
  for (const Assignment& assignment : decision.assignments) {
    std::string line = assignment.consumer.ToString() + ":";
    for (const NicKey& nic : assignment.nics) line += " " + nic.address.ToString();
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> NearestOf(const Machine& machine) {
  const auto decision = DecideByPolicy("nearest", machine);
  EXPECT_TRUE(decision) << (decision ? "" : decision.error().ToString());
  return decision ? Lines(*decision) : std::vector<std::string>();
}

TEST(PolicyTest, P5GivesEachGpuTheNicsOfItsSwitch) {
  const std::vector<std::string> lines = NearestOf(MakeP5());
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0], "gpu:0000:53:00.0: 0000:4f:00.0 0000:50:00.0 0000:51:00.0 0000:52:00.0");
  EXPECT_EQ(lines[7], "gpu:0000:ca:00.0: 0000:c6:00.0 0000:c7:00.0 0000:c8:00.0 0000:c9:00.0");
}

TEST(PolicyTest, P4dSharesEachNicBetweenTheTwoGpusOfItsHostBridge) {
  EXPECT_EQ(NearestOf(MakeP4d()),
            (std::vector<std::string>{
                "gpu:0000:10:1c.0: 0000:10:1b.0", "gpu:0000:10:1d.0: 0000:10:1b.0",
                "gpu:0000:20:1c.0: 0000:20:1b.0", "gpu:0000:20:1d.0: 0000:20:1b.0",
                "gpu:0000:90:1c.0: 0000:90:1b.0", "gpu:0000:90:1d.0: 0000:90:1b.0",
                "gpu:0000:a0:1c.0: 0000:a0:1b.0", "gpu:0000:a0:1d.0: 0000:a0:1b.0"}));
}

TEST(PolicyTest, AMissingNicCostsItsGpuOnly) {
  Machine machine = MakeP5();
  machine.nics.erase(machine.nics.begin() + 5);
  const std::vector<std::string> lines = NearestOf(machine);
  EXPECT_EQ(lines[1], "gpu:0000:64:00.0: 0000:60:00.0 0000:62:00.0 0000:63:00.0");
  EXPECT_EQ(lines[2], "gpu:0000:75:00.0: 0000:71:00.0 0000:72:00.0 0000:73:00.0 0000:74:00.0");
}

// Two GPUs of a container with all NICs: an even split, the own switch first, then the own node.
TEST(PolicyTest, FewGpusShareAllNics) {
  Machine machine = MakeP5();
  machine.gpus = {machine.gpus[0], machine.gpus[7]};
  const auto decision = DecideByPolicy("nearest", machine);
  ASSERT_TRUE(decision);
  for (const Assignment& assignment : decision->assignments) {
    EXPECT_EQ(assignment.nics.size(), 16u);
    const auto node = machine.FindGpu(assignment.consumer.gpu)->position.numa_node;
    for (const NicKey& nic : assignment.nics) {
      EXPECT_EQ(machine.FindNic(nic.address)->position.numa_node, node);
    }
  }
}

TEST(PolicyTest, TwoGpusBelowOneSwitchSplitItsNics) {
  Machine machine = MakeHost(1);
  for (const char* nic :
       {"0000:02:00.0", "0000:03:00.0", "0000:04:00.0", "0000:05:00.0", "0000:06:00.0"}) {
    machine.nics.push_back(MakeNic(nic, "0000:00", {"0000:00:01.0"}, 0));
  }
  machine.gpus = {MakeGpu("0000:07:00.0", "0000:00", {"0000:00:01.0"}, 0),
                  MakeGpu("0000:08:00.0", "0000:00", {"0000:00:01.0"}, 0)};
  EXPECT_EQ(NearestOf(machine),
            (std::vector<std::string>{"gpu:0000:07:00.0: 0000:02:00.0 0000:03:00.0 0000:06:00.0",
                                      "gpu:0000:08:00.0: 0000:04:00.0 0000:05:00.0"}));
}

TEST(PolicyTest, WithoutGpusTheNumaNodesAreServed) {
  Machine machine = MakeP5();
  machine.gpus.clear();
  machine.numa_nodes.push_back({2, Bytes{0}, {}});  // without memory: no consumer
  const std::vector<std::string> lines = NearestOf(machine);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("numa0: 0000:4f:00.0 ")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(" 0000:c9:00.0")) << lines[1];
}

TEST(PolicyTest, AFlatTreeStillGetsAnEvenSplit) {
  const std::vector<std::string> lines = NearestOf(MakeG5());
  ASSERT_EQ(lines.size(), 8u);
  for (const std::string& line : lines) EXPECT_TRUE(line.ends_with(": 0000:00:15.0")) << line;
}

// On every machine: each NIC of one consumer (or each consumer with one NIC), numbers that differ
// by one at most, whatever is missing.
TEST(PolicyTest, TheSplitIsAlwaysEven) {
  for (size_t gpus = 1; gpus <= 8; ++gpus) {
    for (size_t nics = 1; nics <= 32; nics += 3) {
      Machine machine = MakeP5();
      machine.gpus.erase(machine.gpus.begin(), machine.gpus.end() - static_cast<ptrdiff_t>(gpus));
      machine.nics.resize(nics);
      const auto decision = DecideByPolicy("nearest", machine);
      ASSERT_TRUE(decision);
      std::map<PciAddress, size_t> users;
      std::set<size_t> sizes;
      for (const Assignment& assignment : decision->assignments) {
        sizes.insert(assignment.nics.size());
        for (const NicKey& nic : assignment.nics) ++users[nic.address];
      }
      EXPECT_EQ(decision->assignments.size(), gpus);
      EXPECT_EQ(users.size(), nics);
      EXPECT_GE(*sizes.begin(), 1u);
      EXPECT_LE(*sizes.rbegin() - *sizes.begin(), 1u);
      std::set<size_t> user_counts;
      for (const auto& [nic, count] : users) user_counts.insert(count);
      EXPECT_LE(*user_counts.rbegin() - *user_counts.begin(), 1u);
      EXPECT_TRUE(gpus > nics || *user_counts.rbegin() == 1);
    }
  }
}

TEST(PolicyTest, Errors) {
  const auto unknown = DecideByPolicy("closest\n", MakeP5());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().ToString(),
            "decide by policy 'closest?': there is no such policy; there is: nearest, nixl, nccl, "
            "mooncake, ucx, ompi, ompi-gpu, numa, enumeration, vendor-map. Name one of them, or a "
            "decision file that exists.");
  Machine no_nics = MakeP5();
  no_nics.nics.clear();
  EXPECT_FALSE(DecideByPolicy("nearest", no_nics));
  Machine no_consumers = MakeP5();
  no_consumers.gpus.clear();
  no_consumers.numa_nodes.clear();
  EXPECT_FALSE(DecideByPolicy("nearest", no_consumers));
}

// A container with two of eight GPUs: what is below other switches meets no GPU and stays idle.
TEST(PolicyTest, NixlLeavesNicsIdleThatNoGpuIsNear) {
  Machine machine = MakeP5();
  machine.gpus = {machine.gpus[0], machine.gpus[7]};
  EXPECT_EQ(Lines(*DecideByPolicy("nixl", machine)),
            (std::vector<std::string>{
                "gpu:0000:53:00.0: 0000:4f:00.0 0000:50:00.0 0000:51:00.0 0000:52:00.0",
                "gpu:0000:ca:00.0: 0000:c6:00.0 0000:c7:00.0 0000:c8:00.0 0000:c9:00.0"}));
}

// g6 has its only NIC on node 0: the GPUs of node 0 meet it there, those of node 1 meet nothing and
// may use all of the machine.
TEST(PolicyTest, NixlFallsBackToAllNics) {
  const auto decision = DecideByPolicy("nixl", MakeG6());
  ASSERT_TRUE(decision);
  ASSERT_EQ(decision->assignments.size(), 8u);
  for (const Assignment& assignment : decision->assignments) EXPECT_EQ(assignment.nics.size(), 1u);
}

// Switches in cascade: the lower one is nearer to NCCL (PIX) than the upper (PXB).
TEST(PolicyTest, NcclPrefersTheLowerSwitch) {
  Machine machine = MakeHost(1);
  machine.nics = {
      MakeNic("0000:08:00.0", "0000:00", {"0000:00:01.0", "0000:01:00.0", "0000:02:00.0"}, 0),
      MakeNic("0000:09:00.0", "0000:00",
              {"0000:00:01.0", "0000:01:00.0", "0000:02:01.0", "0000:03:00.0", "0000:04:00.0"}, 0)};
  machine.gpus = {
      MakeGpu("0000:0a:00.0", "0000:00",
              {"0000:00:01.0", "0000:01:00.0", "0000:02:01.0", "0000:03:00.0", "0000:04:01.0"}, 0)};
  EXPECT_EQ(Lines(*DecideByPolicy("nccl", machine)),
            (std::vector<std::string>{"gpu:0000:0a:00.0: 0000:09:00.0"}));
}

// NUMA -1 is one node of its own to NCCL: nothing is preferred on a flat tree.
TEST(PolicyTest, NcclOnAFlatTreeTakesTheOnlyNic) {
  const auto decision = DecideByPolicy("nccl", MakeG5());
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->assignments.size(), 8u);
}

TEST(PolicyTest, TheTableSaysWhereARuleIsFrom) {
  for (const Policy& policy : Policies()) {
    EXPECT_FALSE(policy.name.empty() || policy.rule.empty() || policy.source.empty());
  }
}

}  // namespace
}  // namespace railgauge
