// IndexSet: a small set of CPU or NUMA node numbers, and its kernel form, an array of words.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_INDEX_SET_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_INDEX_SET_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace railgauge {

// Fixed size and trivially destructible: it lives in thread-local storage.
class IndexSet {
 public:
  static constexpr size_t kMax = 1024;

  // From the first `bits` bits of a kernel mask. Bits from kMax on are ignored.
  static IndexSet FromMask(const unsigned long* mask, size_t bits) {
    IndexSet set;
    for (size_t i = 0; i < bits && i < kMax; ++i) {
      if ((mask[i / 64] >> (i % 64) & 1) != 0) set.Add(static_cast<uint32_t>(i));
    }
    return set;
  }

  void Add(uint32_t index) {
    if (index < kMax) words_[index / 64] |= uint64_t{1} << (index % 64);
  }
  bool Has(uint32_t index) const {
    return index < kMax && (words_[index / 64] >> (index % 64) & 1) != 0;
  }
  bool empty() const { return !First().has_value(); }
  std::optional<uint32_t> First() const { return At(0); }

  // The element number `position`, from the lowest.
  std::optional<uint32_t> At(size_t position) const {
    for (size_t word = 0; word < words_.size(); ++word) {
      uint64_t bits = words_[word];
      while (bits != 0) {
        if (position-- == 0) return static_cast<uint32_t>(word * 64) + CountTrailing(bits);
        bits &= bits - 1;
      }
    }
    return std::nullopt;
  }
  size_t size() const {
    size_t count = 0;
    for (const uint64_t word : words_) count += static_cast<size_t>(std::popcount(word));
    return count;
  }

  IndexSet Intersect(const IndexSet& other) const {
    IndexSet result;
    for (size_t i = 0; i < words_.size(); ++i) result.words_[i] = words_[i] & other.words_[i];
    return result;
  }

  // Writes `bytes` bytes, zeros where the set has nothing.
  void ToMask(unsigned long* mask, size_t bytes) const {
    for (size_t i = 0; i * sizeof *mask < bytes; ++i) mask[i] = i < words_.size() ? words_[i] : 0;
  }

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  static uint32_t CountTrailing(uint64_t word) {
    return static_cast<uint32_t>(std::countr_zero(word));
  }
  std::array<uint64_t, kMax / 64> words_ = {};
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_INDEX_SET_H_
