// Nearest: the candidate that a misspelt word most likely meant, for error messages.
#ifndef RAILGAUGE_LIB_BASE_NEAREST_H_
#define RAILGAUGE_LIB_BASE_NEAREST_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace railgauge {

// Insertions, deletions and substitutions of single bytes that lead from `a` to `b` (Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate with the smallest edit distance to `word`; the first of equals. Empty when none is
// close enough to be a slip of the pen (more than two edits and more than a third of the word).
std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_BASE_NEAREST_H_
