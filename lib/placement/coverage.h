// Coverage: whether what a consumer's verdict rests on was measured, and where not, why and what to
// do about it. An OK without it would be a claim about nothing.
#ifndef RAILGAUGE_LIB_PLACEMENT_COVERAGE_H_
#define RAILGAUGE_LIB_PLACEMENT_COVERAGE_H_

#include <optional>
#include <string>

#include "lib/placement/decision.h"
#include "lib/placement/evidence.h"
#include "lib/record/records.h"

namespace railgauge {

struct Coverage {
  bool measured = false;           // some of it
  std::optional<Verdict> verdict;  // INVALID or UNDECIDED where something that is needed is missing
  std::string sentence;            // why, and what to do; without a verdict a remark, or empty
};

// Of the chosen NICs in one operation: both directions of every one must have been measured, unless
// none of them can do it.
Coverage CoverageOfChosen(const Evidence& evidence, const Assignment& assignment,
                          Operation operation);

// Of the NICs that could take their place: some must have been measured, and of those that were
// planned none may be missing in a dimension that is judged.
Coverage CoverageOfOthers(const Evidence& evidence, const Assignment& assignment);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_COVERAGE_H_
