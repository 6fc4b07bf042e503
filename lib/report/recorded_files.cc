#include "lib/report/recorded_files.h"

#include "lib/base/file.h"
#include "lib/report/schema.h"

namespace railgauge {

const std::vector<std::string_view>& RecordedFileNames() {
  static const std::vector<std::string_view> kNames = {FileNameOf<CensusRow>(),
                                                       FileNameOf<Sample>(),
                                                       FileNameOf<SummaryRow>(),
                                                       FileNameOf<PlacementRow>(),
                                                       FileNameOf<AssignmentRow>(),
                                                       FileNameOf<InterconnectRow>(),
                                                       FileNameOf<Finding>(),
                                                       FileNameOf<GroupRow>(),
                                                       "run.json",
                                                       "topology.xml"};
  return kNames;
}

Status CheckRecordedFiles(const std::string& directory) {
  for (const std::string_view name : RecordedFileNames()) {
    RAILGAUGE_RETURN_IF_ERROR(CheckRegularFile(directory + "/" + std::string(name)));
  }
  return {};
}

}  // namespace railgauge
