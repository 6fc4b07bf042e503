// Position-dependent test data: byte p of pattern `seed` is a function of (seed, p) alone.
//
// Data that arrives at the wrong offset, twice, or from another buffer (another seed) therefore
// differs from what is expected, and the first byte that does is reported. Any range can be made or
// checked on its own, at any alignment.
#ifndef RAILGAUGE_LIB_MEMORY_PATTERN_H_
#define RAILGAUGE_LIB_MEMORY_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace railgauge {

// Writes bytes [position, position + data.size()) of pattern `seed`.
void FillPattern(std::span<std::byte> data, uint64_t seed, uint64_t position);

// The index in `data` of the first byte that is not that of the pattern; empty when all are.
std::optional<size_t> FindPatternMismatch(std::span<const std::byte> data, uint64_t seed,
                                          uint64_t position);

// One byte of the pattern, for messages.
std::byte PatternByte(uint64_t seed, uint64_t position);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEMORY_PATTERN_H_
