#include "lib/report/html/page_table.h"

#include "gtest/gtest.h"
#include "lib/record/records.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// The JSON of a column that holds `fields`.
Json ColumnOf(const std::vector<std::string>& fields) {
  return Json::parse(
      ToJson(PageTable{"table", fields.size(), {{"column", fields}}}))["columns"]["column"];
}

TEST(PageTableTest, NumbersStandAsNumbersAndEmptyFieldsAsNull) {
  EXPECT_EQ(ColumnOf({"1", "", "-3"}), Json::parse(R"({"numbers":[1,null,-3]})"));
  EXPECT_EQ(ColumnOf({"0", "1048576"}), Json::parse(R"({"numbers":[0,1048576]})"));
  EXPECT_EQ(ColumnOf({"", ""}), Json::parse(R"({"all":null})"));
  EXPECT_EQ(ColumnOf({}), Json::parse(R"({"all":null})"));
}

TEST(PageTableTest, FractionsKeepSixDigitsAndWholeNumbersAll) {
  EXPECT_EQ(ColumnOf({"5507002620.149731", "0.25"}), Json::parse(R"({"numbers":[5.507e9,0.25]})"));
  EXPECT_EQ(ColumnOf({"123456789012345", "1"}), Json::parse(R"({"numbers":[123456789012345,1]})"));
  EXPECT_EQ(ColumnOf({"1.5e-7", "2E3"}), Json::parse(R"({"numbers":[1.5e-7,2000]})"));
}

TEST(PageTableTest, WhatWouldNotReadBackStaysText) {
  for (const char* text :
       {"007", "1234567890123456", "1.", ".5", "1e", "0x10", "nan", "inf", "-", "1 ", "1e999"}) {
    EXPECT_EQ(ColumnOf({text, "1"}), (Json{{"texts", {text, "1"}}, {"index", {0, 1}}})) << text;
  }
}

TEST(PageTableTest, EachTextStandsOnce) {
  EXPECT_EQ(ColumnOf({"b", "a", "", "b"}),
            Json::parse(R"({"texts":["b","a"],"index":[0,1,null,0]})"));
  EXPECT_EQ(ColumnOf({"alone", "alone"}), Json::parse(R"({"all":"alone"})"));
  EXPECT_EQ(ColumnOf({"32", "32"}), Json::parse(R"({"all":32})"));
}

TEST(PageTableTest, TextsMayBeAnyBytes) {
  EXPECT_EQ(ColumnOf({"quote \" and \\ and \n", "x"})["texts"][0], "quote \" and \\ and \n");
  EXPECT_EQ(ColumnOf({"\xff\xfe", "x"})["texts"][0], "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(PageTableTest, ColumnsAreThoseOfTheFile) {
  PlacementRow row;
  row.consumer = MemoryPlace::NumaNode(1);
  row.regret = 0.125;
  row.reason = "because";
  const PageTable table = MakePageTable<PlacementRow>(std::vector<PlacementRow>{row});
  EXPECT_EQ(table.name, "placement");
  EXPECT_EQ(table.rows, 1);
  const Json json = Json::parse(ToJson(table));
  EXPECT_EQ(json["rows"], 1);
  EXPECT_EQ(json["columns"].size(), ColumnsOf<PlacementRow>().size());
  EXPECT_EQ(json["columns"]["consumer"], Json::parse(R"({"all":"numa1"})"));
  EXPECT_EQ(json["columns"]["regret_fraction"], Json::parse(R"({"all":0.125})"));
  EXPECT_EQ(json["columns"]["regret_low_fraction"], Json::parse(R"({"all":null})"));
}

}  // namespace
}  // namespace railgauge
