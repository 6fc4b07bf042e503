// JSON that others wrote, parsed by nlohmann_json; an error names file and line.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_JSON_TEXT_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_JSON_TEXT_H_

#include "lib/base/result.h"
#include "lib/placement/import/import_source.h"
#include "nlohmann/json.hpp"

namespace railgauge {

// Nesting is bounded, since what walks the value recurses.
Result<nlohmann::ordered_json> ParseJson(const ImportSource& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_JSON_TEXT_H_
