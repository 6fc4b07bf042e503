#include "lib/fleet/host_list.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

using Nodes = std::vector<FleetNode>;

TEST(HostListTest, AFlag) {
  const auto nodes = ParseHosts("node-a,node-b=10.0.0.7,p5.x=[fe80::1]", "--hosts");
  ASSERT_TRUE(nodes) << nodes.error().ToString();
  EXPECT_EQ(*nodes, (Nodes{{"node-a", "node-a"}, {"node-b", "10.0.0.7"}, {"p5.x", "[fe80::1]"}}));
}

TEST(HostListTest, AFileOfOursAndOfMpirun) {
  const auto nodes = ParseHostFile(
      "# the rack\n\nnode-a slots=8\nnode-b:8\n  node-c 10.0.0.9  # new\nnode-d\n", "hosts");
  ASSERT_TRUE(nodes) << nodes.error().ToString();
  EXPECT_EQ(*nodes, (Nodes{{"node-a", "node-a"},
                           {"node-b", "node-b"},
                           {"node-c", "10.0.0.9"},
                           {"node-d", "node-d"}}));
}

TEST(HostListTest, SlurmsNodesHaveSlurmsAddresses) {
  auto nodes = ParseHosts("q-[1-3],q-4=10.0.0.4", "--hosts");
  ASSERT_TRUE(nodes) << nodes.error().ToString();
  TakeSlurmAddresses(
      "NodeName=q-1 Arch=x86_64 NodeAddr=10.0.0.1 NodeHostName=a\n"
      "NodeName=q-3 NodeAddr=10.0.0.3\nnothing here\nNodeName=q-4 NodeAddr=10.0.0.9\n"
      "NodeName=q-2 NodeAddr=$(x)\n",
      *nodes);
  EXPECT_EQ(*nodes,
            (Nodes{{"q-1", "10.0.0.1"}, {"q-2", "q-2"}, {"q-3", "10.0.0.3"}, {"q-4", "10.0.0.4"}}));
}

TEST(HostListTest, RangesAreExpanded) {
  const auto names = [](const std::string& list) {
    std::string text;
    const auto nodes = ParseHosts(list, "--hosts");
    if (!nodes) return nodes.error().ToString();
    for (const FleetNode& node : *nodes) text += (text.empty() ? "" : " ") + node.name;
    return text;
  };
  EXPECT_EQ(names("a,n[8-10,12],b"), "a n8 n9 n10 n12 b");
  EXPECT_EQ(names("p5-[001-003]"), "p5-001 p5-002 p5-003");
  EXPECT_EQ(names("r[1-2]n[08-09].x"), "r1n08.x r1n09.x r2n08.x r2n09.x");
  EXPECT_TRUE(HasHostRange("p5-[001-004,007]"));
  EXPECT_FALSE(HasHostRange("a,b=[fe80::1]"));
  EXPECT_FALSE(HasHostRange("a,b"));
  EXPECT_EQ(ParseHosts("n[1-65536]", "--hosts")->size(), 65536u);
}

TEST(HostListTest, WhatIsNoRangeIsToldWithWhatToWrite) {
  struct Case {
    std::string list, part;
  };
  for (const auto& [list, part] : {
           Case{"a,n[1-", "in 'n[1-' '[' is not closed"},
           Case{"n1]", "']' closes no bracket"},
           Case{"n[5-2]", "the range 5-2 runs backwards"},
           Case{"n[]", "nothing is between the brackets"},
           Case{"n[1,]", "'' is neither a number nor a range"},
           Case{"n[a-c]", "'a-c' is neither"},
           Case{"n[1-2-3]", "'1-2-3' is neither"},
           Case{"n[-1]", "'-1' is neither"},
           Case{"n[[1-2]]", "'[1-2' is neither"},
           Case{"n[99999999999999999999]", "is neither"},
           Case{"n[1-99999999]", "are more than 65536 hosts"},
           Case{"n[0-18446744073709551615]", "are more than 65536 hosts"},
           Case{"n[1-300][1-300]", "are more than 65536 hosts"},
           Case{"n[1-3],n2", "n2 is there twice"},
           Case{"n[1-2]=10.0.0.1", "several hosts one address"},
           Case{"a,,b", "a comma has no name beside it"},
           Case{"a,b,", "a comma has no name beside it"},
       }) {
    const auto nodes = ParseHosts(list, "--hosts");
    ASSERT_FALSE(nodes) << list;
    const std::string error = nodes.error().ToString();
    EXPECT_NE(error.find(part), std::string::npos) << list << ": " << error;
    EXPECT_NE(error.find("ame each host"), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(HostListTest, WhatIsNoHostIsToldWithItsPlace) {
  const auto error = [](const Result<Nodes>& nodes) {
    return nodes ? std::string("no error") : nodes.error().ToString();
  };
  EXPECT_NE(error(ParseHosts("a,-rf", "--hosts")).find("'-rf' is no host name"), std::string::npos);
  EXPECT_NE(error(ParseHosts("a,../b", "--hosts")).find("'../b'"), std::string::npos);
  EXPECT_NE(error(ParseHosts("a,b=x y", "--hosts")).find("'x y' is no address"), std::string::npos);
  EXPECT_NE(error(ParseHosts("a,b=", "--hosts")).find("no address behind b="), std::string::npos);
  EXPECT_NE(error(ParseHosts("a,b,a", "--hosts")).find("a is there twice"), std::string::npos);
  EXPECT_NE(error(ParseHosts("", "--hosts")).find("there is none"), std::string::npos);
  EXPECT_NE(error(ParseHostFile("a\n\nb$(x)\n", "file")).find("file:3"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
