// Baselines and runs as the commands that compare them read them.
#ifndef RAILGAUGE_CLI_BASELINES_H_
#define RAILGAUGE_CLI_BASELINES_H_

#include <string>
#include <vector>

#include "cli/recorded_runs.h"
#include "lib/base/result.h"
#include "lib/compare/baseline.h"
#include "lib/compare/readings.h"

namespace railgauge {

// The baseline of all runs that the paths name (ForEachRun). An Error where one of them cannot be
// read, or is not comparable with the others. `notes` gets what a reader needs to know.
Result<Baseline> MakeBaselineOf(const std::vector<std::string>& paths, GivenTopologies& topologies,
                                std::vector<std::string>& notes);

// The baseline file at `path`, or the baseline of the runs in a directory.
Result<Baseline> ReadBaseline(const std::string& path, GivenTopologies& topologies,
                              std::vector<std::string>& notes);

// The one run that `path` names; an Error where it names several.
Result<RunReadings> ReadOneRun(const std::string& path, GivenTopologies& topologies,
                               std::vector<std::string>& notes);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_BASELINES_H_
