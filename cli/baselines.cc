#include "cli/baselines.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/quoted.h"
#include "lib/record/comparison_row.h"
#include "lib/report/comparison_schema.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

RunReadings ReadingsOf(const LoadedRun& loaded) {
  return ReadingsOf(loaded.run, *loaded.machine, loaded.census, loaded.samples, loaded.queue_pairs);
}

// How a message names a run: many may stand in one directory.
std::string NameOf(const LoadedRun& loaded, const std::string& path, bool many) {
  return many ? fmt::format("{} (run '{}')", path, Shortened(loaded.run.run_id)) : path;
}

void Append(std::vector<std::string> more, std::vector<std::string>& notes) {
  notes.insert(notes.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

}  // namespace

Result<Baseline> MakeBaselineOf(const std::vector<std::string>& paths, GivenTopologies& topologies,
                                std::vector<std::string>& notes) {
  BaselineMaker maker;
  Status status;
  for (const std::string& path : paths) {
    RAILGAUGE_RETURN_IF_ERROR(ForEachRun(
        path, topologies,
        [&](Result<LoadedRun> loaded, bool many) {
          if (!status) return;
          if (!loaded) {
            status = Fail(loaded.error());
            return;
          }
          Append(std::move(loaded->notes), notes);
          status = maker.Add(ReadingsOf(*loaded), NameOf(*loaded, path, many));
        },
        notes));
    RAILGAUGE_RETURN_IF_ERROR(status);
  }
  if (maker.disturbed() > 0) {
    notes.push_back(
        fmt::format("{} left out of the baseline: the measuring thread was kept from its CPU in "
                    "every window",
                    Counted(maker.disturbed(), "cell")));
  }
  return maker.Finish();
}

Result<Baseline> ReadBaseline(const std::string& path, GivenTopologies& topologies,
                              std::vector<std::string>& notes) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return MakeBaselineOf({path}, topologies, notes);
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  RAILGAUGE_ASSIGN_OR_RETURN(Recorded<BaselineRow> recorded,
                             ParseReport<BaselineRow>(content, path));
  if (!content.ends_with('\n')) {
    return Fail(MakeError("read baseline", path, "its last line is cut off",
                          "Make it again with railgauge baseline make"));
  }
  if (recorded.rows.empty()) {
    return Fail(MakeError("read baseline", path, "it has no row",
                          "Make it again with railgauge baseline make"));
  }
  return Baseline{std::move(recorded.run), std::move(recorded.rows)};
}

Result<RunReadings> ReadOneRun(const std::string& path, GivenTopologies& topologies,
                               std::vector<std::string>& notes) {
  RAILGAUGE_ASSIGN_OR_RETURN(LoadedRun loaded, LoadOneRun(path, topologies));
  Append(std::move(loaded.notes), notes);
  return ReadingsOf(loaded);
}

}  // namespace railgauge
