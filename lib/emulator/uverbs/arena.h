// Arena: the memory that an emulated device shares with user space: BARs and rings.
//
// One sparse memfd. What open(2) of an emulated uverbs node returns is a real descriptor of it, and
// a "mmap key" is simply an offset in it, so the mmap(2) of an unmodified provider needs no help.
// The device works on its own read-write mapping of the whole.
#ifndef RAILGAUGE_LIB_EMULATOR_UVERBS_ARENA_H_
#define RAILGAUGE_LIB_EMULATOR_UVERBS_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "lib/base/result.h"

namespace railgauge {

class Arena {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  // Reserves `bytes` of address space and file; memory is taken when it is written to.
  static Result<std::unique_ptr<Arena>> Create(uint64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The offset of a zeroed, page-aligned piece; empty when there is none of that size.
  std::optional<uint64_t> Allocate(uint64_t bytes);
  // Gives back the piece that starts at `offset`, and its memory.
  void Free(uint64_t offset);

  std::span<std::byte> At(uint64_t offset, uint64_t bytes) { return {base_ + offset, bytes}; }

  // A new descriptor of the file, or a negative errno value.
  int Duplicate(bool close_on_exec) const;

 private:
  Arena(int fd, std::byte* base, uint64_t bytes);

  const int fd_;
  std::byte* const base_;
  const uint64_t bytes_;
  std::mutex mutex_;
  std::map<uint64_t, uint64_t> free_;  // offset -> bytes, never adjacent to each other
  std::map<uint64_t, uint64_t> used_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_UVERBS_ARENA_H_
