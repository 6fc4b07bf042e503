// OpenMetrics text, for node_exporter's textfile collector.
//
// The collector reads the older text format of Prometheus, so only what both understand is written:
// gauges, no timestamps (it refuses files with any), units in the names. "# UNIT" and "# EOF" are
// comments there.
#ifndef RAILGAUGE_LIB_REPORT_OPENMETRICS_H_
#define RAILGAUGE_LIB_REPORT_OPENMETRICS_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/record/records.h"

namespace railgauge {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct MetricPoint {
  MetricLabels labels;
  double value = 0;
};

// A gauge.
struct MetricFamily {
  std::string name;  // ends in "_" and the unit, where it has one
  std::string unit;  // "bytes_per_second"; empty: none
  std::string help;
  std::vector<MetricPoint> points;
};

// The whole file. Families without a point are left out; a point whose value is not finite, too.
std::string OpenMetricsText(std::span<const MetricFamily> families);

// What a run says of itself, its verdicts and what it measured. Names and labels are stable: the
// run's id, which changes with each, is in railgauge_run_info alone.
std::vector<MetricFamily> PlacementMetrics(const RunIdentity& run, const std::string& command,
                                           int exit_status, std::span<const SummaryRow> summary,
                                           std::span<const PlacementRow> placement,
                                           std::span<const Finding> findings);

// railgauge_run_info and railgauge_exit_status, which every file has.
std::vector<MetricFamily> RunMetrics(const RunIdentity& run, const std::string& command,
                                     int exit_status);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_OPENMETRICS_H_
