#include "lib/scenario/instance_facts.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

Result<InstanceType> Read(const std::string& facts) {
  auto root = ParseYaml(facts, "mine.yaml");
  if (!root) return Fail(root.error());
  YamlErrors errors("mine.yaml");
  InstanceType type = ReadInstanceFacts(*root, "p9.48xlarge", &errors);
  if (!errors.ok()) return Fail(errors.first());
  return type;
}

std::string ErrorOf(const std::string& facts) {
  const auto type = Read(facts);
  return type ? "no error" : type.error().ToString();
}

TEST(InstanceFactsTest, ReadsWhatIsThereAndNoMore) {
  const auto type = Read(
      "nics: {is: 32, published: AWS}\n"
      "line_rate: {is: 200Gb/s, assumed: a guess}\n"
      "pci_tree: {is: host_bridges, seen: an export}\n"
      "rdma_write: {is: false, published: AWS}\n"
      "reported:\n"
      "  - {memory: gpus, operation: write, throughput: 389GB/s, source: two hosts}\n");
  ASSERT_TRUE(type) << type.error().ToString();
  EXPECT_EQ(type->name, "p9.48xlarge");
  EXPECT_EQ(type->nics->value, 32u);
  EXPECT_TRUE(type->nics->certain());
  EXPECT_EQ(type->nics->source, "AWS");
  EXPECT_EQ(type->line_rate->value, BytesPerSecond{25e9});
  EXPECT_FALSE(type->line_rate->certain());
  EXPECT_EQ(type->pci_tree->value, PciTree::kHostBridges);
  EXPECT_EQ(type->pci_tree->provenance, Provenance::kSeen);
  EXPECT_FALSE(type->rdma_write->value);
  EXPECT_FALSE(type->gpus || type->rdma_read);
  ASSERT_EQ(type->reported.size(), 1u);
  EXPECT_EQ(type->reported[0].memory, MemoryPlace::Kind::kGpu);
  EXPECT_EQ(type->reported[0].operation, Operation::kWrite);
  EXPECT_EQ(type->reported[0].throughput, BytesPerSecond{389e9});
}

// Each is one line that says where and what to do.
TEST(InstanceFactsTest, RefusesWhatIsNoFact) {
  EXPECT_EQ(ErrorOf("nics: {is: 32}"),
            "read scenario mine.yaml:1: nics says not where it is from. Write one of published, "
            "seen and assumed, with who says so.");
  EXPECT_NE(ErrorOf("nics: {is: 32, seen: here, published: AWS}").find("says twice"),
            std::string::npos);
  EXPECT_NE(ErrorOf("nics: {published: AWS}").find("nics has no 'is'"), std::string::npos);
  EXPECT_NE(ErrorOf("nics: 32").find("a map"), std::string::npos);
  EXPECT_NE(ErrorOf("nic: {is: 32, published: AWS}").find("Write 'nics'"), std::string::npos);
  EXPECT_NE(ErrorOf("line_rate: {is: 100, published: AWS}").find("unit"), std::string::npos);
  EXPECT_NE(ErrorOf("pci_tree: {is: tall, seen: here}").find("flat or host_bridges or switches"),
            std::string::npos);
  EXPECT_NE(ErrorOf("reported: []").find("at least one item"), std::string::npos);
  EXPECT_NE(ErrorOf("uplink: {is: 15GB/s, assumed: a guess}").find("unknown key 'uplink'"),
            std::string::npos);
}

TEST(InstanceFactsTest, TheTableIsSortedAndEscaped) {
  InstanceType b;
  b.name = "b";
  b.nics = Fact<uint32_t>{2, Provenance::kSeen, "\"a\" \\ b"};
  InstanceType a;
  a.name = "a";
  const std::string table = InstanceTypeTable(std::vector{b, a});
  EXPECT_LT(table.find("{\"a\","), table.find("{\"b\","));
  EXPECT_NE(table.find(R"(Fact<uint32_t>{2u, static_cast<Provenance>(1), "\"a\" \\ b"})"),
            std::string::npos)
      << table;
}

}  // namespace
}  // namespace railgauge
