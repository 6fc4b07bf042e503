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
  const auto nodes = ParseSlurmNodes("q-1\nq-2\nq-3\n",
                                     "NodeName=q-1 Arch=x86_64 NodeAddr=10.0.0.1 NodeHostName=a\n"
                                     "NodeName=q-3 NodeAddr=10.0.0.3\nnothing here\n");
  ASSERT_TRUE(nodes) << nodes.error().ToString();
  EXPECT_EQ(*nodes, (Nodes{{"q-1", "10.0.0.1"}, {"q-2", "q-2"}, {"q-3", "10.0.0.3"}}));
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

TEST(HostListTest, OnlySlurmCanExpandItsExpressions) {
  EXPECT_TRUE(IsNodeListExpression("p5-[001-004,007]"));
  EXPECT_FALSE(IsNodeListExpression("a,b=[fe80::1]"));
  EXPECT_FALSE(IsNodeListExpression("a,b"));
}

}  // namespace
}  // namespace railgauge
