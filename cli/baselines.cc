#include "cli/baselines.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/quoted.h"
#include "lib/compare/baseline_file.h"

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
  RunsSeen seen;
  for (const std::string& path : paths) {
    RAILGAUGE_RETURN_IF_ERROR(ForEachRun(
        path, topologies, seen,
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
  return ReadBaselineFile(path);
}

Result<RunReadings> ReadOneRun(const std::string& path, GivenTopologies& topologies,
                               std::vector<std::string>& notes) {
  RAILGAUGE_ASSIGN_OR_RETURN(LoadedRun loaded, LoadOneRun(path, topologies));
  Append(std::move(loaded.notes), notes);
  return ReadingsOf(loaded);
}

}  // namespace railgauge
