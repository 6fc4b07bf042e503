#include "lib/emulator/fabric/doorbell_ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace railgauge {
namespace {

TEST(DoorbellRingTest, InOrderOverManyLaps) {
  const auto ring = std::make_unique<DoorbellRing>();
  uint32_t position = 0, written = 0;
  EXPECT_FALSE(ring->Read(position).has_value());
  for (uint32_t read = 0; read < 5 * DoorbellRing::kSlots; ++read) {
    while (written < read + 7) {
      ASSERT_TRUE(ring->TryWrite({.offset = uint64_t{written} * 4, .value = ~written}));
      ++written;
    }
    const auto doorbell = ring->Read(position);
    ASSERT_TRUE(doorbell.has_value());
    EXPECT_EQ(doorbell->offset, uint64_t{read} * 4);
    EXPECT_EQ(doorbell->value, ~read);
  }
}

TEST(DoorbellRingTest, AFullOneRefusesAndLosesNothing) {
  const auto ring = std::make_unique<DoorbellRing>();
  for (uint32_t i = 0; i < DoorbellRing::kSlots; ++i) {
    ASSERT_TRUE(ring->TryWrite({.offset = 0, .value = i}));
  }
  EXPECT_FALSE(ring->TryWrite({.offset = 0, .value = 99}));
  uint32_t position = 0;
  EXPECT_EQ(ring->Read(position)->value, 0u);
  EXPECT_TRUE(ring->TryWrite({.offset = 0, .value = DoorbellRing::kSlots}));
  for (uint32_t i = 1; i <= DoorbellRing::kSlots; ++i) EXPECT_EQ(ring->Read(position)->value, i);
  EXPECT_FALSE(ring->Read(position).has_value());
}

TEST(DoorbellRingTest, OffsetsOfALargeMemory) {
  const auto ring = std::make_unique<DoorbellRing>();
  constexpr uint64_t kLast = (uint64_t{16} << 30) - 4;
  ASSERT_TRUE(ring->TryWrite({.offset = kLast, .value = 1}));
  uint32_t position = 0;
  EXPECT_EQ(ring->Read(position)->offset, kLast);
}

TEST(DoorbellRingTest, ManyWriters) {
  constexpr uint32_t kWriters = 4, kEach = 20'000;
  const auto ring = std::make_unique<DoorbellRing>();
  std::vector<std::thread> writers;
  for (uint32_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&ring, writer] {
      for (uint32_t i = 0; i < kEach; ++i) {
        while (!ring->TryWrite({.offset = uint64_t{writer} * 4, .value = i})) {
          std::this_thread::yield();
        }
      }
    });
  }
  std::vector<uint32_t> next(kWriters, 0);
  uint32_t position = 0;
  for (uint32_t total = 0; total < kWriters * kEach;) {
    const auto doorbell = ring->Read(position);
    if (!doorbell) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(doorbell->value, next[doorbell->offset / 4]++);  // each writer's in its order
    ++total;
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_FALSE(ring->Read(position).has_value());
}

}  // namespace
}  // namespace railgauge
