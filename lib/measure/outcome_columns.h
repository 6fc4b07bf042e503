// What a window's outcome says in the columns of its sample: rates, what its intervals and the
// thread's time were like, and latencies. Pure.
#ifndef RAILGAUGE_LIB_MEASURE_OUTCOME_COLUMNS_H_
#define RAILGAUGE_LIB_MEASURE_OUTCOME_COLUMNS_H_

#include "lib/measure/transfer_end.h"
#include "lib/record/records.h"
#include "lib/stats/dip.h"

namespace railgauge {

// Below so much idle time the thread is taken for the limit: a path that has the thread wait leaves
// it idle for as long as its messages take, less what posting and polling them costs.
inline constexpr double kCpuBoundIdle = 0.05;

// Sets them all; those of an earlier window of the sample are gone.
void SetOutcomeColumns(const RunOutcome& outcome, DipTest& dip_test, Sample* sample);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_OUTCOME_COLUMNS_H_
