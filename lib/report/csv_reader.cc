#include "lib/report/csv_reader.h"

#include <algorithm>

namespace railgauge {
namespace {

// The size of the line at the beginning of `text`, with its end, where it is a comment or blank.
size_t SizeOfComment(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t first = line.find_first_not_of(" \t\r");
  if (first != std::string_view::npos && line[first] != '#') return 0;
  return std::min(text.size(), line.size() + 1);
}

}  // namespace

Result<std::vector<CsvRecord>> ParseCsv(std::string_view content, const std::string& file_name,
                                        CsvDialect dialect) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  std::vector<CsvRecord> records;
  CsvFields fields;
  size_t line = 1;
  while (!content.empty()) {
    if (const size_t comment = dialect.comments ? SizeOfComment(content) : 0; comment > 0) {
      content.remove_prefix(comment);
      ++line;
      continue;
    }
    RAILGAUGE_ASSIGN_OR_RETURN(const size_t size,
                               fields.Take(content, CsvFields::End::kOfFile, line, file_name));
    records.push_back({line, {fields.fields().begin(), fields.fields().end()}});
    content.remove_prefix(size);
    line += fields.lines();
  }
  return records;
}

}  // namespace railgauge
