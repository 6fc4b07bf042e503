// CsvStream: the records of a report file one by one, in a buffer of fixed size, however large the
// file is. (A decision file is read as a whole: csv_reader.h.)
//
// A last line without a line end is what a crash cut off while the row was written, and is dropped.
#ifndef RAILGAUGE_LIB_REPORT_CSV_STREAM_H_
#define RAILGAUGE_LIB_REPORT_CSV_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/report/csv_record.h"

namespace railgauge {

class CsvStream {
 public:
  // Where a record begins.
  struct Position {
    uint64_t offset = 0;
    size_t line = 1;
  };

  // Of the regular file at `path`; anything else is an error, since a reader may come back to a
  // row.
  static Result<CsvStream> Open(const std::string& path);
  // Of a text, which must outlive it; `name` is for messages.
  static CsvStream OfText(std::string_view text, std::string name);

  // Goes to the next record; false at the end.
  Result<bool> Next();

  // Of the record: views that hold until the next call.
  const std::vector<std::string_view>& fields() const { return fields_.fields(); }
  // Its bytes, with the line end.
  std::string_view bytes() const { return text_.substr(begin_ - size_, size_); }
  const Position& position() const { return position_; }

  // Passes over the records at hand that begin with `prefix` and have no quotes, one to a line,
  // without a look at their fields; returns their number. 0 also where more must be read first.
  size_t PassOver(std::string_view prefix);

  // Makes the record at `position` of the same file the next one.
  void Seek(const Position& position);

  const std::string& name() const { return name_; }
  // Whether the file was seen to end inside a line.
  bool cut_off() const { return cut_off_; }

 private:
  CsvStream(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  // The bytes that were read and not taken.
  std::string_view rest() const { return text_.substr(begin_); }
  // Reads more behind them.
  Status Fill();

  std::string name_;
  UniqueFd fd_;
  std::vector<char> buffer_;
  std::string_view text_;  // the part of the file that is at hand, in `buffer_` or the given text
  size_t begin_ = 0;       // of the next record, in it
  size_t size_ = 0;        // of the record, which is before that
  uint64_t read_offset_ = 0;  // in the file, of what comes behind it
  bool at_end_ = false;       // nothing comes behind it
  bool cut_off_ = false;
  Position position_;
  size_t next_line_ = 1;
  CsvFields fields_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_CSV_STREAM_H_
