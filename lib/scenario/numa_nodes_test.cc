#include "lib/scenario/numa_nodes.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

std::vector<EmulatedNumaNode> Read(const std::string& yaml, YamlErrors* errors) {
  return ReadNumaNodes(ParseYaml(yaml, "x.yaml").value(), 2, errors);
}

TEST(NumaNodesTest, NodesComeInOrderWithSortedCpus) {
  YamlErrors errors("x.yaml");
  const auto nodes = Read(
      "- {index: 5, package: 1, cpus: \"4-5,2\", memory: 4GiB}\n"
      "- {index: 3, package: 0, cpus: none, memory: 2GiB}\n"
      "- {index: 4, package: 0, cpus: \"0,1\", memory: 0}\n",
      &errors);
  ASSERT_FALSE(errors.ok()) << "three CPUs are no whole number of cores";

  YamlErrors none("x.yaml");
  const auto right = Read(
      "- {index: 5, package: 1, cpus: \"4-6,2\", memory: 4GiB}\n"
      "- {index: 3, package: 0, cpus: none, memory: 2GiB}\n"
      "- {index: 4, package: 0, cpus: \"0,1\", memory: 0}\n",
      &none);
  ASSERT_TRUE(none.ok()) << none.first().ToString();
  ASSERT_EQ(right.size(), 3u);
  EXPECT_EQ(right[0].index, 3u);
  EXPECT_TRUE(right[0].cpus.empty());
  EXPECT_EQ(right[1].memory.count, 0u);
  EXPECT_EQ(right[2].cpus, (std::vector<uint32_t>{2, 4, 5, 6}));
}

TEST(NumaNodesTest, OneItemMayBeSeveralEmptyNodes) {
  YamlErrors errors("x.yaml");
  const auto nodes = Read(
      "- {index: 0, package: 0, cpus: \"0-1\", memory: 4GiB}\n"
      "- {index: \"2-4,9\", package: 1, cpus: none, memory: 0}\n",
      &errors);
  ASSERT_TRUE(errors.ok()) << errors.first().ToString();
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[1].index, 2u);
  EXPECT_EQ(nodes[4].index, 9u);
  EXPECT_EQ(nodes[4].package, 1u);
  EXPECT_TRUE(nodes[4].cpus.empty());
}

TEST(NumaNodesTest, AMachineHasCpusAndMemory) {
  for (const char* yaml : {"- {index: 0, package: 0, cpus: none, memory: 1GiB}",
                           "- {index: 0, package: 0, cpus: \"0-1\", memory: 0}"}) {
    YamlErrors errors("x.yaml");
    Read(yaml, &errors);
    ASSERT_FALSE(errors.ok());
    EXPECT_EQ(errors.first().reason, "the machine has no CPU or no memory");
  }
}

TEST(NumaNodesTest, RefusesOtherSpellingsOfCpus) {
  for (const char* cpus : {"", "0-", "-1", "1,", ",1", "0 - 1", "a", "0-1-2", "4096"}) {
    YamlErrors errors("x.yaml");
    Read(std::string("- {index: 0, package: 0, cpus: \"") + cpus + "\", memory: 1GiB}", &errors);
    EXPECT_FALSE(errors.ok()) << cpus;
  }
}

}  // namespace
}  // namespace railgauge
