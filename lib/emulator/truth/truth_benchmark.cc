// Prints, for every instance type of scenarios/instances, what each kind of path is configured to
// carry and what the device model delivers, alone and shared. Fails where a path alone is more than
// 1 % off, or shared, in all or for one of the flows, more than 3 %.
//
//   truth_benchmark [INSTANCE_TYPE_OR_FILE…]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "lib/base/runfiles.h"
#include "lib/emulator/truth/cases.h"
#include "lib/emulator/truth/deliver.h"
#include "lib/scenario/load.h"

namespace railgauge {
namespace {

constexpr double kAlone = 0.01, kShared = 0.03;

struct Errors {
  double total = 0;
  double worst_flow = 0;  // the largest, with its sign
};

Errors ErrorsOf(const TruthCase& truth, const std::vector<double>& delivered) {
  const auto sum = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  Errors errors{sum(delivered) / sum(truth.expected) - 1, 0};
  for (size_t i = 0; i < delivered.size(); ++i) {
    const double error = delivered[i] / truth.expected[i] - 1;
    if (std::abs(error) > std::abs(errors.worst_flow)) errors.worst_flow = error;
  }
  return errors;
}

// Prints a row; false where it is off.
bool Compare(const EmulatedMachine& machine, const TruthCase& truth) {
  const std::vector<double> delivered = Deliver(machine, truth.flows);
  const Errors errors = ErrorsOf(truth, delivered);
  const double limit = truth.shared.empty() ? kAlone : kShared;
  const bool good = std::abs(errors.total) <= limit && std::abs(errors.worst_flow) <= limit;
  const double configured = std::accumulate(truth.expected.begin(), truth.expected.end(), 0.0);
  std::printf("  %-33s %5zu  %-12s %10.2f %10.2f %+7.2f %+7.2f%s\n", truth.kind.c_str(),
              truth.flows.size(), truth.shared.empty() ? "alone" : truth.shared.c_str(),
              configured / 1e9, configured * (1 + errors.total) / 1e9, errors.total * 100,
              errors.worst_flow * 100, good ? "" : "  OFF");
  return good;
}

Result<int> Run(const std::vector<std::string>& wanted) {
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string scenarios, FindDataFile("scenarios"));
  std::vector<std::string> specs = wanted;
  if (specs.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(specs, ListInstanceTypes(scenarios));
  }
  int rows = 0, off = 0;
  for (const std::string& spec : specs) {
    RAILGAUGE_ASSIGN_OR_RETURN(const EmulatedMachine machine, LoadSpec(spec, scenarios));
    std::printf("%s (emulated)\n  %-33s %5s  %-12s %10s %10s %7s %7s\n", spec.c_str(),
                "kind of path", "flows", "sharing", "configured", "delivered", "error", "worst");
    for (const TruthCase& truth : TruthCasesOf(machine)) {
      ++rows;
      if (!Compare(machine, truth)) ++off;
    }
  }
  std::printf(
      "GB/s of all flows, their error in %%, and the worst error of one flow against its max-min\n"
      "share. %d rows, %d off (alone 1 %%, shared 3 %%)\n",
      rows, off);
  if (rows == 0) std::printf("nothing was compared\n");
  return rows > 0 && off == 0 ? 0 : 1;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  const auto status = railgauge::Run(std::vector<std::string>(argv + 1, argv + argc));
  if (status) return *status;
  std::fprintf(stderr, "truth_benchmark: %s\n", status.error().ToString().c_str());
  return 2;
}
