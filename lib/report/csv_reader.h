// A strict reader of RFC 4180 CSV, for decision files and for our own reports.
//
// Strict, because a decision that is half understood gives a wrong verdict: what does not follow
// the RFC is an error with file and line, never a guess. Both LF and CRLF end a record, and a UTF-8
// byte order mark at the start is skipped (spreadsheets write one).
#ifndef RAILGAUGE_LIB_REPORT_CSV_READER_H_
#define RAILGAUGE_LIB_REPORT_CSV_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

struct CsvRecord {
  size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

struct CsvDialect {
  // Lines that begin with '#', and lines of blanks only, are skipped. For files that people write.
  bool comments = false;
  // What follows the last line end is dropped instead of read: a row that a crash cut off.
  bool drop_unfinished_line = false;
};

// The records of `content`; `file_name` is for messages only. Every record has at least one field
// (an empty line is one empty field); that all have the same number is the caller's rule.
Result<std::vector<CsvRecord>> ParseCsv(std::string_view content, const std::string& file_name,
                                        CsvDialect dialect = {});

// An Error about `file_name`:`line`.
Error CsvError(const std::string& file_name, size_t line, std::string reason,
               std::string advice = "");

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_CSV_READER_H_
