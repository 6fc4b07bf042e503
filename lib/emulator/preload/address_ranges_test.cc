#include "lib/emulator/preload/address_ranges.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace railgauge {
namespace {

TEST(AddressRanges, FindsWhatWasSet) {
  AddressRanges<int> ranges;
  EXPECT_TRUE(ranges.empty());
  ranges.Set(10, 20, 1);
  EXPECT_FALSE(ranges.Find(9).has_value());
  EXPECT_EQ(ranges.Find(10)->value, 1);
  EXPECT_EQ(ranges.Find(19)->begin, 10u);
  EXPECT_FALSE(ranges.Find(20).has_value());
  EXPECT_EQ(ranges.NextBegin(5), 10u);
  EXPECT_EQ(ranges.NextBegin(10), UINT64_MAX);
}

TEST(AddressRanges, ErasingTheMiddleLeavesBothEnds) {
  AddressRanges<int> ranges;
  ranges.Set(0, 30, 1);
  ranges.Erase(10, 20);
  EXPECT_EQ(ranges.Find(9)->end, 10u);
  EXPECT_FALSE(ranges.Find(15).has_value());
  EXPECT_EQ(ranges.Find(20)->end, 30u);
}

// Against an array that does the same in the obvious way.
TEST(AddressRanges, AgreesWithAnArray) {
  std::mt19937 random(1);
  std::array<int, 64> expected = {};
  AddressRanges<int> ranges;
  for (int step = 1; step < 5000; ++step) {
    const uint64_t begin = random() % 64, end = begin + random() % (65 - begin);
    const bool erase = random() % 3 == 0;
    if (erase) {
      ranges.Erase(begin, end);
    } else {
      ranges.Set(begin, end, step);
    }
    for (uint64_t at = begin; at < end; ++at) expected[at] = erase ? 0 : step;
    for (uint64_t at = 0; at < 64; ++at) {
      const auto found = ranges.Find(at);
      ASSERT_EQ(found ? found->value : 0, expected[at]) << "step " << step << " at " << at;
    }
  }
}

}  // namespace
}  // namespace railgauge
