// LatencyHistogram: times of single messages, from which percentiles are read. HdrHistogram_c
// keeps them in buckets of three significant digits, from 1 ns to a minute.
#ifndef RAILGAUGE_LIB_MEASURE_LATENCY_HISTOGRAM_H_
#define RAILGAUGE_LIB_MEASURE_LATENCY_HISTOGRAM_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "hdr_histogram.h"
#include "lib/base/units.h"

namespace railgauge {

struct LatencySummary {
  uint64_t count = 0;
  Nanoseconds min{0};
  Nanoseconds p50{0};
  Nanoseconds p90{0};
  Nanoseconds p99{0};
  Nanoseconds p99_9{0};
  Nanoseconds max{0};
};

class LatencyHistogram {
 public:
  LatencyHistogram();

  // Allocates nothing. A time below 1 ns or above a minute counts as that.
  void Record(Nanoseconds time);
  void Clear();

  // Of all since the last Clear, within 0.1 %; empty when there is none.
  std::optional<LatencySummary> Summary() const;

 private:
  struct Close {
    void operator()(hdr_histogram* histogram) const { hdr_close(histogram); }
  };
  std::unique_ptr<hdr_histogram, Close> histogram_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_LATENCY_HISTOGRAM_H_
