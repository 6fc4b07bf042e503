#include "lib/report/junit.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/report/plain_text.h"

namespace railgauge {
namespace {

RunIdentity TheRun() {
  return {"20250102T030405Z-00ff", "host-1", "i-1", "p5.48xlarge", "emulated"};
}

PlacementRow Row(uint8_t bus, Verdict verdict, std::string reason) {
  PlacementRow row;
  row.consumer = MemoryPlace::Gpu({0, bus, 0, 0});
  row.verdict = verdict;
  row.reason = std::move(reason);
  return row;
}

// Golden: other people's parsers read it (cli/ci_files_test.py holds it against the schemas).
TEST(JunitTest, VerdictsAreCases) {
  const PlacementRow rows[] = {Row(0x53, Verdict::kOk, "fine"),
                               Row(0x64, Verdict::kSlow, "a < b & \"c\""),
                               Row(0x75, Verdict::kNoisy, "cannot tell")};
  const JunitSuite suite = PlacementSuite(TheRun(), "policy nearest", rows);
  EXPECT_EQ(
      JunitXml({&suite, 1}),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"railgauge\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" "
      "time=\"0\">\n"
      "  <testsuite name=\"placement policy nearest\" tests=\"3\" failures=\"1\" errors=\"0\" "
      "skipped=\"1\" time=\"0\" timestamp=\"2025-01-02T03:04:05\" hostname=\"host-1\">\n"
      "    <properties>\n"
      "      <property name=\"run_id\" value=\"20250102T030405Z-00ff\"/>\n"
      "      <property name=\"instance_id\" value=\"i-1\"/>\n"
      "      <property name=\"instance_type\" value=\"p5.48xlarge\"/>\n"
      "      <property name=\"platform\" value=\"emulated\"/>\n"
      "      <property name=\"placement\" value=\"policy nearest\"/>\n"
      "    </properties>\n"
      "    <testcase name=\"gpu:0000:53:00.0\" classname=\"railgauge.placement.p5.48xlarge\" "
      "time=\"0\"/>\n"
      "    <testcase name=\"gpu:0000:64:00.0\" classname=\"railgauge.placement.p5.48xlarge\" "
      "time=\"0\">\n"
      "      <failure type=\"SLOW\" message=\"SLOW: a &lt; b &amp; &quot;c&quot;\"/>\n"
      "    </testcase>\n"
      "    <testcase name=\"gpu:0000:75:00.0\" classname=\"railgauge.placement.p5.48xlarge\" "
      "time=\"0\">\n"
      "      <skipped message=\"NOISY: cannot tell\"/>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
}

TEST(JunitTest, EveryVerdictIsSomething) {
  const Verdict failing[] = {Verdict::kSlow, Verdict::kWrong, Verdict::kOversubscribed,
                             Verdict::kIdle};
  for (const Verdict verdict : failing) {
    const PlacementRow row = Row(1, verdict, "");
    EXPECT_EQ(PlacementSuite({}, "", {&row, 1}).cases[0].outcome, JunitOutcome::kFailed);
  }
  for (const Verdict verdict : {Verdict::kNoisy, Verdict::kInvalid, Verdict::kUndecided}) {
    const PlacementRow row = Row(1, verdict, "");
    EXPECT_EQ(PlacementSuite({}, "", {&row, 1}).cases[0].outcome, JunitOutcome::kSkipped);
  }
}

TEST(JunitTest, NoNameTwice) {
  const PlacementRow rows[] = {Row(1, Verdict::kOk, ""), Row(1, Verdict::kIdle, "x"),
                               Row(1, Verdict::kUndecided, "y")};
  const JunitSuite suite = PlacementSuite({}, "", rows);
  EXPECT_EQ(suite.cases[0].name, "gpu:0000:01:00.0");
  EXPECT_EQ(suite.cases[1].name, "gpu:0000:01:00.0 idle");
  EXPECT_EQ(suite.cases[2].name, "gpu:0000:01:00.0 2");
}

TEST(JunitTest, AnIdOfAnotherFormHasNoTime) {
  EXPECT_EQ(SuiteOf({"nightly", "h", "", "", ""}, "x").timestamp, "");
  EXPECT_EQ(SuiteOf({"2025010xT030405Z-0", "h", "", "", ""}, "x").timestamp, "");
}

TEST(PlainTextTest, WhatIsNoTextIsReplaced) {
  EXPECT_EQ(PlainUtf8("ä€😀\t\n"), "ä€😀\t\n");
  EXPECT_EQ(PlainUtf8(std::string_view("a\0b\x1b\x7f", 5)), "a?b??");
  EXPECT_EQ(PlainUtf8("\xff\xc3"), "??");
  EXPECT_EQ(PlainUtf8("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(PlainUtf8("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(PlainUtf8("\xef\xbf\xbf"), "???");       // U+FFFF
  EXPECT_EQ(PlainUtf8("\xf5\x80\x80\x80"), "????");  // beyond U+10FFFF
}

}  // namespace
}  // namespace railgauge
