#include "lib/record/records.h"

#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

// Every status has a word of its own, and is of one kind: evidence, contradicted, or not measured.
TEST(SampleStatusTest, EveryWordReadsBackAndHasOneKind) {
  const struct {
    SampleStatus status;
    std::string word;
    bool measured, contradicted;
  } kCases[] = {
      {SampleStatus::kOk, "ok", true, false},
      {SampleStatus::kSkipped, "skipped", false, false},
      {SampleStatus::kFailed, "failed", false, false},
      {SampleStatus::kInvalid, "invalid", false, true},
      {SampleStatus::kWrongData, "wrong_data", false, true},
      {SampleStatus::kWrongOperation, "wrong_operation", false, true},
      {SampleStatus::kWrongBytes, "wrong_bytes", false, true},
      {SampleStatus::kForeignTraffic, "foreign_traffic", false, true},
      {SampleStatus::kRetransmissionBurst, "retransmission_burst", false, true},
      {SampleStatus::kAboveCeiling, "above_ceiling", false, true},
      {SampleStatus::kNoCounters, "no_counters", true, false},
      {SampleStatus::kShortWindow, "short_window", false, false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ToString(c.status), c.word);
    EXPECT_EQ(ParseSampleStatus(c.word), c.status);
    EXPECT_EQ(IsMeasured(c.status), c.measured) << c.word;
    EXPECT_EQ(IsContradicted(c.status), c.contradicted) << c.word;
  }
  EXPECT_FALSE(ParseSampleStatus("wrong"));
}

TEST(SummaryRowTest, AFindingIsAWholeWord) {
  SummaryRow row;
  EXPECT_FALSE(HasFinding(row, "disturbed"));
  row.findings = "two_speeds;disturbed";
  EXPECT_TRUE(HasFinding(row, kDisturbedFinding));
  EXPECT_TRUE(HasFinding(row, "two_speeds"));
  EXPECT_FALSE(HasFinding(row, "speeds"));
  row.findings = "undisturbed;x";
  EXPECT_FALSE(HasFinding(row, kDisturbedFinding));
}

}  // namespace
}  // namespace railgauge
