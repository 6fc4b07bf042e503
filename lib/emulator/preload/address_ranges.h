// AddressRanges: values for disjoint ranges of addresses; a later range replaces what it covers.
#ifndef RAILGAUGE_LIB_EMULATOR_PRELOAD_ADDRESS_RANGES_H_
#define RAILGAUGE_LIB_EMULATOR_PRELOAD_ADDRESS_RANGES_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace railgauge {

// Not thread-safe. Ends are exclusive.
template <typename T>
class AddressRanges {
 public:
  struct Range {
    uint64_t begin = 0, end = 0;
    T value = {};
  };

  bool empty() const { return ranges_.empty(); }

  void Set(uint64_t begin, uint64_t end, const T& value) {
    if (begin >= end) return;
    Erase(begin, end);
    ranges_[begin] = {end, value};
  }

  void Erase(uint64_t begin, uint64_t end) {
    auto it = ranges_.lower_bound(begin);
    if (it != ranges_.begin()) {
      const auto before = std::prev(it);
      const Rest rest = before->second;
      if (rest.end > begin) {
        before->second.end = begin;
        if (rest.end > end) ranges_[end] = rest;
      }
    }
    it = ranges_.lower_bound(begin);
    while (it != ranges_.end() && it->first < end) {
      const Rest rest = it->second;
      it = ranges_.erase(it);
      if (rest.end > end) {
        ranges_[end] = rest;
        return;
      }
    }
  }

  // The range that holds `address`.
  std::optional<Range> Find(uint64_t address) const {
    auto it = ranges_.upper_bound(address);
    if (it == ranges_.begin()) return std::nullopt;
    --it;
    if (address >= it->second.end) return std::nullopt;
    return Range{it->first, it->second.end, it->second.value};
  }

  // The first address after `address` at which a range begins; UINT64_MAX when there is none.
  uint64_t NextBegin(uint64_t address) const {
    const auto it = ranges_.upper_bound(address);
    return it == ranges_.end() ? UINT64_MAX : it->first;
  }

 private:
  struct Rest {
    uint64_t end = 0;
    T value = {};
  };
  std::map<uint64_t, Rest> ranges_;  // by begin
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_PRELOAD_ADDRESS_RANGES_H_
