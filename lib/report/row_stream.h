// RowStream: the rows of a report file one by one, whatever number of them and of runs the file
// has.
//
// A file of many runs is what `cat run-*/samples.csv` makes, so a header line may come again where
// a run begins. Columns behind the known ones (appended by a newer version) are passed over.
#ifndef RAILGAUGE_LIB_REPORT_ROW_STREAM_H_
#define RAILGAUGE_LIB_REPORT_ROW_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/quoted.h"
#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/csv_stream.h"
#include "lib/report/schema.h"

namespace railgauge {

// What rows of every kind have in common: the header, the schema's version and the run.
class RecordStream {
 public:
  // `header` are the names of the known columns.
  RecordStream(CsvStream stream, std::vector<std::string> header)
      : stream_(std::move(stream)), header_(std::move(header)) {}

  // Goes to the next row; false at the end. Errors name the line: no or another header, a row of
  // another length or of another schema version.
  Result<bool> Next();

  // Passes over rows of the same run as the one that Next went to, as many as are at hand, by their
  // first bytes alone; returns their number. Whether they are rows is found when Next reads them.
  uint64_t PassOverRowsOfRun() { return prefix_.empty() ? 0 : stream_.PassOver(prefix_); }

  // Of the row: its run, and whether that is not the run of the row before (or of none).
  const RunIdentity& run() const { return run_; }
  bool is_new_run() const { return is_new_run_; }
  const CsvStream::Position& position() const { return stream_.position(); }
  const std::vector<std::string_view>& fields() const { return stream_.fields(); }

  // Where the row is, for Seek to make it the next one again.
  struct Place {
    CsvStream::Position position;
    size_t field_count = 0;  // of the header that it is below
  };
  Place place() const { return {position(), field_count_}; }
  void Seek(const Place& place) {
    stream_.Seek(place.position);
    field_count_ = place.field_count;
  }
  const std::string& name() const { return stream_.name(); }
  bool cut_off() const { return stream_.cut_off(); }
  // An Error about the row's line.
  Error ErrorHere(std::string reason) const;

 private:
  Status TakeHeader();
  Status CheckRow() const;
  void TakeRun();

  CsvStream stream_;
  std::vector<std::string> header_;
  size_t field_count_ = 0;  // of the file's header; 0 before it
  RunIdentity run_;
  std::string prefix_;  // what rows of the run begin with, up to their own columns
  bool any_run_ = false;
  bool is_new_run_ = false;
};

// The names of all columns of Row's file.
template <typename Row>
std::vector<std::string> HeaderFields() {
  std::vector<std::string> names = {"schema_version"};
  for (const auto& column : ColumnsOf<RunIdentity>()) names.emplace_back(column.name);
  for (const auto& column : ColumnsOf<Row>()) names.emplace_back(column.name);
  return names;
}

template <typename Row>
class RowStream : public RecordStream {
 public:
  explicit RowStream(CsvStream stream) : RecordStream(std::move(stream), HeaderFields<Row>()) {}

  static Result<RowStream> Open(const std::string& path) {
    RAILGAUGE_ASSIGN_OR_RETURN(CsvStream stream, CsvStream::Open(path));
    return RowStream(std::move(stream));
  }

  // The row that Next went to. An Error where a field is no value of its column.
  Result<Row> Parse() const {
    Row row;
    size_t at = 1 + ColumnsOf<RunIdentity>().size();
    for (const Column<Row>& column : ColumnsOf<Row>()) {
      const std::string_view field = fields()[at++];
      if (column.parse(field, row)) continue;
      return Fail(ErrorHere(Quoted(field) + " is no value of column " + std::string(column.name)));
    }
    return row;
  }
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_ROW_STREAM_H_
