// Report rows to CSV text and back, by the tables of schema.h.
#ifndef RAILGAUGE_LIB_REPORT_REPORT_CSV_H_
#define RAILGAUGE_LIB_REPORT_REPORT_CSV_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/csv_writer.h"
#include "lib/report/row_stream.h"
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

// Reads the `content` of a report file of one run as RowStream does; `file_name` is for messages.
// Rows of two runs in one file are an error. A file that may be large or have many runs is read by
// row_stream.h.
template <typename Row>
Result<Recorded<Row>> ParseReport(std::string_view content, const std::string& file_name);

// ---- implementation ----

namespace internal {

// Appends the fields of `row`.
template <typename Row>
void PrintFields(const Row& row, std::vector<std::string>& fields) {
  for (const Column<Row>& column : ColumnsOf<Row>()) fields.push_back(column.print(row));
}

// An error when a row's run is not that of the rows before.
Status SameRun(const RunIdentity& first, const RunIdentity& run, const std::string& file_name,
               size_t line);

}  // namespace internal

template <typename Row>
std::string CsvHeader() {
  return CsvLine(HeaderFields<Row>());
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
  RowStream<Row> stream(CsvStream::OfText(content, file_name));
  Recorded<Row> recorded;
  while (true) {
    RAILGAUGE_ASSIGN_OR_RETURN(const bool there, stream.Next());
    if (!there) return recorded;
    if (recorded.rows.empty()) recorded.run = stream.run();
    RAILGAUGE_RETURN_IF_ERROR(
        internal::SameRun(recorded.run, stream.run(), file_name, stream.position().line));
    RAILGAUGE_ASSIGN_OR_RETURN(Row row, stream.Parse());
    recorded.rows.push_back(std::move(row));
  }
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_REPORT_CSV_H_
