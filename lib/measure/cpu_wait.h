// How long the calling thread waited for a CPU: time in which it wanted to run and did not.
//
// A window in which the measuring thread was kept from its CPU for longer than what it has in
// flight keeps the NIC busy tells of the scheduler and not of the interconnect. The kernel counts
// exactly that wait (run_delay of schedstat, see Documentation/scheduler/sched-stats.rst of Linux),
// so such a window can be told from a slow path without looking at its rate.
#ifndef RAILGAUGE_LIB_MEASURE_CPU_WAIT_H_
#define RAILGAUGE_LIB_MEASURE_CPU_WAIT_H_

#include <optional>
#include <string>

#include "lib/base/units.h"

namespace railgauge {

// Since the thread began. Empty where the kernel does not say. `proc` is for tests.
std::optional<Nanoseconds> CpuWaitOfThread(const std::string& proc = "/proc");

// What a window may bear: while nothing is posted, the NIC works off `bytes_in_flight` at `rate`;
// half of that, at most 2 ms (a time slice is longer), and 1 % of the window.
Nanoseconds TolerableCpuWait(Bytes bytes_in_flight, BytesPerSecond rate, Nanoseconds window);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_CPU_WAIT_H_
