#include "lib/topology/spelling.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using Strings = std::vector<std::string>;

TEST(SpellingTest, PrefixesComeBeforeDistance) {
  const Strings names = {"rdmap16s27", "rdmap16s28", "rdmap1s2"};
  EXPECT_EQ(NearestSpellings("rdmap16s2", names), (Strings{"rdmap16s27", "rdmap16s28"}));
  EXPECT_EQ(NearestSpellings("rdmap1s3", names), (Strings{"rdmap1s2"}));
  EXPECT_EQ(NearestSpellings("rdmpa16s27", names), (Strings{"rdmap16s27"}));
}

TEST(SpellingTest, NothingNearIsNothing) {
  EXPECT_TRUE(NearestSpellings("eth0", {"rdmap16s27"}).empty());
  EXPECT_TRUE(NearestSpellings("", {"rdmap16s27"}).empty());
  EXPECT_TRUE(NearestSpellings("eth0", {}).empty());
}

TEST(SpellingTest, OffersAtMostThree) {
  EXPECT_EQ(NearestSpellings("a", {"a1", "a2", "a3", "a4"}), (Strings{"a1", "a2", "a3"}));
  EXPECT_EQ(NearestSpellings("b1", {"a1", "b2", "b3", "b4", "b5"}).size(), 3u);
}

TEST(SpellingTest, Joins) {
  EXPECT_EQ(JoinWithAnd({}), "");
  EXPECT_EQ(JoinWithAnd({"a"}), "a");
  EXPECT_EQ(JoinWithAnd({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(JoinSome({"a", "b"}, 2), "a, b");
  EXPECT_EQ(JoinSome({"a", "b", "c"}, 1), "a, … (2 more)");
}

}  // namespace
}  // namespace railgauge
