// Consistency: whether recorded rows can be what a run wrote. Files are edited, mixed and cut off
// on their way to who judges them, and a verdict on such rows would be a claim about nothing.
//
// Pure. What no run can have written is an Error that names file and line, and the run is not
// judged. A window that its own columns contradict is marked as the contradicted windows of a run
// are, and costs the verdicts that need it (INVALID). The rules about one row are row_rules.h's;
// these are about what rows of one run have in common. judge, plan, explain, topology, report,
// baseline, compare and fleet report have the same ones.
#ifndef RAILGAUGE_LIB_PLACEMENT_CONSISTENCY_H_
#define RAILGAUGE_LIB_PLACEMENT_CONSISTENCY_H_

#include <cstddef>
#include <string>

#include "lib/base/result.h"
#include "lib/placement/row_rules.h"
#include "lib/record/records.h"
#include "lib/report/run_index.h"
#include "lib/topology/machine.h"

namespace railgauge {

// Marks the samples that contradict themselves, and returns their number. The reason names the
// line.
size_t MarkContradicted(RecordedRun& run);

// What no run can have written:
//   a row that WhyNeverWritten tells of;
//   an identity without a run_id, or of a platform that is none;
//   rows of samples.csv without rows of their NIC and place in census.csv, which comes first and
//   has every NIC at every place in every way, so that one that lacks some was cut off or is
//   another run's; one row or window twice; one NIC by two names or with two sets of access
//   flags, one NIC and place with two relations or paths; windows with several peers, one pair of
//   NICs with two line rates, windows alone of one size with two depths; a group of one member.
Status CheckRecording(const RecordedRun& run);

// That `machine`, which `source` shows, has the NICs, partners and NUMA nodes of the run, and that
// they lie to each other as the census says: else it is another machine, and all its relations
// would be wrong.
Status CheckMachine(const RecordedRun& run, const Machine& machine, const std::string& source);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CONSISTENCY_H_
