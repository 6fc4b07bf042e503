// A census that may be published: one JSON object with what is of interest to everybody (devices,
// topology, interconnect ids, software versions) and nothing that tells whose machine it is.
//
// What goes out is on a list; all else stays, whatever is added to a run later. Free text (reasons,
// findings) is kept, less what may name somebody: the given names, instance, image and account ids,
// network addresses, and paths outside of /sys, /proc and /dev.
#ifndef RAILGAUGE_LIB_REPORT_PUBLISHED_CENSUS_H_
#define RAILGAUGE_LIB_REPORT_PUBLISHED_CENSUS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/record/records.h"
#include "lib/report/run_json.h"

namespace railgauge {

struct PublishOptions {
  // Names that the text must not hold: of the host, of users. Those of `info` are so by themselves.
  std::vector<std::string> secrets;
  // Tell instances apart by a hash of their id. It cannot be undone, but who knows an id can
  // compute its hash.
  bool hash_instance_id = false;
};

// The file's content: indented, keys always in the same order.
std::string PublishedCensus(const RunInfo& info, std::span<const CensusRow> census,
                            std::span<const Finding> findings, const PublishOptions& options);

// `text` without what may name somebody: "HOST", "USER/…"; each is replaced by a word in capitals.
std::string WithoutNames(std::string_view text, std::span<const std::string> secrets);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_PUBLISHED_CENSUS_H_
