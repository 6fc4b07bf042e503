// RunDirectory: where a run's files are written, so that nothing already measured is lost.
//
// samples.csv grows by one write(2) per row, and a row that could not be written whole is cut off
// again: after a crash, a full disk or an interrupt the file is whole up to its last finished row.
// The other files replace their old content atomically. Not thread-safe.
#ifndef RAILGAUGE_LIB_REPORT_RUN_DIRECTORY_H_
#define RAILGAUGE_LIB_REPORT_RUN_DIRECTORY_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/file.h"
#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/record/records.h"
#include "lib/report/report_csv.h"

namespace railgauge {

// "20250102T030405Z-00ff": the UTC second and four random digits, sortable by time.
std::string MakeRunId(std::chrono::system_clock::time_point start, uint32_t random);

class RunDirectory {
 public:
  // Makes the directory `path`, with the ones above it, and an empty samples.csv in it. An empty
  // `path` is "results/run-" and the run id. A directory that exists is taken only when it is
  // empty, so that no run is ever overwritten.
  static Result<RunDirectory> Create(const RunIdentity& run, const std::string& path = "");

  RunDirectory(RunDirectory&&) = default;
  RunDirectory& operator=(RunDirectory&&) = default;

  const std::string& path() const { return path_; }
  const RunIdentity& run() const { return run_; }

  // Adds a row to samples.csv. On return it is in the kernel's hands: only a crash of the machine
  // can lose it.
  Status Append(const Sample& sample);

  // Writes the whole file of these rows: census.csv, findings.csv, placement.csv, ….
  template <typename Row>
  Status Write(std::span<const Row> rows) {
    return WriteFile(FileNameOf<Row>(), CsvFile<Row>(run_, rows));
  }

  // Writes the file `name` of this directory atomically: run.json.
  Status WriteFile(std::string_view name, std::string_view content);

 private:
  RunDirectory(RunIdentity run, std::string path, UniqueFd samples)
      : run_(std::move(run)), path_(std::move(path)), samples_(std::move(samples)) {}

  // Appends `text` to samples.csv as a whole, or leaves the file as it was.
  Status AppendWhole(std::string_view text);

  RunIdentity run_;
  std::string path_;
  UniqueFd samples_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_RUN_DIRECTORY_H_
