// RunTable: a file of a run directory beside census.csv and samples.csv, read back and held against
// the run whose it must be. All commands that show or use such a file read it through this.
#ifndef RAILGAUGE_LIB_PLACEMENT_RUN_TABLE_H_
#define RAILGAUGE_LIB_PLACEMENT_RUN_TABLE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/table_rules.h"
#include "lib/report/report_file.h"
#include "lib/report/row_stream.h"
#include "lib/topology/machine.h"

namespace railgauge {

namespace internal {

// OK, or that rows of `found` stand in line `line` of the file at `path` beside those of `run`.
Status CheckSameRun(const RunIdentity& found, const RunIdentity& run, const std::string& path,
                    size_t line);
// OK, or that `machine` lacks one of them; none is looked for where it is null.
Status CheckNicsAreThere(const std::vector<NicKey>& nics, const Machine* machine,
                         const std::string& path, size_t line);
Error CutOff(const std::string& path);
Error BadRow(const std::string& path, size_t line, std::string reason);
Error DoubledRow(const std::string& path, size_t line, size_t before);

}  // namespace internal

// The rows of Row's file in `directory`. Errors, with file and line: it cannot be read or ends
// inside a line; rows of another run than `run` (of none where that has no run_id); a row that
// WhyNeverWritten tells of, or is about the same as one before; a NIC that `machine` does not have.
template <typename Row>
Result<std::vector<Row>> ReadRunTable(const std::string& directory, const RunIdentity& run,
                                      const Machine* machine) {
  const std::string path = ReportPath<Row>(directory);
  RAILGAUGE_ASSIGN_OR_RETURN(RowStream<Row> stream, RowStream<Row>::Open(path));
  std::vector<Row> rows;
  std::map<std::string, size_t> lines;  // by key
  while (true) {
    RAILGAUGE_ASSIGN_OR_RETURN(const bool there, stream.Next());
    if (!there) break;
    const size_t line = stream.position().line;
    RAILGAUGE_RETURN_IF_ERROR(internal::CheckSameRun(stream.run(), run, path, line));
    RAILGAUGE_ASSIGN_OR_RETURN(Row row, stream.Parse());
    if (auto why = WhyNeverWritten(row)) {
      return Fail(internal::BadRow(path, line, *std::move(why)));
    }
    const auto [before, is_new] = lines.try_emplace(KeyOf(row), line);
    if (!is_new) return Fail(internal::DoubledRow(path, line, before->second));
    RAILGAUGE_RETURN_IF_ERROR(internal::CheckNicsAreThere(NicsOf(row), machine, path, line));
    rows.push_back(std::move(row));
  }
  if (stream.cut_off()) return Fail(internal::CutOff(path));
  return rows;
}

// OK, or that one of these files in `directory` cannot be read or begins with a row of another run:
// then somebody mixed directories. Files that are not there are none.
Status CheckTablesAreOf(const RunIdentity& run, const std::string& directory);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_RUN_TABLE_H_
