#include "lib/memory/pattern.h"

#include <cstring>

namespace railgauge {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

// A bijective mixer (the finaliser of splitmix64) of an odd multiple of the word's number: words of
// one seed never repeat, and neighbouring words share no visible structure.
uint64_t PatternWord(uint64_t seed, uint64_t word) {
  uint64_t x = seed * 0xD1B54A32D192ED03u + (word + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

std::byte PatternByte(uint64_t seed, uint64_t position) {
  const uint64_t word = PatternWord(seed, position / kWord);
  std::byte bytes[kWord];
  std::memcpy(bytes, &word, kWord);
  return bytes[position % kWord];
}

void FillPattern(std::span<std::byte> data, uint64_t seed, uint64_t position) {
  size_t i = 0;
  for (; i < data.size() && (position + i) % kWord != 0; ++i)
    data[i] = PatternByte(seed, position + i);
  for (; i + kWord <= data.size(); i += kWord) {
    const uint64_t word = PatternWord(seed, (position + i) / kWord);
    std::memcpy(data.data() + i, &word, kWord);
  }
  for (; i < data.size(); ++i) data[i] = PatternByte(seed, position + i);
}

std::optional<size_t> FindPatternMismatch(std::span<const std::byte> data, uint64_t seed,
                                          uint64_t position) {
  size_t i = 0;
  // Whole words while they match; the byte loop then finds the byte, or the ragged end.
  for (; i < data.size() && (position + i) % kWord != 0; ++i)
    if (data[i] != PatternByte(seed, position + i)) return i;
  for (; i + kWord <= data.size(); i += kWord) {
    const uint64_t word = PatternWord(seed, (position + i) / kWord);
    if (std::memcmp(data.data() + i, &word, kWord) != 0) break;
  }
  for (; i < data.size(); ++i)
    if (data[i] != PatternByte(seed, position + i)) return i;
  return std::nullopt;
}

}  // namespace railgauge
