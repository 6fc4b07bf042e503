#include "lib/placement/whole_assignment.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

MemoryPlace GpuAt(uint8_t bus) { return MemoryPlace::Gpu({0, bus, 0, 0}); }

PlacementRow Row(uint8_t bus, Verdict verdict, std::optional<double> regret = {}) {
  PlacementRow row;
  row.consumer = GpuAt(bus);
  row.verdict = verdict;
  row.regret = regret;
  return row;
}

TEST(WholeAssignmentTest, NothingIsUndecided) {
  const AssignmentRow whole = JudgeWhole("policy nearest", {});
  EXPECT_EQ(whole.decision, "policy nearest");
  EXPECT_EQ(whole.verdict, Verdict::kUndecided);
  EXPECT_EQ(whole.consumer_count, 0u);
  EXPECT_FALSE(whole.worst_consumer);
  EXPECT_FALSE(whole.regret_max);
  EXPECT_EQ(whole.reason, "No consumer was judged: name one that is measured.");
}

TEST(WholeAssignmentTest, AllAreOk) {
  const AssignmentRow whole =
      JudgeWhole("d", std::vector{Row(1, Verdict::kOk, 0), Row(2, Verdict::kOk, 0.02)});
  EXPECT_EQ(whole.verdict, Verdict::kOk);
  EXPECT_EQ(whole.ok_count, 2u);
  EXPECT_FALSE(whole.worst_consumer);
  EXPECT_EQ(whole.regret_max, 0.02);
  EXPECT_EQ(whole.regret_mean, 0.01);
  EXPECT_EQ(whole.reason, "Nothing better was measured for any of the 2 consumers: keep it.");
}

TEST(WholeAssignmentTest, TheWorstDecides) {
  const Verdict worst_first[] = {
      Verdict::kWrong,   Verdict::kOversubscribed, Verdict::kSlow,  Verdict::kIdle,
      Verdict::kInvalid, Verdict::kUndecided,      Verdict::kNoisy, Verdict::kOk};
  for (size_t i = 0; i + 1 < std::size(worst_first); ++i) {
    std::vector<PlacementRow> rows = {Row(1, worst_first[i]), Row(2, worst_first[i + 1])};
    EXPECT_EQ(JudgeWhole("d", rows).verdict, worst_first[i]);
    std::reverse(rows.begin(), rows.end());
    const AssignmentRow whole = JudgeWhole("d", rows);
    EXPECT_EQ(whole.verdict, worst_first[i]);
    EXPECT_EQ(whole.worst_consumer, GpuAt(1));
    EXPECT_NE(whole.reason.find(": "), std::string::npos) << whole.reason;
  }
}

TEST(WholeAssignmentTest, TheGreatestRegretIsTheWorst) {
  const AssignmentRow whole =
      JudgeWhole("d", std::vector{Row(1, Verdict::kWrong, 0.2), Row(2, Verdict::kOk, 0.0),
                                  Row(3, Verdict::kWrong, 0.5), Row(4, Verdict::kNoisy, 0.9)});
  EXPECT_EQ(whole.worst_consumer, GpuAt(3));
  EXPECT_EQ(whole.regret_max, 0.9);
  EXPECT_EQ(whole.ok_count, 1u);
  EXPECT_EQ(whole.reason,
            "2 of 4 consumers are WRONG (gpu:0000:01:00.0 and gpu:0000:03:00.0): give them the "
            "NICs that their rows name as better.");
}

// An OK consumer with idle NICs beside it has two rows, and is one consumer.
TEST(WholeAssignmentTest, AConsumerOfTwoRowsIsOne) {
  const AssignmentRow whole = JudgeWhole(
      "d",
      std::vector{Row(1, Verdict::kOk, 0.0), Row(2, Verdict::kOk, 0.0), Row(1, Verdict::kIdle)});
  EXPECT_EQ(whole.verdict, Verdict::kIdle);
  EXPECT_EQ(whole.consumer_count, 2u);
  EXPECT_EQ(whole.ok_count, 1u);
  EXPECT_EQ(whole.regret_max, 0.0);
}

TEST(WholeAssignmentTest, ARegretThatOneLacksIsUnknown) {
  const AssignmentRow whole =
      JudgeWhole("d", std::vector{Row(1, Verdict::kOk, 0.0), Row(2, Verdict::kUndecided)});
  EXPECT_FALSE(whole.regret_max);
  EXPECT_FALSE(whole.regret_mean);
  EXPECT_EQ(whole.verdict, Verdict::kUndecided);
}

}  // namespace
}  // namespace railgauge
