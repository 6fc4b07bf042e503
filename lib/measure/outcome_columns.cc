#include "lib/measure/outcome_columns.h"

#include <optional>

#include "lib/measure/intervals.h"
#include "lib/measure/latency_histogram.h"

namespace railgauge {
namespace {

void SetThreadShares(const RunOutcome& outcome, Sample* sample) {
  const auto share = [&](Nanoseconds time) {
    return static_cast<double>(time.count()) / static_cast<double>(outcome.duration.count());
  };
  sample->post_fraction = share(outcome.posting);
  sample->poll_fraction = share(outcome.polling);
  sample->idle_fraction = share(outcome.idle);
  sample->cpu_bound = *sample->idle_fraction < kCpuBoundIdle;
}

void SetIntervals(const RunOutcome& outcome, DipTest& dip_test, Sample* sample) {
  const auto summary = SummarizeIntervals(outcome.intervals, sample->cell.size, dip_test);
  sample->interval = summary ? std::optional(outcome.interval) : std::nullopt;
  sample->interval_count = summary ? std::optional(summary->count) : std::nullopt;
  sample->interval_min = summary ? std::optional(summary->min) : std::nullopt;
  sample->interval_median = summary ? std::optional(summary->median) : std::nullopt;
  sample->interval_mad = summary ? std::optional(summary->mad) : std::nullopt;
  sample->interval_modes = summary ? summary->modes : std::nullopt;
}

void SetLatency(const std::optional<LatencySummary>& latency, Sample* sample) {
  const auto time = [&](Nanoseconds LatencySummary::*field) {
    return latency ? std::optional(*latency.*field) : std::nullopt;
  };
  sample->latency_min = time(&LatencySummary::min);
  sample->latency_p50 = time(&LatencySummary::p50);
  sample->latency_p90 = time(&LatencySummary::p90);
  sample->latency_p99 = time(&LatencySummary::p99);
  sample->latency_p99_9 = time(&LatencySummary::p99_9);
  sample->latency_max = time(&LatencySummary::max);
}

}  // namespace

void SetOutcomeColumns(const RunOutcome& outcome, DipTest& dip_test, Sample* sample) {
  sample->duration = outcome.duration;
  sample->completions = outcome.completions;
  sample->payload_bytes = outcome.completions * sample->cell.size.count;
  const double seconds = std::chrono::duration<double>(sample->duration).count();
  if (seconds <= 0) return;
  sample->messages_per_second = static_cast<double>(sample->completions) / seconds;
  SetThreadShares(outcome, sample);
  SetLatency(outcome.latency, sample);
  // One message at a time is no load: it has no throughput worth the name.
  if (outcome.latency) return;
  sample->throughput = BytesPerSecond{static_cast<double>(sample->payload_bytes) / seconds};
  SetIntervals(outcome, dip_test, sample);
}

}  // namespace railgauge
