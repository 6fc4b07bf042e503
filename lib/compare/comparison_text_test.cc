#include "lib/compare/comparison_text.h"

#include <sstream>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

ComparisonRow Row(uint8_t bus, CompareVerdict verdict, std::optional<double> ratio) {
  ComparisonRow row;
  row.cell.nic_slot = "0/00.0/00.0/01." + std::to_string(bus) + "/00.0";
  row.cell.place_kind = "gpu";
  row.cell.relation = Relation::kSameSwitch;
  row.cell.size = Bytes{1 << 20};
  if (verdict != CompareVerdict::kMissing) {
    row.nic = NicKey{{0, bus, 0, 0}, "rdmap" + std::to_string(bus) + "s0"};
    row.place = MemoryPlace::Gpu({0, 0x53, 0, 0});
  }
  row.ratio = ratio;
  row.verdict = verdict;
  if (verdict != CompareVerdict::kSame) {
    row.reason =
        "40 % slower: 7.50 GB/s where the baseline has 12.50 GB/s, and its NIC is 40 % "
        "slower at the median of 10 cells";
  }
  return row;
}

RunComparison Of(std::vector<ComparisonRow> rows, CompareVerdict whole) {
  RunComparison comparison;
  comparison.rows = std::move(rows);
  comparison.whole = whole;
  for (const ComparisonRow& row : comparison.rows) ++comparison.counts[row.verdict];
  return comparison;
}

TEST(ComparisonTextTest, TheSameIsOneLine) {
  const RunComparison comparison =
      Of({Row(1, CompareVerdict::kSame, 1.0), Row(2, CompareVerdict::kSame, 0.98)},
         CompareVerdict::kSame);
  EXPECT_EQ(FormatComparison(comparison),
            "NIC           READ to       READ from     WRITE to      WRITE from    slot\n"
            "2 NICs        0.99 SAME\n"
            "SAME: of 2 cells, 2 SAME\n");
}

TEST(ComparisonTextTest, WhatDiffersHasALineAndASentence) {
  ComparisonRow missing = Row(3, CompareVerdict::kMissing, std::nullopt);
  missing.reason = "the machine shows no EFA NIC in this slot";
  ComparisonRow write = Row(1, CompareVerdict::kNoisy, 0.85);
  write.cell.operation = Operation::kWrite;
  const RunComparison comparison =
      Of({Row(1, CompareVerdict::kSlower, 0.6), write, Row(2, CompareVerdict::kSame, 1), missing},
         CompareVerdict::kSlower);
  const std::string text = FormatComparison(comparison);
  EXPECT_NE(text.find("0000:01:00.0  0.60 SLOWER                 0.85 NOISY"), std::string::npos)
      << text;
  EXPECT_NE(text.find("1 NIC         MISSING\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1 other       1.00 SAME\n"), std::string::npos) << text;
  EXPECT_NE(text.find("SLOWER 0000:01:00.0 (rdmap1s0), 1 cell: gpu:0000:53:00.0 READ to_memory"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("MISSING slot 0/00.0/00.0/01.3/00.0, 1 cell: gpu same_switch READ"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("SLOWER: of 4 cells, 1 SLOWER, 1 MISSING, 1 NOISY, 1 SAME\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

// The baseline may be of a bad NIC: that nobody is accused is no reason to hide it.
TEST(ComparisonTextTest, WhatMayBeFasterIsNotFolded) {
  ComparisonRow faster = Row(1, CompareVerdict::kSame, 1.67);
  faster.reason =
      "67 % faster: 12.50 GB/s where the baseline has 7.50 GB/s, and 1 window is too few";
  const std::string text =
      FormatComparison(Of({faster, Row(2, CompareVerdict::kSame, 1)}, CompareVerdict::kSame));
  EXPECT_NE(text.find("0000:01:00.0  1.67 SAME"), std::string::npos) << text;
  EXPECT_NE(text.find("SAME 0000:01:00.0 (rdmap1s0), 1 cell: gpu:0000:53:00.0 READ to_memory 1MiB: "
                      "67 %"),
            std::string::npos)
      << text;
  // One fast cell among the NIC's others is chance.
  const std::string folded = FormatComparison(
      Of({faster, Row(1, CompareVerdict::kSame, 1), Row(1, CompareVerdict::kSame, 1)},
         CompareVerdict::kSame));
  EXPECT_NE(folded.find("1 NIC         1.00 SAME\n"), std::string::npos) << folded;
}

// Nothing is known of them, so they are not SAME.
TEST(ComparisonTextTest, NicsThatTheBaselineLacksAreNew) {
  ComparisonRow one = Row(2, CompareVerdict::kNew, std::nullopt);
  ComparisonRow other = Row(3, CompareVerdict::kNew, std::nullopt);
  one.reason = other.reason = "the baseline does not have it";
  EXPECT_EQ(
      FormatComparison(Of({Row(1, CompareVerdict::kSame, 1), one, other}, CompareVerdict::kSame)),
      "NIC           READ to       READ from     WRITE to      WRITE from    slot\n"
      "1 other       1.00 SAME\n"
      "2 NICs        NEW\n"
      "SAME: of 3 cells, 1 SAME, 2 NEW\n");
}

// Places that another path limits are as they were, and are many.
TEST(ComparisonTextTest, FarPlacesDoNotHideThatANicIsWorse) {
  std::vector<ComparisonRow> rows = {
      Row(1, CompareVerdict::kNoisy, 0.62), Row(1, CompareVerdict::kNoisy, 0.8),
      Row(2, CompareVerdict::kFaster, 1.2), Row(2, CompareVerdict::kFaster, 1.4)};
  for (int i = 0; i < 5; ++i) {
    rows.push_back(Row(1, CompareVerdict::kSame, 1));
    rows.push_back(Row(2, CompareVerdict::kSame, 1));
  }
  const std::string text = FormatComparison(Of(rows, CompareVerdict::kNoisy));
  EXPECT_NE(text.find("0000:01:00.0  0.62 NOISY "), std::string::npos) << text;
  EXPECT_NE(text.find("0000:02:00.0  1.40 FASTER "), std::string::npos) << text;
}

// A run of a few NICs and places against a baseline of all: what differs is not hidden.
TEST(ComparisonTextTest, WhatTheRunLeftOutIsToldOnce) {
  std::vector<ComparisonRow> rows = {Row(1, CompareVerdict::kSame, 1)};
  for (uint8_t bus = 1; bus < 9; ++bus) {
    rows.push_back(Row(bus, CompareVerdict::kMissing, std::nullopt));
    rows.back().reason = "the run did not measure it";
  }
  EXPECT_EQ(FormatComparison(Of(rows, CompareVerdict::kMissing)),
            "NIC           READ to       READ from     WRITE to      WRITE from    slot\n"
            "1 other       1.00 SAME\n"
            "7 NICs        MISSING\n"
            "MISSING 8 NICs, the first 0000:01:00.0 (rdmap1s0), 8 cells: gpu same_switch READ "
            "to_memory 1MiB: the\n        run did not measure it\n"
            "MISSING: of 9 cells, 8 MISSING, 1 SAME\n");
}

TEST(ComparisonTextTest, ALongSlotKeepsItsEnd) {
  ComparisonRow row = Row(1, CompareVerdict::kSlower, 0.6);
  row.cell.nic_slot = "0/00.0/00.0/01.0/00.0/00.0/00.0/00.0/07.0";
  const std::string text = FormatComparison(Of({row}, CompareVerdict::kSlower));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(text.find("/07.0\n"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
