// Report rows to CSV text and back, by the tables of schema.h.
#ifndef RAILGAUGE_LIB_REPORT_REPORT_CSV_H_
#define RAILGAUGE_LIB_REPORT_REPORT_CSV_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/csv_reader.h"
#include "lib/report/csv_writer.h"
#include "lib/report/schema.h"

namespace railgauge {

// The header line, with its line end.
template <typename Row>
std::string CsvHeader();

// One row's line, with its line end.
template <typename Row>
std::string CsvRow(const RunIdentity& run, const Row& row);

// Header and rows: the content of a whole file.
template <typename Row>
std::string CsvFile(const RunIdentity& run, std::span<const Row> rows);

// A report file read back.
template <typename Row>
struct Recorded {
  RunIdentity run;  // of the first row; all empty when there is no row
  std::vector<Row> rows;
};

// Reads the `content` of a report file; `file_name` is for messages. The header must begin with the
// columns known here, in order; later columns (appended by a newer version) are passed over. A last
// line without a line end is what a crash cut off, and is dropped. Rows of two runs in one file, a
// field that is no value of its column and a row of another length are errors with file and line.
template <typename Row>
Result<Recorded<Row>> ParseReport(std::string_view content, const std::string& file_name);

// ---- implementation ----

namespace internal {

// Appends the fields of `row`.
template <typename Row>
void PrintFields(const Row& row, std::vector<std::string>& fields) {
  for (const Column<Row>& column : ColumnsOf<Row>()) fields.push_back(column.print(row));
}

// Sets `row` from the fields of `record` that start at `first`.
template <typename Row>
Status ParseFields(const std::string& file_name, const CsvRecord& record, size_t first, Row& row) {
  for (const Column<Row>& column : ColumnsOf<Row>()) {
    const std::string& field = record.fields[first++];
    if (!column.parse(field, row)) {
      return Fail(
          CsvError(file_name, record.line,
                   "'" + Printable(field) + "' is no value of column " + std::string(column.name)));
    }
  }
  return {};
}

template <typename Row>
std::vector<std::string> HeaderFields() {
  std::vector<std::string> names = {"schema_version"};
  for (const auto& column : ColumnsOf<RunIdentity>()) names.emplace_back(column.name);
  for (const auto& column : ColumnsOf<Row>()) names.emplace_back(column.name);
  return names;
}

// The records of a report file whose header begins with `header`: all have as many fields as the
// file's header, and the known schema version. The header itself is left out.
Result<std::vector<CsvRecord>> ParseRecords(std::string_view content, const std::string& file_name,
                                            const std::vector<std::string>& header);

// An error when a row's run is not that of the rows before.
Status SameRun(const RunIdentity& first, const RunIdentity& run, const std::string& file_name,
               size_t line);

}  // namespace internal

template <typename Row>
std::string CsvHeader() {
  return CsvLine(internal::HeaderFields<Row>());
}

template <typename Row>
std::string CsvRow(const RunIdentity& run, const Row& row) {
  std::vector<std::string> fields = {std::to_string(kSchemaVersion)};
  internal::PrintFields(run, fields);
  internal::PrintFields(row, fields);
  return CsvLine(fields);
}

template <typename Row>
std::string CsvFile(const RunIdentity& run, std::span<const Row> rows) {
  std::string content = CsvHeader<Row>();
  for (const Row& row : rows) content += CsvRow(run, row);
  return content;
}

template <typename Row>
Result<Recorded<Row>> ParseReport(std::string_view content, const std::string& file_name) {
  RAILGAUGE_ASSIGN_OR_RETURN(
      const std::vector<CsvRecord> records,
      internal::ParseRecords(content, file_name, internal::HeaderFields<Row>()));
  const size_t first_of_row = 1 + ColumnsOf<RunIdentity>().size();
  Recorded<Row> recorded;
  for (const CsvRecord& record : records) {
    RunIdentity run;
    RAILGAUGE_RETURN_IF_ERROR(internal::ParseFields(file_name, record, 1, run));
    if (recorded.rows.empty()) recorded.run = run;
    RAILGAUGE_RETURN_IF_ERROR(internal::SameRun(recorded.run, run, file_name, record.line));
    Row row;
    RAILGAUGE_RETURN_IF_ERROR(internal::ParseFields(file_name, record, first_of_row, row));
    recorded.rows.push_back(std::move(row));
  }
  return recorded;
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_REPORT_CSV_H_
