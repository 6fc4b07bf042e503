// RunIndex: which runs the census.csv and samples.csv of a directory hold, and where their rows
// are: so that a directory of a thousand hosts is judged run by run, with one run in memory.
//
// A run is identified by its run_id and its host: a thousand hosts that begin in one second share
// ids.
#ifndef RAILGAUGE_LIB_REPORT_RUN_INDEX_H_
#define RAILGAUGE_LIB_REPORT_RUN_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/row_stream.h"

namespace railgauge {

// Rows of one run, one behind the other.
struct RowPiece {
  RecordStream::Place begin;
  uint64_t rows = 0;
};

struct IndexedRun {
  RunIdentity run;
  std::vector<RowPiece> census;  // empty: census.csv has none
  std::vector<RowPiece> samples;
};

// Rows of a run usually are one piece. Rows of runs in turn would be as many pieces as rows.
inline constexpr size_t kMaxPieces = 100'000;

// What is made of a file that is not there: nothing to index or read, or an error.
enum class Absent { kIsError, kIsEmpty };

// The runs of both files in the order in which they appear, those of census.csv first. It reads
// both once, keeps no row, and needs memory for the runs and pieces alone. Rows that begin as the
// one before are told apart by that alone: what is wrong behind that is found when they are read.
// Errors, with file and line: what RecordStream finds, one run with two machines, more than
// `max_pieces` pieces.
Result<std::vector<IndexedRun>> IndexRuns(const std::string& census_path,
                                          const std::string& samples_path,
                                          size_t max_pieces = kMaxPieces,
                                          Absent absent = Absent::kIsError);

// Whether the file at `path` can be read and ends inside a line, which readers drop: a crash cut it
// off while the row was written, or it was copied in part.
bool EndsInsideLine(const std::string& path);

// A row and the line where it begins.
template <typename Row>
struct RecordedRow {
  Row row;
  size_t line = 0;
};

// The rows of a run, read from the files that were indexed.
struct RecordedRun {
  RunIdentity run;
  std::string census_path;
  std::string samples_path;
  std::vector<RecordedRow<CensusRow>> census;
  std::vector<RecordedRow<Sample>> samples;
};

// Reads runs by their index, with both files open.
class RunReader {
 public:
  static Result<RunReader> Open(const std::string& census_path, const std::string& samples_path,
                                Absent absent = Absent::kIsError);

  // An Error where a field is no value of its column.
  Result<RecordedRun> Read(const IndexedRun& run);

 private:
  RunReader(RowStream<CensusRow> census, RowStream<Sample> samples)
      : census_(std::move(census)), samples_(std::move(samples)) {}

  RowStream<CensusRow> census_;
  RowStream<Sample> samples_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_RUN_INDEX_H_
