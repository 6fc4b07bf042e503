#include "lib/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace railgauge {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> candidates) {
  // Only a short word is worth the quadratic comparison; a long one is no slip of the pen.
  if (word.size() > 128) return std::nullopt;
  size_t best = std::max(size_t{2}, word.size() / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? std::nullopt : std::optional(*nearest);
}

}  // namespace railgauge
