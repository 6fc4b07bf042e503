// What scripts/record_checks and the end-to-end test ask of a check:
//
//   check_tool decision CHECK.yaml                the decision as CSV; nothing where there is none
//   check_tool arguments CHECK.yaml CSV RUNDIR    what railgauge is called with, one to a line
//   check_tool error CHECK.yaml                   the error that it must end with; nothing: it runs
//   check_tool end-to-end CHECKS_DIR              the names of the checks that CI runs
//   check_tool compare CHECK.yaml RUNDIR STATUS   what the run said, against what is expected
//   check_tool judge CHECK.yaml RUNDIR            what its records say
//
// Exit status: 0; 1 where something is not as expected, a line each; 2 an error.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "lib/base/result.h"
#include "lib/scenario/check/check.h"
#include "lib/scenario/check/compare.h"
#include "lib/scenario/check/recorded.h"

namespace railgauge {
namespace {

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Result<int> Report(const std::vector<std::string>& differences) {
  for (const std::string& difference : differences) fmt::print("{}\n", Printable(difference));
  return differences.empty() ? 0 : 1;
}

Result<int> PrintEndToEnd(const std::string& checks_dir) {
  RAILGAUGE_ASSIGN_OR_RETURN(const auto checks, LoadChecks(FolderOf(checks_dir)));
  for (const Check& check : checks) {
    if (check.end_to_end) fmt::print("{}\n", check.name);
  }
  return 0;
}

Result<int> JudgeRecords(const Check& check, const std::string& file, const std::string& run) {
  if (!check.error.empty()) {
    const std::string error = ErrorOf(check, run, FolderOf(file));
    if (error.find(check.error) != std::string::npos) return 0;
    return Report({fmt::format("{}: the error is '{}'", file, error)});
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const RecordedMachine recorded, ReadRecorded(run));
  if (check.run.command == CheckRun::Command::kLoad) {
    return Report(Differences(check, JudgeRecordedGroups(recorded), file));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const Decision decision, DecisionOf(check, recorded, FolderOf(file)));
  return Report(Differences(check, JudgeRecorded(recorded, decision), file));
}

Result<int> Run(const std::vector<std::string>& arguments) {
  const auto is = [&](std::string_view command, size_t count) {
    return arguments.size() == count + 1 && arguments[0] == command;
  };
  if (is("end-to-end", 1)) return PrintEndToEnd(arguments[1]);
  if (arguments.size() < 2) {
    return Fail(MakeError("check_tool", "", "no command and check", "Read the head of its source"));
  }
  const std::string& file = arguments[1];
  RAILGAUGE_ASSIGN_OR_RETURN(const Check check, LoadCheck(file));
  if (is("decision", 1)) {
    fmt::print("{}", check.DecisionCsv());
    return 0;
  }
  if (is("error", 1)) {
    fmt::print("{}", check.error);
    return 0;
  }
  if (is("arguments", 3)) {
    const std::string placement =
        check.pairs.empty() ? PlacementOf(check, FolderOf(file)) : arguments[2];
    for (const std::string& argument : RunArguments(check, placement, arguments[3])) {
      fmt::print("{}\n", argument);
    }
    return 0;
  }
  if (is("judge", 2)) return JudgeRecords(check, file, arguments[2]);
  if (is("compare", 3)) {
    const int status = std::atoi(arguments[3].c_str());
    RAILGAUGE_ASSIGN_OR_RETURN(const CheckOutcome outcome, ReadOutcome(arguments[2], status));
    return Report(Differences(check, outcome, file));
  }
  return Fail(MakeError("check_tool", Printable(arguments[0]),
                        "no such command, or not its arguments", "Read the head of its source"));
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  const auto status = railgauge::Run({argv + 1, argv + argc});
  if (status) return *status;
  fmt::print(stderr, "{}\n", status.error().ToString());
  return 2;
}
