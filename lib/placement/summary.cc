#include "lib/placement/summary.h"

#include <string>

#include "fmt/core.h"
#include "lib/placement/ceilings.h"
#include "lib/placement/certainty.h"
#include "lib/placement/comparison.h"
#include "lib/placement/findings.h"
#include "lib/placement/partner_blame.h"
#include "lib/placement/sentences.h"
#include "lib/stats/median.h"
#include "lib/stats/median_interval.h"

namespace railgauge {
namespace {

std::optional<BytesPerSecond> Rate(const std::optional<double>& value) {
  return value ? std::optional(BytesPerSecond{*value}) : std::nullopt;
}

// "in 2 of 3 windows".
std::string InWindows(uint64_t count, size_t all) {
  return all == 1 ? "in its only window" : fmt::format("in {} of {} windows", count, all);
}

void AddFinding(std::string_view name, SummaryRow& row) {
  row.findings += fmt::format("{}{}", row.findings.empty() ? "" : ";", name);
}

// Whether the cell is as slow as its partner makes it, or may be: it says nothing of its NIC.
bool JudgePartner(const Evidence& evidence, const MeasuredCell& cell, const std::string& gap,
                  SummaryRow& row) {
  const Blame blame = BlameFor(evidence, cell);
  if (blame != Blame::kPartner && blame != Blame::kEither) return false;
  AddFinding(blame == Blame::kPartner ? kSlowPartner : kSlowPair, row);
  row.verdict = Verdict::kUndecided;
  const std::string with = NameOf(*cell.partner);
  row.reason =
      blame == Blame::kPartner
          ? fmt::format("its partner is slow: {}; with it, {}", WhyNotOwn(blame, cell), gap)
          : fmt::format("it or its partner {} is slow: {}; {}", with, WhyNotOwn(blame, cell), gap);
  return true;
}

// Whether the cell's class decides its verdict.
bool JudgeByClass(const Evidence& evidence, const MeasuredCell& cell, SummaryRow& row) {
  const auto standing = evidence.classes().Of(cell);
  if (!standing) return false;
  row.class_z = standing->z;
  row.class_adjusted_p_value = standing->adjusted_p_value;
  if (!standing->suspect) return false;
  const Comparison comparison = evidence.CompareWithClass(cell);
  row.rounds_adjusted_p_value = comparison.adjusted_p_value;
  std::string gap = fmt::format("{} where {} cells of its class have a median of {}",
                                RateOf(*cell.median), standing->members, RateOf(standing->median));
  const std::string phrase = CeilingPhrase(evidence.machine(), cell);
  if (!phrase.empty()) gap += "; it is " + phrase;
  const bool proven = comparison.outcome == Outcome::kWorse;
  if (!proven && comparison.outcome != Outcome::kUnproven) return false;
  // By chance some of many cells are far below their class in one window.
  if (!proven && !standing->looks_slow && !comparison.interval) return false;
  if (JudgePartner(evidence, cell, gap, row)) return true;
  if (proven) {
    row.verdict = Verdict::kSlow;
    row.reason = gap;
    return true;
  }
  row.verdict = Verdict::kUndecided;
  row.reason = comparison.interval
                   ? "looks slow, but not in enough rounds for a run of so many comparisons: " + gap
                   : "looks slow, but was not measured in turn with its class: " + gap;
  return true;
}

void JudgeMeasured(const Evidence& evidence, const MeasuredCell& cell, SummaryRow& row) {
  row.verdict = Verdict::kOk;
  const uint64_t bad = cell.failed + cell.invalid;
  if (bad > 0) {
    row.reason = fmt::format("{} of {} windows were not good: {}", bad, bad + cell.windows.size(),
                             cell.reason);
  }
  if (JudgeByClass(evidence, cell, row)) return;
  if (DoubtOf(evidence, cell) == Doubt::kDisturbed) {
    row.verdict = Verdict::kNoisy;
    row.reason = "the measuring thread was kept from its CPU " +
                 InWindows(cell.disturbed, cell.windows.size());
    return;
  }
  const CellFindings& findings = evidence.findings().Of(cell);
  if (findings.two_speeds) {
    row.verdict = Verdict::kNoisy;
    row.reason = "two speeds: " + NameBoth(*findings.two_speeds, "windows");
    return;
  }
  if (row.throughput_low && cell.windows.size() >= evidence.gates().min_rounds) {
    const double width = (row.throughput_high->value - row.throughput_low->value);
    if (width > evidence.gates().noisy_width * *cell.median) {
      row.verdict = Verdict::kNoisy;
      row.reason = fmt::format("the median lies anywhere between {} and {}",
                               FormatBytesPerSecond(*row.throughput_low),
                               FormatBytesPerSecond(*row.throughput_high));
    }
  }
  if (findings.spread_factor) {
    if (!row.reason.empty()) row.reason += "; ";
    row.reason += fmt::format("its windows spread {:.0f} times as much as those of its class",
                              *findings.spread_factor);
  }
  if (findings.class_two_speeds && row.reason.empty()) {
    row.reason = "its class has two speeds: " + NameBoth(*findings.class_two_speeds, "cells");
  }
}

void AddCeiling(const Machine& machine, const MeasuredCell& cell, SummaryRow& row) {
  const auto ceiling = BindingCeiling(machine, cell.cell);
  if (!ceiling || !cell.median) return;
  row.ceiling_resource = ceiling->resource;
  row.ceiling = ceiling->capacity;
  row.ceiling_provenance = ToString(ceiling->basis);
  row.ceiling_fraction = *cell.median / ceiling->capacity.value;
}

void AddFindings(const CellFindings& findings, SummaryRow& row) {
  row.findings = findings.Names();
  const auto& speeds = findings.two_speeds ? findings.two_speeds : findings.class_two_speeds;
  if (!speeds) return;
  row.slow_speed = BytesPerSecond{speeds->low};
  row.fast_speed = BytesPerSecond{speeds->high};
  row.slow_fraction = static_cast<double>(speeds->low_count) / static_cast<double>(speeds->count);
}

// What most of the windows say of themselves, whatever the verdict is.
void AddRemarks(const MeasuredCell& cell, SummaryRow& row) {
  const size_t windows = cell.windows.size();
  const auto add = [&](uint64_t count, std::string_view name, std::string_view remark) {
    if (2 * count <= windows) return;
    AddFinding(name, row);
    row.reason +=
        fmt::format("{}{} {}", row.reason.empty() ? "" : "; ", remark, InWindows(count, windows));
  };
  add(cell.cpu_bound, kCpuBound, "the measuring thread, not the path, was the limit");
  add(cell.unproven, kNoCounters, "no counters of the devices prove it");
  if (cell.disturbed == windows) AddFinding(kDisturbedFinding, row);
}

void JudgeUnmeasured(const MeasuredCell& cell, SummaryRow& row) {
  row.verdict = cell.invalid > 0 ? Verdict::kInvalid : Verdict::kUndecided;
  row.reason = cell.reason.empty() ? "not measured" : cell.reason;
}

}  // namespace

std::vector<SummaryRow> Summarize(const Evidence& evidence) {
  const JudgeGates& gates = evidence.gates();
  std::vector<SummaryRow> rows;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    SummaryRow row;
    row.cell = cell.cell;
    row.way = cell.way;
    row.relation = evidence.relations().Of(cell.cell.nic.address, cell.cell.place);
    row.interconnect_id = cell.interconnect_id;
    row.sample_count = cell.windows.size();
    const std::vector<double> values = cell.Values();
    row.throughput_median = Rate(cell.median);
    // One window has no spread: 0 would claim that it was seen to have none.
    if (values.size() > 1) row.throughput_mad = Rate(MedianAbsoluteDeviation(values));
    if (const auto found = IntervalOfMedian(values, gates.confidence)) {
      row.throughput_low = BytesPerSecond{found->interval.low};
      row.throughput_high = BytesPerSecond{found->interval.high};
      row.interval_confidence = found->confidence;
    }
    AddFindings(evidence.findings().Of(cell), row);
    AddCeiling(evidence.machine(), cell, row);
    if (cell.measured()) {
      JudgeMeasured(evidence, cell, row);
      AddRemarks(cell, row);
    } else {
      JudgeUnmeasured(cell, row);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace railgauge
