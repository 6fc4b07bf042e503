#include "lib/report/csv_record.h"

#include <array>
#include <utility>

#include "fmt/core.h"

namespace railgauge {
namespace {

constexpr char kAsWritten[] =
    "Give a CSV file as it was written: this one may be cut off, or another";

// Bytes that no text has.
constexpr bool IsBinary(unsigned char byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n') || byte == 0x7f;
}

// What may end a field without quotes, for better or worse; one look per byte.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (size_t i = 0; i < stops.size(); ++i) {
    const auto byte = static_cast<unsigned char>(i);
    stops[i] = IsBinary(byte) || byte == ',' || byte == '"' || byte == '\r' || byte == '\n';
  }
  return stops;
}();

}  // namespace

Error CsvError(const std::string& file_name, size_t line, std::string reason, std::string advice) {
  return MakeError("read", fmt::format("{}:{}", file_name, line), std::move(reason),
                   std::move(advice));
}

// What is at `position`, behind a field; the separator is taken.
CsvFields::Stop CsvFields::StopAt(std::string_view text, size_t& position, Stop otherwise) {
  if (position == text.size()) return Stop::kEndOfText;
  const char c = text[position];
  if (c == ',') {
    ++position;
    return Stop::kField;
  }
  if (c == '\n') {
    ++position;
    ++lines_;
    return Stop::kRecord;
  }
  if (c == '\r') {
    if (position + 1 == text.size()) return Stop::kEndOfText;
    if (text[position + 1] != '\n') return Stop::kReturn;
    position += 2;
    ++lines_;
    return Stop::kRecord;
  }
  return IsBinary(static_cast<unsigned char>(c)) ? Stop::kBinary : otherwise;
}

CsvFields::Stop CsvFields::TakePlain(std::string_view text, size_t& position) {
  const size_t begin = position;
  const char* const data = text.data();
  const size_t size = text.size();
  size_t at = begin;
  while (at < size && !kStops[static_cast<unsigned char>(data[at])]) ++at;
  position = at;
  fields_.emplace_back(data + begin, at - begin);
  return StopAt(text, position, Stop::kQuote);
}

CsvFields::Stop CsvFields::TakeQuoted(std::string_view text, size_t& position) {
  const size_t begin = unquoted_.size();
  ++position;
  while (position < text.size()) {
    const char c = text[position];
    if (IsBinary(static_cast<unsigned char>(c))) return Stop::kBinary;
    ++position;
    if (c == '"') {
      if (position == text.size() || text[position] != '"') {
        unquoted_fields_.push_back({fields_.size(), begin, unquoted_.size() - begin});
        fields_.emplace_back();
        return StopAt(text, position, Stop::kAfterQuote);
      }
      ++position;
    }
    if (c == '\n') ++lines_;
    unquoted_ += c;
  }
  never_closed_ = true;
  return Stop::kEndOfText;
}

// Only when a record is whole does `unquoted_` no longer move.
void CsvFields::PlaceUnquoted() {
  for (const Unquoted& field : unquoted_fields_) {
    fields_[field.field] = std::string_view(unquoted_).substr(field.begin, field.size);
  }
}

Result<size_t> CsvFields::Take(std::string_view text, End end, size_t line,
                               const std::string& file_name) {
  fields_.clear();
  unquoted_.clear();
  unquoted_fields_.clear();
  lines_ = 0;
  never_closed_ = false;
  size_t position = 0;
  Stop stop = Stop::kField;
  size_t field_line = line;
  while (stop == Stop::kField) {
    field_line = line + lines_;
    stop = text.substr(position).starts_with('"') ? TakeQuoted(text, position)
                                                  : TakePlain(text, position);
  }
  const auto fail = [&](size_t at, const char* reason, const char* advice) {
    return Fail(CsvError(file_name, at, reason, advice));
  };
  switch (stop) {
    case Stop::kEndOfText:
      if (end == End::kOfText) return size_t{0};
      if (never_closed_) return fail(field_line, "a quote is opened and never closed", kAsWritten);
      if (position < text.size()) break;  // a carriage return is the last byte
      [[fallthrough]];
    case Stop::kField:
    case Stop::kRecord:
      PlaceUnquoted();
      return position;
    case Stop::kReturn:
      break;
    case Stop::kBinary:
      return fail(line + lines_, "it holds bytes that no text has, so it is no CSV file",
                  kAsWritten);
    case Stop::kQuote:
      return fail(line + lines_, "there is a quote inside a field without quotes",
                  "Put the field in quotes and write the quote inside it twice");
    case Stop::kAfterQuote:
      return fail(line + lines_, "there is text after a closing quote",
                  "Write a quote inside a field twice");
  }
  return fail(line + lines_, "there is a carriage return inside a line",
              "End lines with a line feed, alone or behind one carriage return");
}

}  // namespace railgauge
