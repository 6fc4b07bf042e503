#include "lib/fleet/group_figures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fmt/core.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

// Bins finer than a third of the spread would be a comb.
constexpr double kBinsPerMad = 3;

constexpr double kLastBin = 1e6;

// 0.001, 0.002, 0.005, 0.01, …
double NextWidth(double width) {
  const double power = std::pow(10, std::floor(std::log10(width) + 1e-9));
  const double lead = std::round(width / power);
  return lead < 2 ? 2 * power : lead < 5 ? 5 * power : 10 * power;
}

std::string BinsOf(const std::vector<double>& values, double median, double mad, size_t most) {
  if (!(median > 0)) return "";
  double width = 0.001;
  while (width < mad / median / kBinsPerMad) width = NextWidth(width);
  for (;; width = NextWidth(width)) {
    std::map<int64_t, size_t> counts;
    for (const double value : values) {
      // A hair above the edge, which the division would else put to either side.
      const double bin = std::floor(value / median / width + 1e-6);
      ++counts[static_cast<int64_t>(std::clamp(bin, 0.0, kLastBin))];
      if (counts.size() > most) break;
    }
    if (counts.size() > most) continue;
    std::string bins = fmt::format("{:.3g};", width);
    for (const auto& [bin, count] : counts) {
      bins += fmt::format("{}{}:{}", bins.back() == ';' ? "" : ",", bin, count);
    }
    return bins;
  }
}

}  // namespace

std::vector<GroupFigures> FiguresOf(const FleetTable& table, size_t most_bins) {
  std::vector<std::vector<double>> values(table.groups().size());
  for (const FleetRun& run : table.runs()) {
    for (const FleetRun::Value& value : run.values) {
      values[value.group].push_back(static_cast<double>(value.throughput));
    }
  }
  std::vector<GroupFigures> figures(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<double>& of_group = values[i];
    if (of_group.empty()) continue;
    GroupFigures& group = figures[i];
    group.members = of_group.size();
    group.median = MedianInPlace(of_group);
    group.mad = MedianAbsoluteDeviation(of_group).value_or(0);
    group.lowest = *std::min_element(of_group.begin(), of_group.end());
    group.highest = *std::max_element(of_group.begin(), of_group.end());
    group.bins = BinsOf(of_group, group.median, group.mad, std::max<size_t>(most_bins, 1));
    std::vector<double>().swap(of_group);
  }
  return figures;
}

}  // namespace railgauge
