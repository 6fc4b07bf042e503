#include "lib/placement/sentences.h"

#include <algorithm>

#include "fmt/core.h"

namespace railgauge {
namespace {

template <typename T, typename ToText>
std::string Enumerate(std::span<const T> items, size_t limit, ToText to_text) {
  const size_t shown = items.size() > limit ? limit : items.size();
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == items.size();
    text += i == 0 ? "" : last ? " and " : ", ";
    text += to_text(items[i]);
  }
  if (shown < items.size()) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

// A share as whole percent; a loss is not below nothing.
double Percent(double share) { return std::max(0.0, share) * 100; }

}  // namespace

std::string NameOf(const NicKey& nic) {
  std::string text = nic.address.ToString();
  if (!nic.name.empty()) text += " (" + nic.name + ")";
  return text;
}

std::string ListOf(std::span<const NicKey> nics, size_t limit) {
  return Enumerate(nics, limit, [](const NicKey& nic) { return NameOf(nic); });
}

std::string ListOf(std::span<const MemoryPlace> places, size_t limit) {
  return Enumerate(places, limit, [](const MemoryPlace& place) { return place.ToString(); });
}

std::string RateOf(double bytes_per_second) {
  return FormatBytesPerSecond(BytesPerSecond{bytes_per_second});
}

std::string RateOf(const MeasuredCell& cell) {
  return cell.median ? RateOf(*cell.median) : "no throughput";
}

std::string MeasureOf(const MeasuredCell& cell) {
  return ToString(Dimension{cell.cell.operation, cell.cell.direction}) + ", " +
         FormatBytes(cell.cell.size);
}

std::string LossOf(const Comparison& comparison) {
  const std::string lost = fmt::format("{:.0f} % lost", Percent(1 - comparison.ratio));
  if (!comparison.interval) return lost + " in single windows";
  const auto [low, high] = comparison.interval->interval;
  return fmt::format("{}, {:.0f} to {:.0f} % in {} rounds", lost, Percent(1 - high),
                     Percent(1 - low), comparison.rounds);
}

}  // namespace railgauge
