#include "lib/compare/comparison_results.h"

#include "fmt/core.h"
#include "lib/base/units.h"

namespace railgauge {
namespace {

constexpr CompareVerdict kVerdicts[] = {CompareVerdict::kSame,    CompareVerdict::kSlower,
                                        CompareVerdict::kFaster,  CompareVerdict::kNoisy,
                                        CompareVerdict::kMissing, CompareVerdict::kNew};

JunitOutcome OutcomeOf(CompareVerdict verdict) {
  switch (verdict) {
    case CompareVerdict::kSlower:
      return JunitOutcome::kFailed;
    case CompareVerdict::kNoisy:
    case CompareVerdict::kMissing:
      return JunitOutcome::kSkipped;
    default:
      return JunitOutcome::kPassed;
  }
}

std::string PlaceOf(const ComparisonRow& row) {
  return row.place ? row.place->ToString()
                   : fmt::format("{} {}", row.cell.place_kind, ToString(row.cell.relation));
}

}  // namespace

JunitSuite ComparisonSuite(const RunIdentity& run, const std::string& baseline_name,
                           const RunComparison& comparison) {
  JunitSuite suite = SuiteOf(run, "compare with " + baseline_name);
  suite.properties.emplace_back("baseline", baseline_name);
  for (const ComparisonRow& row : comparison.rows) {
    JunitCase one;
    one.class_name =
        row.nic ? fmt::format("railgauge.compare.{} {}", row.nic->address.ToString(), row.nic->name)
                : "railgauge.compare.slot " + row.cell.nic_slot;
    one.name = fmt::format("{} {} {} {} depth {} {}", PlaceOf(row), ToString(row.cell.operation),
                           ToString(row.cell.direction), FormatBytes(row.cell.size), row.cell.depth,
                           ToString(row.cell.way));
    one.outcome = OutcomeOf(row.verdict);
    one.type = ToString(row.verdict);
    one.message = row.reason;
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

std::vector<MetricFamily> ComparisonMetrics(const RunIdentity& run, int exit_status,
                                            const RunComparison& comparison) {
  std::vector<MetricFamily> families = RunMetrics(run, "compare", exit_status);
  MetricFamily ratios = {
      "railgauge_baseline_ratio", "ratio", "Median throughput of a cell, of the baseline's.", {}};
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.ratio || !row.nic) continue;
    ratios.points.push_back({{{"nic", row.nic->address.ToString()},
                              {"nic_name", row.nic->name},
                              {"nic_slot", row.cell.nic_slot},
                              {"place", PlaceOf(row)},
                              {"operation", std::string(ToString(row.cell.operation))},
                              {"direction", std::string(ToString(row.cell.direction))},
                              {"size_bytes", std::to_string(row.cell.size.count)},
                              {"depth", std::to_string(row.cell.depth)},
                              {"way", std::string(ToString(row.cell.way))}},
                             *row.ratio});
  }
  MetricFamily cells = {
      "railgauge_baseline_cells", "", "Cells by their verdict against the baseline.", {}};
  for (const CompareVerdict verdict : kVerdicts) {
    const auto found = comparison.counts.find(verdict);
    const size_t count = found == comparison.counts.end() ? 0 : found->second;
    cells.points.push_back(
        {{{"verdict", std::string(ToString(verdict))}}, static_cast<double>(count)});
  }
  families.push_back(std::move(ratios));
  families.push_back(std::move(cells));
  return families;
}

}  // namespace railgauge
