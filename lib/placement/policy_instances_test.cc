// What each policy chooses on the instance types of scenarios/, against what its rule says, worked
// out by hand from the source that the rule's header names.
//
// Addresses are short here: "4f" is 0000:4f:00.0, "10.1b" is 0000:10:1b.0.
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/placement/policy.h"
#include "lib/placement/policy_text.h"
#include "lib/scenario/seen_machine_testutil.h"

namespace railgauge {
namespace {

std::string Short(const PciAddress& address) {
  if (address.device == 0) return fmt::format("{:02x}", address.bus);
  return fmt::format("{:02x}.{:02x}", address.bus, address.device);
}

std::string Short(const MemoryPlace& place) {
  return place.is_host() ? place.ToString() : Short(place.gpu);
}

// "53: 4f 50; 64: 60 61"
std::string Lines(const Decision& decision) {
  std::string lines;
  for (const Assignment& assignment : decision.assignments) {
    lines += (lines.empty() ? "" : "; ") + Short(assignment.consumer) + ":";
    for (const NicKey& nic : assignment.nics) lines += " " + Short(nic.address);
  }
  return lines;
}

struct Row {
  const char* type;
  const char* policy;
  std::string lines;  // or "error: " and a part of it
};
void PrintTo(const Row& row, std::ostream* os) { *os << row.type << " " << row.policy; }

// p4d shows host bridges without PCI bridges: 10, 20 on node 0; 90, a0 on node 1; each with the NIC
// 1b and the GPUs 1c and 1d.
constexpr char kP4dOwnBridge[] =
    "10.1c: 10.1b; 10.1d: 10.1b; 20.1c: 20.1b; 20.1d: 20.1b; "
    "90.1c: 90.1b; 90.1d: 90.1b; a0.1c: a0.1b; a0.1d: a0.1b";
constexpr char kP4dInTurn[] =
    "10.1c: 10.1b; 10.1d: 20.1b; 20.1c: 10.1b; 20.1d: 20.1b; "
    "90.1c: 90.1b; 90.1d: a0.1b; a0.1c: 90.1b; a0.1d: a0.1b";
constexpr char kP4dOfNode[] =
    "10.1c: 10.1b 20.1b; 10.1d: 10.1b 20.1b; 20.1c: 10.1b 20.1b; 20.1d: 10.1b 20.1b; "
    "90.1c: 90.1b a0.1b; 90.1d: 90.1b a0.1b; a0.1c: 90.1b a0.1b; a0.1d: 90.1b a0.1b";

// p5: eight switches with four NICs and one GPU each, four of them to a node.
constexpr char kP5OwnSwitch[] =
    "53: 4f 50 51 52; 64: 60 61 62 63; 75: 71 72 73 74; 86: 82 83 84 85; "
    "97: 93 94 95 96; a8: a4 a5 a6 a7; b9: b5 b6 b7 b8; ca: c6 c7 c8 c9";
constexpr char kP5OfNode[] =
    "53: 4f 50 51 52 60 61 62 63 71 72 73 74 82 83 84 85; "
    "64: 4f 50 51 52 60 61 62 63 71 72 73 74 82 83 84 85; "
    "75: 4f 50 51 52 60 61 62 63 71 72 73 74 82 83 84 85; "
    "86: 4f 50 51 52 60 61 62 63 71 72 73 74 82 83 84 85; "
    "97: 93 94 95 96 a4 a5 a6 a7 b5 b6 b7 b8 c6 c7 c8 c9; "
    "a8: 93 94 95 96 a4 a5 a6 a7 b5 b6 b7 b8 c6 c7 c8 c9; "
    "b9: 93 94 95 96 a4 a5 a6 a7 b5 b6 b7 b8 c6 c7 c8 c9; "
    "ca: 93 94 95 96 a4 a5 a6 a7 b5 b6 b7 b8 c6 c7 c8 c9";

// p5en: four switches with four NICs and two GPUs each.
constexpr char kP5enSplit[] =
    "59: 55 56; 5a: 57 58; 72: 6e 6f; 73: 70 71; 8b: 87 88; 8c: 89 8a; a4: a0 a1; a5: a2 a3";
constexpr char kP5enShared[] =
    "59: 55 56 57 58; 5a: 55 56 57 58; 72: 6e 6f 70 71; 73: 6e 6f 70 71; "
    "8b: 87 88 89 8a; 8c: 87 88 89 8a; a4: a0 a1 a2 a3; a5: a0 a1 a2 a3";

// p6-b200: four switches with two NICs and two GPUs each (and two ConnectX that are no EFA).
constexpr char kB200OneEach[] = "51: 4f; 52: 50; 62: 60; 63: 61; 75: 71; 76: 72; 86: 84; 87: 85";
constexpr char kB200Shared[] =
    "51: 4f 50; 52: 4f 50; 62: 60 61; 63: 60 61; 75: 71 72; 76: 71 72; 86: 84 85; 87: 84 85";

// trn1: four host bridges with two NICs and four Trainium each; no CUDA GPU, so NUMA nodes are
// served. The vendor's map has another order than PCI.
constexpr char kTrn1Nodes[] = "numa0: 10.19 10.1a 20.19 20.1a; numa1: 90.19 90.1a a0.19 a0.1a";

const Row kRows[] = {
    {"p4d.24xlarge", "nearest", kP4dOwnBridge},
    // One NIC meets two GPUs at each host bridge: fewer NICs than GPUs, so they share it.
    {"p4d.24xlarge", "nixl", kP4dOwnBridge},
    // No PCI switch is seen: all is "through the CPU". Two local NICs, four GPUs that they are
    // local to: one each, from the mirrored GPU number (0 1 0 1). This is why AWS ships a topology
    // file for p4d.
    {"p4d.24xlarge", "nccl", kP4dInTurn},
    // In sysfs the NIC of the own bridge is a sibling (distance 0), the other one at distance 2.
    {"p4d.24xlarge", "mooncake", kP4dOwnBridge},
    // The other bridge of the node is class "node" (12.5 GB/s, the line rate), the own one "phb"
    // (3500 MB/s): within a quarter of it, so both are used.
    {"p4d.24xlarge", "ucx", kP4dOfNode},
    // Four processes of a node on its two NICs in turn.
    {"p4d.24xlarge", "ompi", kP4dInTurn},
    // Up to the host bridge and down again: 2 objects; others have more.
    {"p4d.24xlarge", "ompi-gpu", kP4dOwnBridge},
    {"p4d.24xlarge", "numa", kP4dOfNode},
    {"p4d.24xlarge", "enumeration",
     "10.1c: 10.1b; 10.1d: 20.1b; 20.1c: 90.1b; 20.1d: a0.1b; "
     "90.1c: 10.1b; 90.1d: 20.1b; a0.1c: 90.1b; a0.1d: a0.1b"},
    {"p4d.24xlarge", "vendor-map", "error: no vendor's map for instance type 'p4d.24xlarge'"},

    {"p5.48xlarge", "nearest", kP5OwnSwitch},
    {"p5.48xlarge", "nixl", kP5OwnSwitch},
    // Four nets at one switch, local to one GPU: four channels take one each.
    {"p5.48xlarge", "nccl", kP5OwnSwitch},
    {"p5.48xlarge", "mooncake", kP5OwnSwitch},
    // Two rails of the four alike.
    {"p5.48xlarge", "ucx",
     "53: 4f 50; 64: 60 61; 75: 71 72; 86: 82 83; 97: 93 94; a8: a4 a5; b9: b5 b6; ca: c6 c7"},
    // The 16 NICs of the node are alike to the CPUs: its four processes take the first four, which
    // are below the first GPU's switch.
    {"p5.48xlarge", "ompi", "53: 4f; 64: 50; 75: 51; 86: 52; 97: 93; a8: 94; b9: 95; ca: 96"},
    {"p5.48xlarge", "ompi-gpu", "53: 4f; 64: 60; 75: 71; 86: 82; 97: 93; a8: a4; b9: b5; ca: c6"},
    {"p5.48xlarge", "numa", kP5OfNode},
    {"p5.48xlarge", "enumeration",
     "53: 4f; 64: 50; 75: 51; 86: 52; 97: 60; a8: 61; b9: 62; ca: 63"},
    {"p5.48xlarge", "vendor-map", "error: no vendor's map"},

    {"p5en.48xlarge", "nearest", kP5enSplit},
    {"p5en.48xlarge", "nixl", kP5enSplit},
    // Four nets local to two GPUs: two each, GPU 2k from net 0, GPU 2k + 1 from mirrored 1 = net 2.
    {"p5en.48xlarge", "nccl", kP5enSplit},
    {"p5en.48xlarge", "mooncake", kP5enShared},
    // Both GPUs of a switch take its first two NICs.
    {"p5en.48xlarge", "ucx",
     "59: 55 56; 5a: 55 56; 72: 6e 6f; 73: 6e 6f; 8b: 87 88; 8c: 87 88; a4: a0 a1; a5: a0 a1"},
    {"p5en.48xlarge", "ompi", "59: 55; 5a: 56; 72: 57; 73: 58; 8b: 87; 8c: 88; a4: 89; a5: 8a"},
    {"p5en.48xlarge", "ompi-gpu", "59: 55; 5a: 55; 72: 6e; 73: 6e; 8b: 87; 8c: 87; a4: a0; a5: a0"},
    {"p5en.48xlarge", "enumeration",
     "59: 55; 5a: 56; 72: 57; 73: 58; 8b: 6e; 8c: 6f; a4: 70; a5: 71"},

    {"p6-b200.48xlarge", "nearest", kB200OneEach},
    {"p6-b200.48xlarge", "nixl", kB200OneEach},
    {"p6-b200.48xlarge", "nccl", kB200OneEach},
    {"p6-b200.48xlarge", "mooncake", kB200Shared},
    {"p6-b200.48xlarge", "ucx", kB200Shared},
    // Four processes and four NICs to a node, in the same order: right by luck.
    {"p6-b200.48xlarge", "ompi", kB200OneEach},
    {"p6-b200.48xlarge", "ompi-gpu",
     "51: 4f; 52: 4f; 62: 60; 63: 60; 75: 71; 76: 71; 86: 84; 87: 84"},
    {"p6-b200.48xlarge", "numa",
     "51: 4f 50 60 61; 52: 4f 50 60 61; 62: 4f 50 60 61; 63: 4f 50 60 61; "
     "75: 71 72 84 85; 76: 71 72 84 85; 86: 71 72 84 85; 87: 71 72 84 85"},
    {"p6-b200.48xlarge", "enumeration", kB200OneEach},

    {"trn1.32xlarge", "nearest", kTrn1Nodes},
    {"trn1.32xlarge", "numa", kTrn1Nodes},
    {"trn1.32xlarge", "mooncake", kTrn1Nodes},
    {"trn1.32xlarge", "ompi", "numa0: 10.19; numa1: 90.19"},
    {"trn1.32xlarge", "enumeration", "numa0: 10.19; numa1: 10.1a"},
    {"trn1.32xlarge", "nixl", "error: this machine shows none"},
    {"trn1.32xlarge", "nccl", "error: this machine shows none"},
    {"trn1.32xlarge", "ucx", "error: this machine shows none"},
    {"trn1.32xlarge", "ompi-gpu", "error: this machine shows none"},
    // Device 0 is 10:1c.0 and served by 10:1a.0, device 12 is 10:1e.0 and served by 10:19.0, …
    {"trn1.32xlarge", "vendor-map",
     "10.1b: 10.19; 10.1c: 10.1a; 10.1d: 10.1a; 10.1e: 10.19; "
     "20.1b: 20.19; 20.1c: 20.19; 20.1d: 20.1a; 20.1e: 20.1a; "
     "90.1b: 90.19; 90.1c: 90.19; 90.1d: 90.1a; 90.1e: 90.1a; "
     "a0.1b: a0.19; a0.1c: a0.1a; a0.1d: a0.1a; a0.1e: a0.19"},
};

class PolicyInstancesTest : public testing::TestWithParam<Row> {};

TEST_P(PolicyInstancesTest, ChoosesByItsRule) {
  const Row& row = GetParam();
  const auto decision = DecideByPolicy(row.policy, SeeMachine(row.type).seen);
  constexpr std::string_view kError = "error: ";
  if (row.lines.starts_with(kError)) {
    ASSERT_FALSE(decision);
    EXPECT_NE(decision.error().ToString().find(row.lines.substr(kError.size())), std::string::npos)
        << decision.error().ToString();
    return;
  }
  ASSERT_TRUE(decision) << decision.error().ToString();
  EXPECT_EQ(Lines(*decision), row.lines);
  EXPECT_EQ(decision->source, std::string("policy ") + row.policy);
}

INSTANTIATE_TEST_SUITE_P(Rows, PolicyInstancesTest, testing::ValuesIn(kRows), [](const auto& row) {
  return TestNameOf(std::string(row.param.type) + "_" + row.param.policy);
});

// Every policy is in the rows above, so that none is added without an expectation.
TEST(PolicyInstancesTableTest, NamesEveryPolicy) {
  std::set<std::string_view> tested;
  for (const Row& row : kRows) tested.insert(row.policy);
  for (const Policy& policy : Policies()) EXPECT_TRUE(tested.contains(policy.name)) << policy.name;
}

// The vendor's maps of the other Trainium types name devices that these types have, each
// accelerator once and each NIC as often as another.
TEST(PolicyInstancesTableTest, VendorMapsFitTheirTypes) {
  for (const char* type : {"trn1n.32xlarge", "trn2.48xlarge"}) {
    const Machine& machine = SeeMachine(type).seen;
    const auto decision = DecideByPolicy("vendor-map", machine);
    ASSERT_TRUE(decision) << decision.error().ToString();
    EXPECT_EQ(decision->assignments.size(), machine.accelerators.size()) << type;
    std::set<PciAddress> served;
    for (const Assignment& assignment : decision->assignments) {
      served.insert(assignment.nics.at(0).address);
    }
    EXPECT_EQ(served.size(), machine.nics.size()) << type;
  }
}

// On every type, every policy either decides with devices of the machine, each NIC once per
// consumer, or says in one line why not.
TEST(PolicyInstancesTableTest, EveryTypeGetsADecisionOrAReason) {
  for (const char* type : {"c5n.18xlarge", "g5.48xlarge", "g6.48xlarge", "p3dn.24xlarge",
                           "p6-b300.48xlarge", "p6e-gb200.36xlarge", "trn2.48xlarge"}) {
    const Machine& machine = SeeMachine(type).seen;
    for (const Policy& policy : Policies()) {
      const auto decision = DecideByPolicy(policy.name, machine);
      if (!decision) {
        EXPECT_EQ(decision.error().ToString().find('\n'), std::string::npos);
        continue;
      }
      std::set<MemoryPlace> consumers;
      for (const Assignment& assignment : decision->assignments) {
        EXPECT_TRUE(consumers.insert(assignment.consumer).second) << type << policy.name;
        std::set<PciAddress> nics;
        for (const NicKey& nic : assignment.nics) {
          EXPECT_NE(machine.FindNic(nic.address), nullptr);
          EXPECT_TRUE(nics.insert(nic.address).second) << type << " " << policy.name;
        }
        EXPECT_FALSE(nics.empty()) << type << " " << policy.name;
      }
      EXPECT_FALSE(consumers.empty()) << type << " " << policy.name;
    }
  }
}

TEST(PolicyTextTest, PoliciesThatDecideAlikeStandTogether) {
  const Machine& machine = SeeMachine("p4d.24xlarge").seen;
  const std::string text = FormatChoices(machine, ChoicesOf(machine));
  EXPECT_NE(
      text.find("nearest, nixl, mooncake, ompi-gpu: 4 of 4 NICs used, one by up to 2 consumers\n"
                "  gpu:0000:10:1c.0  same_host_bridge  10:1b.0\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\nnccl, ompi: 4 of 4 NICs used, one by up to 2 consumers\n"),
            std::string::npos);
  EXPECT_NE(text.find("\nvendor-map: not decided: there is no vendor's map"), std::string::npos);
}

TEST(PolicyTextTest, FitsItsWidthOnEveryType) {
  for (const char* type : {"p5.48xlarge", "p6e-gb200.36xlarge", "trn2.48xlarge", "g6.48xlarge"}) {
    const Machine& machine = SeeMachine(type).seen;
    const std::string text = FormatChoices(machine, ChoicesOf(machine));
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      ASSERT_NE(end, std::string::npos);
      EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
      begin = end + 1;
    }
  }
  const Machine& p5 = SeeMachine("p5.48xlarge").seen;
  EXPECT_NE(FormatChoices(p5, ChoicesOf(p5)).find("same_numa_node    all 16 of numa0\n"),
            std::string::npos);
}

}  // namespace
}  // namespace railgauge
