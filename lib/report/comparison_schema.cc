#include "lib/report/comparison_schema.h"

#include "lib/report/field_column.h"

namespace railgauge {

// Found by the columns' templates, which look in the namespace of their argument.
static bool ParseField(std::string_view text, CompareVerdict& value) {
  const auto verdict = ParseCompareVerdict(text);
  if (verdict) value = *verdict;
  return verdict.has_value();
}

namespace {

using internal::Of;

constexpr Column<BaselineRow> kBaselineColumns[] = {
    Of<BaselineRow>("nic_slot", RAILGAUGE_FIELD(cell.nic_slot)),
    Of<BaselineRow>("place_kind", RAILGAUGE_FIELD(cell.place_kind)),
    Of<BaselineRow>("relation", RAILGAUGE_FIELD(cell.relation)),
    Of<BaselineRow>("operation", RAILGAUGE_FIELD(cell.operation)),
    Of<BaselineRow>("direction", RAILGAUGE_FIELD(cell.direction)),
    Of<BaselineRow>("size_bytes", RAILGAUGE_FIELD(cell.size)),
    Of<BaselineRow>("depth", RAILGAUGE_FIELD(cell.depth)),
    Of<BaselineRow>("way", RAILGAUGE_FIELD(cell.way)),
    Of<BaselineRow>("peer", RAILGAUGE_FIELD(peer)),
    Of<BaselineRow>("queue_pairs", RAILGAUGE_FIELD(queue_pairs)),
    Of<BaselineRow>("run_count", RAILGAUGE_FIELD(run_count)),
    Of<BaselineRow>("sample_count", RAILGAUGE_FIELD(sample_count)),
    Of<BaselineRow>("throughput_median_bytes_per_second", RAILGAUGE_FIELD(throughput_median)),
    Of<BaselineRow>("throughput_low_bytes_per_second", RAILGAUGE_FIELD(throughput_low)),
    Of<BaselineRow>("throughput_high_bytes_per_second", RAILGAUGE_FIELD(throughput_high)),
    Of<BaselineRow>("interval_confidence_fraction", RAILGAUGE_FIELD(interval_confidence)),
    Of<BaselineRow>("interval_source", RAILGAUGE_FIELD(interval_source)),
};

// A missing cell has no NIC here.
std::string PrintNic(const ComparisonRow& row) {
  return row.nic ? PrintField(row.nic->address) : std::string();
}
bool ParseNic(std::string_view field, ComparisonRow& row) {
  row.nic.reset();
  return field.empty() || ParseField(field, row.nic.emplace().address);
}
std::string PrintNicName(const ComparisonRow& row) {
  return row.nic ? row.nic->name : std::string();
}
bool ParseNicName(std::string_view field, ComparisonRow& row) {
  if (row.nic) row.nic->name = field;
  return row.nic || field.empty();
}

constexpr Column<ComparisonRow> kComparisonColumns[] = {
    Of<ComparisonRow>("nic_slot", RAILGAUGE_FIELD(cell.nic_slot)),
    {"nic_pci_address", PrintNic, ParseNic},
    {"nic_name", PrintNicName, ParseNicName},
    Of<ComparisonRow>("place", RAILGAUGE_FIELD(place)),
    Of<ComparisonRow>("place_kind", RAILGAUGE_FIELD(cell.place_kind)),
    Of<ComparisonRow>("relation", RAILGAUGE_FIELD(cell.relation)),
    Of<ComparisonRow>("operation", RAILGAUGE_FIELD(cell.operation)),
    Of<ComparisonRow>("direction", RAILGAUGE_FIELD(cell.direction)),
    Of<ComparisonRow>("size_bytes", RAILGAUGE_FIELD(cell.size)),
    Of<ComparisonRow>("depth", RAILGAUGE_FIELD(cell.depth)),
    Of<ComparisonRow>("way", RAILGAUGE_FIELD(cell.way)),
    Of<ComparisonRow>("sample_count", RAILGAUGE_FIELD(sample_count)),
    Of<ComparisonRow>("throughput_median_bytes_per_second", RAILGAUGE_FIELD(throughput_median)),
    Of<ComparisonRow>("baseline_run_id", RAILGAUGE_FIELD(baseline_run_id)),
    Of<ComparisonRow>("baseline_run_count", RAILGAUGE_FIELD(baseline_run_count)),
    Of<ComparisonRow>("baseline_sample_count", RAILGAUGE_FIELD(baseline_sample_count)),
    Of<ComparisonRow>("baseline_median_bytes_per_second", RAILGAUGE_FIELD(baseline_median)),
    Of<ComparisonRow>("baseline_low_bytes_per_second", RAILGAUGE_FIELD(baseline_low)),
    Of<ComparisonRow>("baseline_high_bytes_per_second", RAILGAUGE_FIELD(baseline_high)),
    Of<ComparisonRow>("ratio", RAILGAUGE_FIELD(ratio)),
    Of<ComparisonRow>("ratio_low", RAILGAUGE_FIELD(ratio_low)),
    Of<ComparisonRow>("ratio_high", RAILGAUGE_FIELD(ratio_high)),
    Of<ComparisonRow>("interval_confidence_fraction", RAILGAUGE_FIELD(interval_confidence)),
    Of<ComparisonRow>("adjusted_p_value", RAILGAUGE_FIELD(adjusted_p_value)),
    Of<ComparisonRow>("evidence", RAILGAUGE_FIELD(evidence)),
    Of<ComparisonRow>("verdict", RAILGAUGE_FIELD(verdict)),
    Of<ComparisonRow>("reason", RAILGAUGE_FIELD(reason)),
};

}  // namespace

template <>
std::span<const Column<BaselineRow>> ColumnsOf<BaselineRow>() {
  return kBaselineColumns;
}
template <>
std::span<const Column<ComparisonRow>> ColumnsOf<ComparisonRow>() {
  return kComparisonColumns;
}

template <>
std::string_view FileNameOf<BaselineRow>() {
  return "baseline.csv";
}
template <>
std::string_view FileNameOf<ComparisonRow>() {
  return "compare.csv";
}

}  // namespace railgauge
