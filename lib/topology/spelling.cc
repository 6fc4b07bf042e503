#include "lib/topology/spelling.h"

#include <algorithm>

#include "fmt/core.h"
#include "lib/base/nearest.h"

namespace railgauge {

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
