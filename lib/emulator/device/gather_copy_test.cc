#include "lib/emulator/device/gather_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace railgauge::efa {
namespace {

// `memory` cut into runs of these lengths.
std::vector<MemoryRun> Cut(std::span<std::byte> memory, const std::vector<uint64_t>& lengths) {
  std::vector<MemoryRun> runs;
  uint64_t offset = 0;
  for (const uint64_t length : lengths) {
    runs.push_back({memory.data() + offset, length});
    offset += length;
  }
  return runs;
}

TEST(GatherCopyTest, AnyCutOfEitherSide) {
  std::array<std::byte, 100> from;
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);
  const std::vector<std::vector<uint64_t>> cuts = {
      {100}, {1, 99}, {50, 50}, {33, 33, 34}, {10, 1, 1, 88}};
  for (const auto& source_cut : cuts) {
    for (const auto& destination_cut : cuts) {
      for (const auto& [offset, bytes] :
           {std::pair(0u, 100u), std::pair(33u, 1u), std::pair(49u, 51u), std::pair(100u, 0u)}) {
        std::array<std::byte, 100> to{};
        std::vector<MemoryCopy> copies;
        AppendCopies(Cut(to, destination_cut), Cut(from, source_cut), offset, bytes, copies);
        for (const MemoryCopy& copy : copies) {
          std::memcpy(copy.destination, copy.source, copy.bytes);
        }
        for (size_t i = 0; i < to.size(); ++i) {
          const bool inside = i >= offset && i < offset + bytes;
          EXPECT_EQ(to[i], inside ? from[i] : std::byte{0}) << i;
        }
      }
    }
  }
}

TEST(GatherCopyTest, SaysWhoseMemoryItIs) {
  std::array<std::byte, 8> from{}, to{};
  std::vector<MemoryRun> destination = Cut(to, {4, 4}), source = Cut(from, {2, 6});
  destination[1].owner = 7;
  source[0].owner = 9;
  std::vector<MemoryCopy> copies;
  AppendCopies(destination, source, 0, 8, copies);
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[0].source_owner, 9u);
  EXPECT_EQ(copies[0].destination_owner, kOwnMemory);
  EXPECT_EQ(copies[1].source_owner, kOwnMemory);
  EXPECT_EQ(copies[1].destination_owner, kOwnMemory);
  EXPECT_EQ(copies[2].destination_owner, 7u);
}

}  // namespace
}  // namespace railgauge::efa
