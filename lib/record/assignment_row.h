// assignment.csv: the verdict on a whole assignment, of all its consumers together.
//
// Apart from records.h because it is about several consumers: aggregates never stand among what
// they are made of, so that a table of consumers counts none twice.
#ifndef RAILGAUGE_LIB_RECORD_ASSIGNMENT_ROW_H_
#define RAILGAUGE_LIB_RECORD_ASSIGNMENT_ROW_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

struct AssignmentRow {
  std::string decision;  // "policy nearest", or the file's path
  Verdict verdict = Verdict::kUndecided;
  uint64_t consumer_count = 0;
  uint64_t ok_count = 0;                      // of these, whose rows are all OK
  std::optional<MemoryPlace> worst_consumer;  // empty where the verdict is OK, or there is none
  // Of the consumers' regrets, where each of them has one: the greatest, since who is slowest keeps
  // the others waiting, and the mean.
  std::optional<double> regret_max;
  std::optional<double> regret_mean;
  std::string reason;  // one sentence that a person can act on
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_RECORD_ASSIGNMENT_ROW_H_
