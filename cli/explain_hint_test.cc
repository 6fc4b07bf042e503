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

// The cause, where it serves a consumer; else by itself.
TEST(ExplainHintTest, APartnerThatIsToBlame) {
  PlacementRow rows[] = {
      Row("numa0", Verdict::kUndecided,
          "0000:4f:00.0 (a) gives 7 GB/s with 0000:60:00.0 (c) at the other end, "
          "but 0000:60:00.0 (c) is slow itself: measure against another host."),
      Row("numa1", Verdict::kUndecided)};
  EXPECT_EQ(ExplainHint("run", rows), "why: railgauge explain run 0000:60:00.0\n");
  rows[1].chosen = {{*PciAddress::Parse("0000:60:00.0"), "c"}};
  EXPECT_EQ(ExplainHint("run", rows), "why: railgauge explain run numa1 0000:60:00.0\n");
}

TEST(ExplainHintTest, PathsAreWordsOfAShell) {
  const PlacementRow rows[] = {Row("numa0", Verdict::kSlow)};
  EXPECT_EQ(ExplainHint("it's a run", rows),
            "why: railgauge explain 'it'\\''s a run' numa0 0000:4f:00.0\n");
  const std::string page = PageHint("a run");
  EXPECT_TRUE(page.empty() || page == "page: railgauge report 'a run'\n") << page;
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
