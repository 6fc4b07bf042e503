#include "lib/scenario/yaml_reader.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

YamlNode Parse(const std::string& yaml) { return ParseYaml(yaml, "x.yaml").value(); }

TEST(YamlReaderTest, ReadsEveryType) {
  const YamlNode node = Parse(
      "{text: a b, uint: 7, hex: 0f, bool: false, size: 2KiB, rate: 8Gb/s, time: 5us, list: [x]}");
  YamlErrors errors("x.yaml");
  const YamlMap map(node, "it", {"text", "uint", "hex", "bool", "size", "rate", "time", "list"},
                    &errors);
  EXPECT_EQ(map.Text("text"), "a b");
  EXPECT_EQ(map.Uint("uint", 0, 7), 7u);
  EXPECT_EQ(map.Hex("hex", 2), 15u);
  EXPECT_FALSE(map.Bool("bool"));
  EXPECT_EQ(map.Size("size").count, 2048u);
  EXPECT_DOUBLE_EQ(map.Rate("rate").value, 1e9);
  EXPECT_EQ(map.Duration("time"), Nanoseconds(5000));
  EXPECT_EQ(map.List("list").size(), 1u);
  EXPECT_EQ(map.Optional("other"), nullptr);
  EXPECT_TRUE(errors.ok());
}

TEST(YamlReaderTest, TheFirstErrorIsKept) {
  const YamlNode node = Parse("a: x\nb: y\n");
  YamlErrors errors("x.yaml");
  const YamlMap map(node, "it", {"a", "b"}, &errors);
  EXPECT_EQ(map.Uint("a", 3, 9), 3u) << "a harmless value";
  map.Uint("b", 0, 9);
  map.Text("c");
  ASSERT_FALSE(errors.ok());
  EXPECT_EQ(errors.first().ToString(),
            "read scenario x.yaml:1: a is 'x'. Write a whole number from 3 to 9.");
}

TEST(YamlReaderTest, AMissingMapDoesNotHideWhatIsMissing) {
  const YamlNode node = Parse("{a: 1}");
  YamlErrors errors("x.yaml");
  const YamlMap outer(node, "outer", {"a", "b"}, &errors);
  const YamlMap inner(outer.Required("b"), "inner", {"c"}, &errors);
  inner.Uint("c", 0, 1);
  EXPECT_EQ(errors.first().reason, "outer has no 'b'");
}

TEST(YamlReaderTest, OneOrMore) {
  YamlErrors errors("x.yaml");
  const YamlNode one = Parse("word");
  EXPECT_EQ(ReadOneOrMore(one, "it", &errors).size(), 1u);
  const YamlNode two = Parse("[a, b]");
  EXPECT_EQ(ReadOneOrMore(two, "it", &errors)[1]->scalar, "b");
  EXPECT_TRUE(errors.ok());
  for (const char* bad : {"[]", "{a: b}", "[[a]]"}) {
    YamlErrors refused("x.yaml");
    const YamlNode node = Parse(bad);
    ReadOneOrMore(node, "it", &refused);
    EXPECT_FALSE(refused.ok()) << bad;
  }
}

TEST(YamlReaderTest, ControlCharactersAreRefused) {
  YamlErrors errors("x.yaml");
  const YamlNode node = Parse("\"a\\e[2Jb\"");
  ReadText(node, "name", &errors);
  ASSERT_FALSE(errors.ok());
  EXPECT_EQ(errors.first().reason, "name is 'a?[2Jb'");
}

}  // namespace
}  // namespace railgauge
