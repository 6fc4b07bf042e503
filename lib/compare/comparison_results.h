// A comparison for the programs that watch it: JUnit cases and metrics.
#ifndef RAILGAUGE_LIB_COMPARE_COMPARISON_RESULTS_H_
#define RAILGAUGE_LIB_COMPARE_COMPARISON_RESULTS_H_

#include <string>
#include <vector>

#include "lib/compare/compare.h"
#include "lib/record/records.h"
#include "lib/report/junit.h"
#include "lib/report/openmetrics.h"

namespace railgauge {

// A case per cell, by NIC: SLOWER fails; NOISY and MISSING are skipped.
JunitSuite ComparisonSuite(const RunIdentity& run, const std::string& baseline_name,
                           const RunComparison& comparison);

std::vector<MetricFamily> ComparisonMetrics(const RunIdentity& run, int exit_status,
                                            const RunComparison& comparison);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_COMPARE_COMPARISON_RESULTS_H_
