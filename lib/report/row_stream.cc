#include "lib/report/row_stream.h"

#include "fmt/core.h"
#include "lib/base/quoted.h"

namespace railgauge {
namespace {

constexpr char kAsWritten[] = "Give a report file of railgauge as it was written";

// Of the columns of the run, in the row's fields.
constexpr size_t kFirstOfRun = 1;

// The first `fields` fields of a row, with their separators; empty where one of them is quoted.
std::string PrefixOf(std::string_view row, size_t fields) {
  size_t size = 0;
  while (fields > 0 && size < row.size() && row[size] != '"') {
    if (row[size++] == ',') --fields;
  }
  return fields == 0 ? std::string(row.substr(0, size)) : std::string();
}

}  // namespace

Error RecordStream::ErrorHere(std::string reason) const {
  return CsvError(name(), position().line, std::move(reason), kAsWritten);
}

Status RecordStream::TakeHeader() {
  const std::vector<std::string_view>& found = fields();
  for (size_t i = 0; i < header_.size(); ++i) {
    if (i < found.size() && found[i] == header_[i]) continue;
    return Fail(ErrorHere(fmt::format("column {} is '{}' and must be '{}'", i + 1,
                                      i < found.size() ? Shortened(found[i]) : "", header_[i])));
  }
  field_count_ = found.size();
  return {};
}

Status RecordStream::CheckRow() const {
  if (fields().size() != field_count_) {
    return Fail(ErrorHere(
        fmt::format("the row has {} fields and the header {}", fields().size(), field_count_)));
  }
  static const std::string kVersion = std::to_string(kSchemaVersion);
  if (fields()[0] == kVersion) return {};
  return Fail(ErrorHere(fmt::format("schema_version is '{}' and this program reads {}",
                                    Shortened(fields()[0]), kVersion)));
}

// Every value of these columns is a text, as it stands there.
void RecordStream::TakeRun() {
  const std::string* const known[] = {&run_.run_id, &run_.host, &run_.instance_id,
                                      &run_.instance_type, &run_.platform};
  is_new_run_ = !any_run_;
  for (size_t i = 0; i < std::size(known) && !is_new_run_; ++i) {
    is_new_run_ = *known[i] != fields()[kFirstOfRun + i];
  }
  if (!is_new_run_) return;
  any_run_ = true;
  size_t at = kFirstOfRun;
  for (const Column<RunIdentity>& column : ColumnsOf<RunIdentity>()) {
    column.parse(fields()[at++], run_);
  }
  prefix_ = PrefixOf(stream_.bytes(), at);
}

Result<bool> RecordStream::Next() {
  while (true) {
    RAILGAUGE_ASSIGN_OR_RETURN(const bool there, stream_.Next());
    if (!there && field_count_ == 0) {
      return Fail(CsvError(name(), 1, "there is no header line", kAsWritten));
    }
    if (!there) return false;
    if (field_count_ == 0 || fields()[0] == header_[0]) {
      RAILGAUGE_RETURN_IF_ERROR(TakeHeader());
      continue;
    }
    RAILGAUGE_RETURN_IF_ERROR(CheckRow());
    TakeRun();
    return true;
  }
}

}  // namespace railgauge
