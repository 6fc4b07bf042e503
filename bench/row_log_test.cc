#include "bench/row_log.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

LoggedRow Row(const std::string& text) {
  return {LoggedRow::Outcome::kMeasured, [text](const RunIdentity& run, uint32_t round) {
            return run.run_id + text + std::to_string(round);
          }};
}

std::string Text(const std::vector<LoggedRow>& rows) {
  RunIdentity run;
  run.run_id = "r:";
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    text += rows[i].csv(run, static_cast<uint32_t>(i)) + " ";
  }
  return text;
}

TEST(RowLogTest, GivesTheLastOfEachRepetitionAndForgets) {
  RowLog log;
  for (const char* text : {"one", "ten", "a", "b", "c"}) log.Add("x", Row(text));
  log.Add("y", Row("y"));
  EXPECT_EQ(Text(log.Take("x", 3)), "r:a0 r:b1 r:c2 ");
  EXPECT_TRUE(log.Take("x", 3).empty());
  EXPECT_EQ(log.Take("y", 5).size(), 1u);
  EXPECT_TRUE(log.Take("z", 1).empty());
}

TEST(RowLogTest, AnInterruptedRepetitionHasNoRow) {
  RowLog log;
  for (const char* text : {"search", "a", "b"}) log.Add("x", Row(text));
  log.AddInterrupted("x");
  EXPECT_EQ(Text(log.Take("x", 3)), "r:a0 r:b1 ");
}

TEST(RowLogTest, WhatWasInterruptedInItsFirstRepetitionHasNone) {
  RowLog log;
  log.Add("x", Row("search"));
  log.AddInterrupted("x");
  EXPECT_TRUE(log.Take("x", 1).empty());
}

}  // namespace
}  // namespace railgauge
