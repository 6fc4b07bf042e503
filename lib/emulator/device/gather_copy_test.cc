#include "lib/emulator/device/gather_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace railgauge::efa {
namespace {

CopyOutcome Plain(void* to, const void* from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return CopyOutcome::kDone;
}

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
        EXPECT_EQ(GatherCopy(Cut(to, destination_cut), Cut(from, source_cut), offset, bytes, Plain),
                  CopyOutcome::kDone);
        for (size_t i = 0; i < to.size(); ++i) {
          const bool inside = i >= offset && i < offset + bytes;
          EXPECT_EQ(to[i], inside ? from[i] : std::byte{0}) << i;
        }
      }
    }
  }
}

TEST(GatherCopyTest, StopsAtAFault) {
  std::array<std::byte, 100> from{}, to{};
  int calls = 0;
  const auto faulty = [&](void*, const void*, size_t) {
    return ++calls == 2 ? CopyOutcome::kSourceFault : CopyOutcome::kDone;
  };
  EXPECT_EQ(GatherCopy(Cut(to, {30, 30, 40}), Cut(from, {100}), 0, 100, faulty),
            CopyOutcome::kSourceFault);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace railgauge::efa
