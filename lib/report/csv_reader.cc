#include "lib/report/csv_reader.h"

#include <algorithm>
#include <utility>

#include "fmt/core.h"

namespace railgauge {

Error CsvError(const std::string& file_name, size_t line, std::string reason, std::string advice) {
  return MakeError("read", fmt::format("{}:{}", file_name, line), std::move(reason),
                   std::move(advice));
}

namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& file_name, CsvDialect dialect)
      : text_(text), file_name_(file_name), dialect_(dialect) {}

  Result<std::vector<CsvRecord>> Parse() {
    std::vector<CsvRecord> records;
    while (position_ < text_.size()) {
      if (dialect_.comments && SkipComment()) continue;
      CsvRecord record{line_, {}};
      RAILGAUGE_RETURN_IF_ERROR(ParseRecord(record.fields));
      records.push_back(std::move(record));
    }
    return records;
  }

 private:
  bool AtEnd() const { return position_ == text_.size(); }

  // Takes a line end, if one is here.
  bool TakeLineEnd() {
    const std::string_view rest = text_.substr(position_);
    if (!rest.starts_with('\n') && !rest.starts_with("\r\n")) return false;
    position_ += rest.starts_with('\n') ? 1 : 2;
    ++line_;
    return true;
  }

  bool SkipComment() {
    const std::string_view line = text_.substr(position_, text_.find('\n', position_) - position_);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return false;
    position_ = std::min(text_.size(), position_ + line.size() + 1);
    ++line_;
    return true;
  }

  Status ParseRecord(std::vector<std::string>& fields) {
    while (true) {
      std::string field;
      RAILGAUGE_RETURN_IF_ERROR(text_.substr(position_).starts_with('"') ? ParseQuoted(field)
                                                                         : ParsePlain(field));
      fields.push_back(std::move(field));
      if (AtEnd() || TakeLineEnd()) return {};
      if (text_[position_] != ',') {
        return Fail(CsvError(file_name_, line_, "there is text after a closing quote"));
      }
      ++position_;
    }
  }

  Status ParsePlain(std::string& field) {
    const size_t end = std::min(text_.size(), text_.find_first_of(",\r\n\"", position_));
    field = text_.substr(position_, end - position_);
    position_ = end;
    if (AtEnd() || text_[end] == ',' || text_[end] == '\n') return {};
    if (text_[end] == '"') {
      return Fail(CsvError(file_name_, line_, "there is a quote inside a field without quotes",
                           "Put the field in quotes and write the quote inside it twice"));
    }
    if (text_.substr(end).starts_with("\r\n")) return {};
    return Fail(CsvError(file_name_, line_, "there is a carriage return inside a line"));
  }

  Status ParseQuoted(std::string& field) {
    const size_t opened = line_;
    ++position_;
    while (!AtEnd()) {
      const char c = text_[position_++];
      if (c == '"') {
        if (AtEnd() || text_[position_] != '"') return {};
        ++position_;
      }
      if (c == '\n') ++line_;
      field += c;
    }
    return Fail(CsvError(file_name_, opened, "a quote is opened and never closed"));
  }

  const std::string_view text_;
  const std::string& file_name_;
  const CsvDialect dialect_;
  size_t position_ = 0;
  size_t line_ = 1;
};

}  // namespace

Result<std::vector<CsvRecord>> ParseCsv(std::string_view content, const std::string& file_name,
                                        CsvDialect dialect) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  if (dialect.drop_unfinished_line) content = content.substr(0, content.rfind('\n') + 1);
  const auto binary = std::find_if(content.begin(), content.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\r' && c != '\n') || byte == 0x7f;
  });
  if (binary != content.end()) {
    const auto line = static_cast<size_t>(std::count(content.begin(), binary, '\n')) + 1;
    return Fail(CsvError(file_name, line, "it holds bytes that no text has, so it is no CSV file"));
  }
  return Parser(content, file_name, dialect).Parse();
}

}  // namespace railgauge
