// Reading and writing rings that the application maps too.
//
// The other side may write at any time, also what it should not. So a descriptor is copied out
// once, by atomic loads, and only the copy is looked at; a completion is published by one release
// store, after its body.
#ifndef RAILGAUGE_LIB_EMULATOR_DEVICE_SHARED_MEMORY_H_
#define RAILGAUGE_LIB_EMULATOR_DEVICE_SHARED_MEMORY_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace railgauge::efa {

inline constexpr size_t kWordBytes = sizeof(uint32_t);

// A copy of a T at `from`, which is 4-byte aligned; whole words, each read once.
template <typename T>
T LoadShared(std::byte* from) {
  static_assert(sizeof(T) % kWordBytes == 0);
  std::array<uint32_t, sizeof(T) / kWordBytes> words;
  auto* shared = reinterpret_cast<uint32_t*>(from);
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = std::atomic_ref<uint32_t>(shared[i]).load(std::memory_order_relaxed);
  }
  return std::bit_cast<T>(words);
}

// Writes `entry` to `to`, the first word last: whoever sees that word sees the rest.
template <typename T>
void PublishShared(std::byte* to, const T& entry) {
  static_assert(sizeof(T) % kWordBytes == 0);
  const auto words = std::bit_cast<std::array<uint32_t, sizeof(T) / kWordBytes>>(entry);
  auto* shared = reinterpret_cast<uint32_t*>(to);
  for (size_t i = 1; i < words.size(); ++i) {
    std::atomic_ref<uint32_t>(shared[i]).store(words[i], std::memory_order_relaxed);
  }
  std::atomic_ref<uint32_t>(shared[0]).store(words[0], std::memory_order_release);
}

}  // namespace railgauge::efa

#endif  // RAILGAUGE_LIB_EMULATOR_DEVICE_SHARED_MEMORY_H_
