#include "lib/memory/pattern.h"

#include <algorithm>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

std::vector<std::byte> Make(size_t size, uint64_t seed, uint64_t position) {
  std::vector<std::byte> data(size);
  FillPattern(data, seed, position);
  return data;
}

TEST(PatternTest, EveryRangeIsACutOfTheWhole) {
  const std::vector<std::byte> whole = Make(256, 7, 0);
  for (size_t begin = 0; begin < 40; ++begin) {
    for (size_t size = 0; size < 40; ++size) {
      const std::vector<std::byte> part = Make(size, 7, begin);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(begin)))
          << "begin " << begin << " size " << size;
      EXPECT_EQ(FindPatternMismatch(part, 7, begin), std::nullopt);
    }
  }
  EXPECT_EQ(whole[77], PatternByte(7, 77));
}

TEST(PatternTest, TheFirstWrongByteIsReported) {
  for (const size_t position : {0u, 3u, 8u, 4093u}) {
    for (size_t wrong = 0; wrong < 61; ++wrong) {
      std::vector<std::byte> data = Make(61, 9, position);
      data[wrong] ^= std::byte{1};
      EXPECT_EQ(FindPatternMismatch(data, 9, position), wrong) << "position " << position;
    }
  }
}

TEST(PatternTest, MisplacedDataAndOtherSeedsDiffer) {
  const std::vector<std::byte> data = Make(4096, 1, 4096);
  EXPECT_NE(FindPatternMismatch(data, 1, 0), std::nullopt);
  EXPECT_NE(FindPatternMismatch(data, 1, 4096 + 8), std::nullopt);
  EXPECT_NE(FindPatternMismatch(data, 2, 4096), std::nullopt);
}

TEST(PatternTest, NoBlockRepeatsWithinASeed) {
  const std::vector<std::byte> data = Make(64 << 10, 3, 0);
  std::set<std::vector<std::byte>> words;
  for (size_t i = 0; i < data.size(); i += 8)
    words.emplace(data.begin() + static_cast<long>(i), data.begin() + static_cast<long>(i + 8));
  EXPECT_EQ(words.size(), data.size() / 8);
}

}  // namespace
}  // namespace railgauge
