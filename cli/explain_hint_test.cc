#include "cli/explain_hint.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

PlacementRow Row(std::string_view consumer, Verdict verdict, const std::string& reason = "") {
  PlacementRow row;
  row.consumer = *MemoryPlace::Parse(consumer);
  row.chosen = {{*PciAddress::Parse("0000:4f:00.0"), "a"},
                {*PciAddress::Parse("0000:50:00.0"), "b"}};
  row.verdict = verdict;
  row.reason = reason;
  return row;
}

TEST(ExplainHintTest, NothingWhereAllIsWell) {
  EXPECT_EQ(ExplainHint("run", {}), "");
  const PlacementRow rows[] = {Row("numa0", Verdict::kOk)};
  EXPECT_EQ(ExplainHint("run", rows), "");
}

TEST(ExplainHintTest, TheFirstThatOneCanActOn) {
  const PlacementRow rows[] = {
      Row("numa0", Verdict::kOk), Row("numa1", Verdict::kUndecided),
      Row("gpu:0000:53:00.0", Verdict::kWrong, "0000:50:00.0 (b) is slow; use another."),
      Row("gpu:0000:64:00.0", Verdict::kSlow)};
  EXPECT_EQ(ExplainHint("run", rows), "why: railgauge explain run gpu:0000:53:00.0 0000:50:00.0\n");
  EXPECT_EQ(ExplainHint("run", std::span(rows).first(2)),
            "why: railgauge explain run numa1 0000:4f:00.0\n");
}

TEST(ExplainHintTest, ARowWithoutNicsOfItsOwn) {
  PlacementRow row = Row("numa0", Verdict::kIdle);
  row.best = std::vector<NicKey>{{*PciAddress::Parse("0000:60:00.0"), "c"}};
  row.chosen.clear();
  EXPECT_EQ(ExplainHint("run", std::span(&row, 1)),
            "why: railgauge explain run numa0 0000:60:00.0\n");
  row.best.clear();
  EXPECT_EQ(ExplainHint("run", std::span(&row, 1)), "why: railgauge explain run numa0\n");
}

}  // namespace
}  // namespace railgauge
