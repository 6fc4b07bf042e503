#include "lib/report/report_csv.h"

#include <span>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/quoted.h"

namespace railgauge::internal {

Status SameRun(const RunIdentity& first, const RunIdentity& run, const std::string& file_name,
               size_t line) {
  std::vector<std::string> a, b;
  PrintFields(first, a);
  PrintFields(run, b);
  if (a == b) return {};
  if (first.run_id != run.run_id) {
    return Fail(CsvError(file_name, line,
                         fmt::format("the row is of run '{}' and the rows above are of run '{}'",
                                     Shortened(run.run_id), Shortened(first.run_id)),
                         "Give one run at a time"));
  }
  size_t i = 0;
  while (a[i] == b[i]) ++i;
  return Fail(CsvError(file_name, line,
                       fmt::format("{} is '{}', and '{}' in the rows above of the same run '{}'",
                                   ColumnsOf<RunIdentity>()[i].name, Shortened(b[i]),
                                   Shortened(a[i]), Shortened(run.run_id)),
                       "Give the file as it was written: rows of different machines were mixed"));
}

}  // namespace railgauge::internal
