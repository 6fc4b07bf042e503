#include "lib/base/nearest.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

const std::vector<std::string> kTypes = {"p4d.24xlarge", "p5.48xlarge", "p5en.48xlarge"};

TEST(NearestTest, EditDistance) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("rdmap16s27", "rdmap16s27"), 0u);
  EXPECT_EQ(EditDistance("rdmap16s2", "rdmap16s27"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(NearestTest, FindsASlipOfThePen) {
  EXPECT_EQ(Nearest("p5.48xlarg", kTypes), "p5.48xlarge");
  EXPECT_EQ(Nearest("p4d.24xlage", kTypes), "p4d.24xlarge");
  EXPECT_EQ(Nearest("p5e.48xlarge", kTypes), "p5.48xlarge") << "the first of equals";
  EXPECT_EQ(Nearest("p5.48xlarge", kTypes), "p5.48xlarge");
}

TEST(NearestTest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(Nearest("mi300x", kTypes), std::nullopt);
  EXPECT_EQ(Nearest("", kTypes), std::nullopt);
  EXPECT_EQ(Nearest("p5.48xlarge", {}), std::nullopt);
  EXPECT_EQ(Nearest("a", std::vector<std::string>{"b"}), std::nullopt)
      << "nothing of the word is left";
  EXPECT_EQ(Nearest(std::string(100000, 'p'), kTypes), std::nullopt);
}

}  // namespace
}  // namespace railgauge
