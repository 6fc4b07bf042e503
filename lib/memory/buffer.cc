#include "lib/memory/buffer.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "lib/memory/pattern.h"

namespace railgauge {
namespace {

// Staging for Fill and Verify: stays in the cache, and is large enough that the fixed cost of a
// copy to a GPU does not count.
constexpr uint64_t kChunk = uint64_t{1} << 20;

}  // namespace

std::string Buffer::Mismatch::ToString() const {
  return fmt::format("byte {} is 0x{:02x} instead of 0x{:02x}", offset,
                     std::to_integer<unsigned>(found), std::to_integer<unsigned>(expected));
}

void Buffer::CheckRange(uint64_t offset, uint64_t length) const {
  RAILGAUGE_CHECK(offset <= length_ && length <= length_ - offset);
}

Status Buffer::Fill(uint64_t seed, uint64_t offset, uint64_t length, uint64_t position) {
  CheckRange(offset, length);
  std::vector<std::byte> chunk(std::min(length, kChunk));
  for (uint64_t done = 0; done < length; done += kChunk) {
    const std::span<std::byte> part(chunk.data(), std::min(kChunk, length - done));
    FillPattern(part, seed, position + done);
    RAILGAUGE_RETURN_IF_ERROR(CopyIn(offset + done, part));
  }
  return {};
}

Result<std::optional<Buffer::Mismatch>> Buffer::Verify(uint64_t seed, uint64_t offset,
                                                       uint64_t length, uint64_t position) const {
  CheckRange(offset, length);
  std::vector<std::byte> chunk(std::min(length, kChunk));
  for (uint64_t done = 0; done < length; done += kChunk) {
    const std::span<std::byte> part(chunk.data(), std::min(kChunk, length - done));
    RAILGAUGE_RETURN_IF_ERROR(CopyOut(offset + done, part));
    if (const auto at = FindPatternMismatch(part, seed, position + done)) {
      return Mismatch{.offset = offset + done + *at,
                      .expected = PatternByte(seed, position + done + *at),
                      .found = part[*at]};
    }
  }
  return std::nullopt;
}

}  // namespace railgauge
