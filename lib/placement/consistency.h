// Consistency: whether recorded rows can be what a run wrote. Files are edited, mixed and cut off
// on their way to who judges them, and a verdict on such rows would be a claim about nothing.
//
// Pure. What no run can have written is an Error that names file and line, and the run is not
// judged. A window that its own columns contradict is marked as the contradicted windows of a run
// are, and costs the verdicts that need it (INVALID).
#ifndef RAILGAUGE_LIB_PLACEMENT_CONSISTENCY_H_
#define RAILGAUGE_LIB_PLACEMENT_CONSISTENCY_H_

#include <cstddef>
#include <optional>

#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/run_index.h"
#include "lib/topology/machine.h"

namespace railgauge {

// A status that contradicts the window, and why.
struct SelfContradiction {
  SampleStatus status = SampleStatus::kInvalid;
  std::string reason;
};

// Of a sample whose rate would be evidence (IsMeasured): its columns hold
//   payload = completions × size, throughput = payload / duration, posted ≥ payload;
//   `ok` has counters, and they agree with what was posted;
//   the rate crossed no line and no PCIe slot that is too slow for it.
// Empty when they do, and for any other sample.
std::optional<SelfContradiction> FindSelfContradiction(const Sample& sample);

// Marks the samples that contradict themselves, and returns their number. The reason names the
// line.
size_t MarkContradicted(RecordedRun& run);

// What no run can have written:
//   rows of samples.csv without rows of their NIC and place in census.csv, which comes first and
//   has every NIC at every place, so that one that lacks some was cut off or is another run's; one
//   window twice; a share of time beyond 0…1, a time below zero; a row without a NIC.
Status CheckRecording(const RecordedRun& run);

// That `machine`, which `source` shows, has the NICs and NUMA nodes of the run's census: else it is
// another machine, and all its relations would be wrong.
Status CheckMachine(const RecordedRun& run, const Machine& machine, const std::string& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CONSISTENCY_H_
