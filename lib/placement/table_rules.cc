#include "lib/placement/table_rules.h"

#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "lib/base/units.h"

namespace railgauge {
namespace {

using Why = std::optional<std::string>;

// A share, or a chance.
Why WhyNoFraction(std::string_view column, const std::optional<double>& value) {
  constexpr double kRounding = 1e-9;
  if (!value || (*value >= -kRounding && *value <= 1 + kRounding)) return std::nullopt;
  return fmt::format("{} is {}, and is between 0 and 1", column, *value);
}

std::optional<double> ValueOf(const std::optional<double>& value) { return value; }
std::optional<double> ValueOf(const std::optional<BytesPerSecond>& rate) {
  return rate ? std::optional(rate->value) : std::nullopt;
}

// A value and its interval, whose names are `column` with _low and _high.
template <typename Value>
Why WhyNoInterval(std::string_view column, const std::optional<Value>& low,
                  const std::optional<Value>& value, const std::optional<Value>& high) {
  const auto a = ValueOf(low), b = ValueOf(value), c = ValueOf(high);
  if (a.has_value() != c.has_value()) {
    return fmt::format("{} has one end of its interval", column);
  }
  if (!a || !b || (*a <= *b && *b <= *c)) return std::nullopt;
  return fmt::format("{} is {:.6g}, and its interval from {:.6g} to {:.6g}", column, *b, *a, *c);
}

// The first of them.
Why FirstOf(std::initializer_list<Why> reasons) {
  for (const Why& why : reasons) {
    if (why) return why;
  }
  return std::nullopt;
}

}  // namespace

Why WhyNeverWritten(const SummaryRow& row) {
  if (row.cell.nic.address == PciAddress{}) return "nic_pci_address is empty";
  if (row.throughput_median.has_value() != (row.sample_count > 0)) {
    return fmt::format("sample_count is {} of a row {} throughput", row.sample_count,
                       row.throughput_median ? "with a" : "without");
  }
  if (row.verdict != Verdict::kOk && row.reason.empty()) {
    return fmt::format("reason is empty of a row with verdict {}", ToString(row.verdict));
  }
  return FirstOf({WhyNoInterval("throughput_median_bytes_per_second", row.throughput_low,
                                row.throughput_median, row.throughput_high),
                  WhyNoFraction("interval_confidence_fraction", row.interval_confidence),
                  WhyNoFraction("class_adjusted_p_value", row.class_adjusted_p_value),
                  WhyNoFraction("rounds_adjusted_p_value", row.rounds_adjusted_p_value),
                  WhyNoFraction("slow_speed_fraction", row.slow_fraction)});
}

Why WhyNeverWritten(const PlacementRow& row) {
  if (row.verdict != Verdict::kOk && row.reason.empty()) {
    return fmt::format("reason is empty of a row with verdict {}", ToString(row.verdict));
  }
  return FirstOf({WhyNoFraction("regret_fraction", row.regret),
                  WhyNoFraction("regret_low_fraction", row.regret_low),
                  WhyNoFraction("regret_high_fraction", row.regret_high),
                  WhyNoInterval("regret_fraction", row.regret_low, row.regret, row.regret_high),
                  WhyNoFraction("regret_confidence_fraction", row.regret_confidence),
                  WhyNoFraction("regret_adjusted_p_value", row.regret_adjusted_p_value)});
}

Why WhyNeverWritten(const InterconnectRow& row) {
  if (row.nic.address == PciAddress{}) return "nic_pci_address is empty";
  if (row.places.empty()) return "places is empty";
  return WhyNoInterval("throughput_median_bytes_per_second", row.throughput_min,
                       row.throughput_median, row.throughput_max);
}

Why WhyNeverWritten(const AssignmentRow& row) {
  if (row.ok_count > row.consumer_count) {
    return fmt::format("ok_count is {}, and consumer_count {}", row.ok_count, row.consumer_count);
  }
  return FirstOf({WhyNoFraction("regret_max_fraction", row.regret_max),
                  WhyNoFraction("regret_mean_fraction", row.regret_mean)});
}

Why WhyNeverWritten(const Finding& row) {
  if (row.kind.empty()) return "kind is empty";
  if (row.sentence.empty()) return "sentence is empty";
  return std::nullopt;
}

Why WhyNeverWritten(const GroupRow& row) {
  if (row.load.empty() || row.load == "alone") return "load is no group's name";
  if (row.nic_count != row.nics.size()) {
    return fmt::format("nic_count is {}, and nic_pci_addresses has {}", row.nic_count,
                       row.nics.size());
  }
  return FirstOf({WhyNoInterval("sharing_factor", row.sharing_factor_low, row.sharing_factor,
                                row.sharing_factor_high),
                  WhyNoFraction("interval_confidence_fraction", row.interval_confidence),
                  WhyNoFraction("sharing_adjusted_p_value", row.adjusted_p_value)});
}

std::string KeyOf(const SummaryRow& row) {
  return fmt::format("{} {} {} {} {} {} {} {}", row.cell.nic.address.ToString(),
                     row.cell.place.ToString(), ToString(row.cell.operation),
                     ToString(row.cell.direction), row.cell.size.count, row.cell.depth,
                     row.cell.load, ToString(row.way));
}
std::string KeyOf(const PlacementRow& row) {
  return fmt::format("{} {}", row.consumer.ToString(), ToString(row.verdict));
}
std::string KeyOf(const InterconnectRow& row) {
  return fmt::format("{} {} {}", row.nic.address.ToString(), ToString(row.field), row.id);
}
std::string KeyOf(const AssignmentRow& /*row*/) { return "the assignment"; }
std::string KeyOf(const Finding& row) {
  return fmt::format("{} {} {}", row.kind, row.nic ? row.nic->address.ToString() : "",
                     row.sentence);
}
std::string KeyOf(const GroupRow& row) {
  std::string key = fmt::format("{} {} {} {}", row.load, ToString(row.operation),
                                row.direction ? ToString(*row.direction) : "", row.size.count);
  for (const MemoryPlace& place : row.places) key += " " + place.ToString();
  return key;
}

std::vector<NicKey> NicsOf(const SummaryRow& row) { return {row.cell.nic}; }
std::vector<NicKey> NicsOf(const PlacementRow& row) {
  std::vector<NicKey> nics = row.chosen;
  nics.insert(nics.end(), row.best.begin(), row.best.end());
  return nics;
}
std::vector<NicKey> NicsOf(const InterconnectRow& row) { return {row.nic}; }
std::vector<NicKey> NicsOf(const AssignmentRow& /*row*/) { return {}; }
// A finding may be about a NIC that the topology does not show.
std::vector<NicKey> NicsOf(const Finding& /*row*/) { return {}; }
std::vector<NicKey> NicsOf(const GroupRow& row) { return row.nics; }

}  // namespace railgauge
