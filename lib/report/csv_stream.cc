#include "lib/report/csv_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fmt/core.h"
#include "lib/base/file_error.h"

namespace railgauge {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;
// Of one record. A row of ours has some hundred bytes; what is longer is another kind of file.
constexpr size_t kMaxRecordBytes = size_t{4} << 20;
// Spreadsheets write one at the beginning.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<CsvStream> CsvStream::Open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe that nobody writes would wait for ever.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    return Fail(FileError(FileUse::kRead, errno, "open", path,
                          errno == ENOENT ? "Give the directory of a run" : ""));
  }
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return Fail(FileError(FileUse::kRead, errno, "stat", path));
  if (!S_ISREG(status.st_mode)) {
    return Fail(
        MakeError("read", path, "it is not a regular file",
                  "Give a run directory, or one with the samples.csv and census.csv of many "
                  "runs"));
  }
  static_cast<void>(::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL));
  return CsvStream(path, std::move(fd));
}

CsvStream CsvStream::OfText(std::string_view text, std::string name) {
  CsvStream stream(std::move(name), UniqueFd());
  stream.text_ = text;
  stream.read_offset_ = text.size();
  stream.at_end_ = true;
  if (text.starts_with(kByteOrderMark)) stream.begin_ = kByteOrderMark.size();
  return stream;
}

Status CsvStream::Fill() {
  const size_t kept = rest().size();
  const bool is_beginning = read_offset_ == 0;
  if (kept > 0 && begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0;
  if (buffer_.size() - kept < kBufferBytes / 2) buffer_.resize(kept + kBufferBytes);
  size_t size = kept;
  while (size == kept && !at_end_) {
    const ssize_t n = ::pread(fd_.get(), buffer_.data() + size, buffer_.size() - size,
                              static_cast<off_t>(read_offset_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fail(FileError(FileUse::kRead, errno, "read", name_));
    at_end_ = n == 0;
    size += static_cast<size_t>(n);
    read_offset_ += static_cast<uint64_t>(n);
  }
  text_ = std::string_view(buffer_.data(), size);
  if (is_beginning && text_.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  return {};
}

Result<bool> CsvStream::Next() {
  while (true) {
    std::string_view text = rest();
    CsvFields::End end = CsvFields::End::kOfText;
    if (at_end_) {
      // Nothing behind the last line end counts, but quotes that span lines and never close are
      // told.
      text = text.substr(0, text.rfind('\n') + 1);
      cut_off_ = text.size() < rest().size();
      if (text.empty()) return false;
      end = CsvFields::End::kOfFile;
    } else if (text.size() > kMaxRecordBytes) {
      return Fail(CsvError(
          name_, next_line_,
          fmt::format("there is no line end in {} bytes, or quotes do not close", kMaxRecordBytes),
          "Give a report file of railgauge as it was written"));
    }
    RAILGAUGE_ASSIGN_OR_RETURN(const size_t size, fields_.Take(text, end, next_line_, name_));
    if (size > 0) {
      position_ = {read_offset_ - rest().size(), next_line_};
      begin_ += size;
      size_ = size;
      next_line_ += fields_.lines();
      return true;
    }
    RAILGAUGE_RETURN_IF_ERROR(Fill());
  }
}

size_t CsvStream::PassOver(std::string_view prefix) {
  size_t count = 0;
  size_ = 0;
  for (std::string_view text = rest(); text.starts_with(prefix); text = rest()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos || text.substr(0, end).find('"') != std::string_view::npos) {
      break;
    }
    begin_ += end + 1;
    ++next_line_;
    ++count;
  }
  return count;
}

void CsvStream::Seek(const Position& position) {
  next_line_ = position.line;
  // What is at hand often has it: pieces of one run lie one behind the other.
  const uint64_t at_hand = read_offset_ - text_.size();
  if (position.offset >= at_hand && position.offset <= read_offset_) {
    begin_ = position.offset - at_hand;
    return;
  }
  text_ = {};
  begin_ = 0;
  read_offset_ = position.offset;
  at_end_ = false;
}

}  // namespace railgauge
