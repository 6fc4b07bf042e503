// --junit and --openmetrics: what a command found, for the programs that watch it.
#ifndef RAILGAUGE_CLI_CI_FILES_H_
#define RAILGAUGE_CLI_CI_FILES_H_

#include <span>
#include <string>

#include "CLI/CLI.hpp"
#include "cli/command_files.h"
#include "lib/base/result.h"
#include "lib/report/junit.h"
#include "lib/report/openmetrics.h"

namespace railgauge {

struct CiFileOptions {
  std::string junit;        // empty: not asked for
  std::string openmetrics;  // likewise
};

void AddCiFileOptions(CLI::App& command, CiFileOptions& options);

// Before any work, as what is written.
void DeclareCiFiles(const CiFileOptions& options, CommandFiles& files);

// Writes what was asked for, each by rename, and both whatever becomes of the other.
Status WriteCiFiles(const CiFileOptions& options, std::span<const JunitSuite> suites,
                    std::span<const MetricFamily> metrics);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_CI_FILES_H_
