#include "lib/report/report_csv.h"

#include "fmt/core.h"
#include "lib/base/counted.h"

namespace railgauge::internal {

Result<std::vector<CsvRecord>> ParseRecords(std::string_view content, const std::string& file_name,
                                            const std::vector<std::string>& header) {
  RAILGAUGE_ASSIGN_OR_RETURN(std::vector<CsvRecord> records,
                             ParseCsv(content, file_name, {.drop_unfinished_line = true}));
  if (records.empty()) return Fail(CsvError(file_name, 1, "there is no header line"));
  const std::vector<std::string> found = std::move(records.front().fields);
  records.erase(records.begin());
  for (size_t i = 0; i < header.size(); ++i) {
    if (i < found.size() && found[i] == header[i]) continue;
    return Fail(CsvError(file_name, 1,
                         fmt::format("column {} is '{}' and must be '{}'", i + 1,
                                     i < found.size() ? Printable(found[i]) : "", header[i]),
                         "Give a report file of railgauge as it was written"));
  }
  const std::string version = std::to_string(kSchemaVersion);
  for (const CsvRecord& record : records) {
    if (record.fields.size() != found.size()) {
      return Fail(CsvError(file_name, record.line,
                           fmt::format("the row has {} and the header {}",
                                       Counted(record.fields.size(), "field"), found.size())));
    }
    if (record.fields[0] != version) {
      return Fail(CsvError(file_name, record.line,
                           fmt::format("schema_version is '{}' and this program reads {}",
                                       Printable(record.fields[0]), version)));
    }
  }
  return records;
}

Status SameRun(const RunIdentity& first, const RunIdentity& run, const std::string& file_name,
               size_t line) {
  std::vector<std::string> a, b;
  PrintFields(first, a);
  PrintFields(run, b);
  if (a == b) return {};
  return Fail(CsvError(file_name, line,
                       fmt::format("the row is of run '{}' and the rows above are of run '{}'",
                                   Printable(run.run_id), Printable(first.run_id)),
                       "Give one run at a time"));
}

}  // namespace railgauge::internal
