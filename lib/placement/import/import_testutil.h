// For tests of importers: a decision as short text, and an import's error.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_TESTUTIL_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_TESTUTIL_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/placement/import/import_source.h"
#include "lib/topology/machine.h"

namespace railgauge {

// "53: 4f 50; numa0: 60" where "4f" is 0000:4f:00.0 and "10.1b" is 0000:10:1b.0; "error: …" for an
// error.
std::string Lines(const Result<Decision>& decision);

// The importer's result on `content`, called "f".
using Importer = Result<Decision> (*)(const ImportSource&);
std::string ImportLines(Importer importer, std::string_view content, const Machine& machine,
                        const std::vector<PciAddress>& cuda_order = {});

// Calls `check` with what damage makes of `content`: every prefix of it (in steps, when it is
// long), and it with a byte of each hundred changed to several values.
void ForDamaged(const std::string& content, const std::function<void(const std::string&)>& check);

// Expects that the importer answers `content`, damaged, with a decision or with one line that names
// file and line.
void ExpectNoHarm(Importer importer, const std::string& content, const Machine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_TESTUTIL_H_
