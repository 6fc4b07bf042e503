#include "lib/report/csv_writer.h"

#include "lib/base/result.h"

namespace railgauge {

std::string CsvField(std::string_view field) {
  const std::string text = Printable(field);
  // A leading '#' is quoted too: some readers take such a line for a comment.
  const bool quote = text.find_first_of(",\"") != std::string::npos || text.starts_with(' ') ||
                     text.ends_with(' ') || text.starts_with('#');
  if (!quote) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string CsvLine(std::span<const std::string> fields) {
  RAILGAUGE_CHECK(!fields.empty());
  std::string line;
  for (const std::string& field : fields) {
    if (&field != fields.data()) line += ',';
    line += CsvField(field);
  }
  return line + '\n';
}

}  // namespace railgauge
