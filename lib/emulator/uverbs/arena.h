// Arena: the RingMemory of the process that runs the device model: one sparse memfd, of which the
// device has its own read-write mapping of the whole.
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
#include "lib/emulator/uverbs/ring_memory.h"

namespace railgauge {

class Arena : public RingMemory {
 public:
  // Reserves `bytes` of address space and file; memory is taken when it is written to.
  static Result<std::unique_ptr<Arena>> Create(uint64_t bytes);
  ~Arena() override;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::optional<uint64_t> Allocate(uint64_t bytes) override;
  void Free(uint64_t offset) override;
  std::span<std::byte> At(uint64_t offset, uint64_t bytes) override {
    return {base_ + offset, bytes};
  }
  int Duplicate(bool close_on_exec) const override;

  uint64_t bytes() const { return bytes_; }
  // Of the pieces that are allocated.
  uint64_t UsedBytes();

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
