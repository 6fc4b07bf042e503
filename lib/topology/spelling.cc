#include "lib/topology/spelling.h"

#include <algorithm>
#include <numeric>

#include "fmt/core.h"

namespace railgauge {

size_t EditDistance(std::string_view a, std::string_view b) {
  // One row of the usual matrix: the distances of a[0, i) to every prefix of b.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::vector<std::string> NearestSpellings(std::string_view text,
                                          const std::vector<std::string>& candidates) {
  constexpr size_t kMaxOffers = 3;
  std::vector<std::string> nearest;
  if (text.empty()) return nearest;
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(text) && nearest.size() < kMaxOffers) nearest.push_back(candidate);
  }
  if (!nearest.empty()) return nearest;
  size_t best = std::max<size_t>(2, text.size() / 3);
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(text, candidate);
    if (distance > best) continue;
    if (distance < best) nearest.clear();
    best = distance;
    if (nearest.size() < kMaxOffers) nearest.push_back(candidate);
  }
  return nearest;
}

std::string JoinWithAnd(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string JoinSome(const std::vector<std::string>& items, size_t limit) {
  std::string text;
  for (size_t i = 0; i < std::min(limit, items.size()); ++i) {
    if (i > 0) text += ", ";
    text += items[i];
  }
  if (items.size() > limit) text += fmt::format(", … ({} more)", items.size() - limit);
  return text;
}

}  // namespace railgauge
