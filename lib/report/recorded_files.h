// The files that a run directory holds, by name: what check, load and census record, and what
// nobody may write over afterwards. Others (a page, a topology with notes) may lie beside them.
#ifndef RAILGAUGE_LIB_REPORT_RECORDED_FILES_H_
#define RAILGAUGE_LIB_REPORT_RECORDED_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

const std::vector<std::string_view>& RecordedFileNames();

// An Error where one of them in `directory` is there and no regular file: a pipe would be waited
// for, and a device may have no end.
Status CheckRecordedFiles(const std::string& directory);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_RECORDED_FILES_H_
