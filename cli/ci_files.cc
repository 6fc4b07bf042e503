#include "cli/ci_files.h"

#include "lib/base/file.h"

namespace railgauge {

void AddCiFileOptions(CLI::App& command, CiFileOptions& options) {
  command
      .add_option(
          "--junit", options.junit,
          "also write JUnit XML to FILE: a case per verdict; what cannot be told is skipped")
      ->type_name("FILE");
  command
      .add_option("--openmetrics", options.openmetrics,
                  "also write metrics to FILE, for node_exporter's textfile collector (name it "
                  "*.prom)")
      ->type_name("FILE");
}

void DeclareCiFiles(const CiFileOptions& options, CommandFiles& files) {
  files.WritesBeside("--junit", options.junit);
  files.WritesBeside("--openmetrics", options.openmetrics);
}

Status WriteCiFiles(const CiFileOptions& options, std::span<const JunitSuite> suites,
                    std::span<const MetricFamily> metrics) {
  Status junit, openmetrics;
  if (!options.junit.empty()) junit = WriteFileAtomically(options.junit, JunitXml(suites));
  if (!options.openmetrics.empty()) {
    openmetrics = WriteFileAtomically(options.openmetrics, OpenMetricsText(metrics));
  }
  return junit ? openmetrics : junit;
}

}  // namespace railgauge
