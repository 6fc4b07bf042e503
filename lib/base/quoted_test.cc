#include "lib/base/quoted.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/base/utf8.h"

namespace railgauge {
namespace {

TEST(QuotedTest, WhatIsShortStaysAsItIs) {
  EXPECT_EQ(Quoted("rdmap79s0"), "'rdmap79s0'");
  EXPECT_EQ(Quoted("Zürich"), "'Zürich'");
  EXPECT_EQ(Quoted(""), "''");
}

TEST(QuotedTest, WhatIsLongIsCut) {
  EXPECT_EQ(Quoted(std::string(70'000, 'x')), "'" + std::string(100, 'x') + "…'");
  EXPECT_EQ(Quoted(std::string(100, 'x')), "'" + std::string(100, 'x') + "'");
}

TEST(QuotedTest, NoCharacterIsCutInTwo) {
  EXPECT_EQ(Shortened(std::string(99, 'x') + "ü" + "yz"), std::string(99, 'x') + "…");
  EXPECT_EQ(Utf8Prefix("aü", 2), "a");
  EXPECT_EQ(Utf8Prefix("aü", 3), "aü");
}

TEST(QuotedTest, NothingDrivesATerminal) {
  EXPECT_EQ(Shortened("a\x1b[2Jb\nc"), "a?[2Jb?c");
  EXPECT_EQ(Shortened("a\xc2\x9b"
                      "2J"),
            "a?2J");  // a control character of two bytes
  EXPECT_EQ(Shortened("a\x9b"
                      "2J\xff"),
            "a?2J?");  // and bytes that are no UTF-8
}

}  // namespace
}  // namespace railgauge
