#include "lib/scenario/yaml_document.h"

#include <sys/stat.h>

#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(YamlDocumentTest, KeepsKindsOrderAndLines) {
  const auto root = ParseYaml("# comment\nb: 1\na:\n  - x\n  - {k: 'v w'}\nempty:\n", "x.yaml");
  ASSERT_TRUE(root) << root.error().ToString();
  ASSERT_EQ(root->members.size(), 3u);
  EXPECT_EQ(root->members[0].key, "b");
  EXPECT_EQ(root->members[0].value.scalar, "1");
  EXPECT_EQ(root->members[0].value.line, 2);
  const YamlNode* list = root->Find("a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->kind, YamlNode::Kind::kList);
  EXPECT_EQ(list->items[1].Find("k")->scalar, "v w");
  EXPECT_EQ(list->items[1].line, 5);
  EXPECT_EQ(root->Find("empty")->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root->Find("empty")->line, 6);
  EXPECT_EQ(root->Find("c"), nullptr);
}

TEST(YamlDocumentTest, AliasesAreCopiedOut) {
  const auto root = ParseYaml("a: &shared {k: 1}\nb: *shared\n", "x.yaml");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->Find("b")->Find("k")->scalar, "1");
  EXPECT_EQ(root->Find("b")->line, 1) << "where the text is that it stands for";
}

TEST(YamlDocumentTest, DescribesWhatWasFound) {
  const auto root = ParseYaml("[a, [b], {c: d}, ]", "x.yaml");
  ASSERT_TRUE(root);
  EXPECT_EQ(Describe(root->items[0]), "'a'");
  EXPECT_EQ(Describe(root->items[1]), "a list");
  EXPECT_EQ(Describe(root->items[2]), "a map");
  YamlNode node;
  EXPECT_EQ(Describe(node), "nothing");
  node.kind = YamlNode::Kind::kScalar;
  node.scalar = "a\nb";
  EXPECT_EQ(Describe(node), "'a?b'");
  node.scalar = std::string(100, 'x');
  EXPECT_EQ(Describe(node), "'" + std::string(60, 'x') + "…'");
}

// Opening a FIFO would wait for a writer that never comes.
TEST(YamlDocumentTest, OnlyARegularFileIsRead) {
  const std::string fifo = testing::TempDir() + "/fifo.yaml";
  ::unlink(fifo.c_str());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(ReadYamlFile(fifo).error().ToString(),
            "read scenario " + fifo + ": it is no regular file. Give a .yaml file.");
  EXPECT_EQ(ReadYamlFile(testing::TempDir()).error().reason, "it is a directory");
  EXPECT_EQ(ReadYamlFile("").error().reason, "ENOENT (No such file or directory)");
}

}  // namespace
}  // namespace railgauge
