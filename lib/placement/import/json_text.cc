#include "lib/placement/import/json_text.h"

#include "lib/report/bounded_json.h"

namespace railgauge {

Result<nlohmann::ordered_json> ParseJson(const ImportSource& source) {
  return ParseBoundedJson<nlohmann::ordered_json>(
      source.content, source.file_name,
      "Give the file as it was written: it may be cut off, or another one");
}

}  // namespace railgauge
