#include "lib/measure/latency_histogram.h"

#include <algorithm>

#include "lib/base/result.h"

namespace railgauge {
namespace {

constexpr int64_t kLongest = 60'000'000'000;
constexpr int kSignificantDigits = 3;

}  // namespace

LatencyHistogram::LatencyHistogram() {
  hdr_histogram* histogram = nullptr;
  RAILGAUGE_CHECK(hdr_init(1, kLongest, kSignificantDigits, &histogram) == 0);
  histogram_.reset(histogram);
}

void LatencyHistogram::Record(Nanoseconds time) {
  hdr_record_value(histogram_.get(), std::clamp<int64_t>(time.count(), 1, kLongest));
}

void LatencyHistogram::Clear() { hdr_reset(histogram_.get()); }

std::optional<LatencySummary> LatencyHistogram::Summary() const {
  const hdr_histogram* const histogram = histogram_.get();
  if (histogram->total_count == 0) return std::nullopt;
  const auto at = [&](double percent) {
    return Nanoseconds{hdr_value_at_percentile(histogram, percent)};
  };
  LatencySummary summary;
  summary.count = static_cast<uint64_t>(histogram->total_count);
  summary.min = Nanoseconds{hdr_min(histogram)};
  summary.p50 = at(50);
  summary.p90 = at(90);
  summary.p99 = at(99);
  summary.p99_9 = at(99.9);
  summary.max = Nanoseconds{hdr_max(histogram)};
  return summary;
}

}  // namespace railgauge
