// Edits of how the machine's time varies (emulated_timing.h).
#include "lib/scenario/fault/edit.h"

namespace railgauge {
namespace {

Status StopPacing(const EditArguments&, EmulatedMachine* machine) {
  machine->timing.pacing = false;
  return {};
}

Status SetTiming(const EditArguments& arguments, EmulatedMachine* machine) {
  EmulatedTiming& timing = machine->timing;
  const double to = arguments.Number("to");
  const Nanoseconds duration(static_cast<int64_t>(to));
  const std::string field = arguments.Word("field").value_or("");
  if (field == "latency_spread") timing.latency_spread = duration;
  if (field == "jitter") timing.jitter = to;
  if (field == "drift_amplitude") timing.drift_amplitude = to;
  if (field == "drift_period") timing.drift_period = duration;
  if (field == "spike_probability") timing.spike_probability = to;
  if (field == "spike_length") timing.spike_length = duration;
  return {};
}

// Durations are in nanoseconds.
constexpr std::string_view kTimingFields[] = {"latency_spread",    "jitter",
                                              "drift_amplitude",   "drift_period",
                                              "spike_probability", "spike_length"};
constexpr EditParameter kFieldAndTo[] = {
    {.name = "field", .required = true, .words = kTimingFields}, {.name = "to"}};

constexpr EditPrimitive kTimingEdits[] = {
    {"stop_pacing", {}, StopPacing},
    {"set_timing", kFieldAndTo, SetTiming},
};

}  // namespace

std::span<const EditPrimitive> TimingEdits() { return kTimingEdits; }

}  // namespace railgauge
