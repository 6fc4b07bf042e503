// A report file of a run directory, read whole. One that may be large or have many runs is read by
// row_stream.h.
#ifndef RAILGAUGE_LIB_REPORT_REPORT_FILE_H_
#define RAILGAUGE_LIB_REPORT_REPORT_FILE_H_

#include <unistd.h>

#include <cstddef>
#include <string>

#include "lib/base/file.h"
#include "lib/base/result.h"
#include "lib/report/report_csv.h"

namespace railgauge {

template <typename Row>
std::string ReportPath(const std::string& directory) {
  return directory + "/" + std::string(FileNameOf<Row>());
}

template <typename Row>
bool HasReport(const std::string& directory) {
  return ::access(ReportPath<Row>(directory).c_str(), F_OK) == 0;
}

// Errors: as of ReadRegularFile and ParseReport.
template <typename Row>
Result<Recorded<Row>> ReadReport(const std::string& directory, size_t max_bytes = size_t{4} << 30) {
  const std::string path = ReportPath<Row>(directory);
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadRegularFile(path, max_bytes));
  return ParseReport<Row>(content, path);
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_REPORT_FILE_H_
