// One record of RFC 4180 CSV, cut out of a text that may be the beginning of a longer one: the
// grammar that readers of whole texts and of streams share.
//
// Strict: what does not follow the RFC is an error with file and line, never a guess. Both LF and
// CRLF end a record.
#ifndef RAILGAUGE_LIB_REPORT_CSV_RECORD_H_
#define RAILGAUGE_LIB_REPORT_CSV_RECORD_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

// An Error about `file_name`:`line`.
Error CsvError(const std::string& file_name, size_t line, std::string reason,
               std::string advice = "");

// Cuts records into fields. It is kept from record to record, so that none of them allocates.
class CsvFields {
 public:
  enum class End {
    kOfText,  // more text may follow: what is there may be part of a record only
    kOfFile,  // the end of the text ends a record, too
  };

  // Takes the record at the beginning of `text`, which is in line `line`, and returns its size with
  // its line end; 0 where the record may go on behind `text`. `file_name` is for messages.
  Result<size_t> Take(std::string_view text, End end, size_t line, const std::string& file_name);

  // Of the record taken last: views into its text and into this. There is at least one.
  const std::vector<std::string_view>& fields() const { return fields_; }
  // The line ends that it has.
  size_t lines() const { return lines_; }

 private:
  enum class Stop { kField, kRecord, kEndOfText, kBinary, kReturn, kQuote, kAfterQuote };

  Stop TakePlain(std::string_view text, size_t& position);
  Stop TakeQuoted(std::string_view text, size_t& position);
  Stop StopAt(std::string_view text, size_t& position, Stop otherwise);
  void PlaceUnquoted();

  struct Unquoted {
    size_t field = 0;
    size_t begin = 0;
    size_t size = 0;
  };

  std::vector<std::string_view> fields_;
  std::string unquoted_;  // the content of quoted fields, one behind the other
  std::vector<Unquoted> unquoted_fields_;
  size_t lines_ = 0;
  bool never_closed_ = false;  // the text ends inside quotes
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_CSV_RECORD_H_
