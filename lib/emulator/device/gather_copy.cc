#include "lib/emulator/device/gather_copy.h"

#include <algorithm>

namespace railgauge::efa {
namespace {

// A position in a list of runs.
class Cursor {
 public:
  Cursor(std::span<const MemoryRun> runs, uint64_t offset) : runs_(runs) { Advance(offset); }

  std::byte* memory() const { return runs_[index_].memory + offset_; }
  MemoryOwner owner() const { return runs_[index_].owner; }
  uint64_t left_in_run() const { return runs_[index_].length - offset_; }

  void Advance(uint64_t bytes) {
    offset_ += bytes;
    while (index_ < runs_.size() && offset_ >= runs_[index_].length) {
      offset_ -= runs_[index_].length;
      ++index_;
    }
  }

 private:
  std::span<const MemoryRun> runs_;
  size_t index_ = 0;
  uint64_t offset_ = 0;  // in the run
};

}  // namespace

void AppendCopies(std::span<const MemoryRun> destination, std::span<const MemoryRun> source,
                  uint64_t offset, uint64_t bytes, std::vector<MemoryCopy>& copies) {
  Cursor to(destination, offset);
  Cursor from(source, offset);
  while (bytes > 0) {
    const uint64_t piece = std::min({bytes, to.left_in_run(), from.left_in_run()});
    copies.push_back({to.memory(), from.memory(), piece, to.owner(), from.owner()});
    to.Advance(piece);
    from.Advance(piece);
    bytes -= piece;
  }
}

}  // namespace railgauge::efa
