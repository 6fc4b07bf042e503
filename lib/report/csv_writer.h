// CSV as RFC 4180 writes it, with two choices of ours: a line ends in LF alone (what every loader
// on Linux expects), and a record never spans lines, so that a file cut off by a crash is whole up
// to its last LF.
#ifndef RAILGAUGE_LIB_REPORT_CSV_WRITER_H_
#define RAILGAUGE_LIB_REPORT_CSV_WRITER_H_

#include <span>
#include <string>
#include <string_view>

namespace railgauge {

// `field` as it stands in a record: in quotes when it holds a comma, a quote or a blank at an end;
// control characters, line ends among them, become '?'.
std::string CsvField(std::string_view field);

// One record with its line end. A record must have at least one field.
std::string CsvLine(std::span<const std::string> fields);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_CSV_WRITER_H_
