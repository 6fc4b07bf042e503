// A strict reader of whole texts in RFC 4180 CSV (csv_record.h), for decision files: one that is
// half understood would give a wrong verdict. A UTF-8 byte order mark at the start is skipped
// (spreadsheets write one). Files that may be large are read by csv_stream.h.
#ifndef RAILGAUGE_LIB_REPORT_CSV_READER_H_
#define RAILGAUGE_LIB_REPORT_CSV_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/report/csv_record.h"

namespace railgauge {

struct CsvRecord {
  size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

struct CsvDialect {
  // Lines that begin with '#', and lines of blanks only, are skipped. For files that people write.
  bool comments = false;
};

// The records of `content`; `file_name` is for messages only. Every record has at least one field
// (an empty line is one empty field); that all have the same number is the caller's rule.
Result<std::vector<CsvRecord>> ParseCsv(std::string_view content, const std::string& file_name,
                                        CsvDialect dialect = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_CSV_READER_H_
