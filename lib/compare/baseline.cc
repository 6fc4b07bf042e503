#include "lib/compare/baseline.h"

#include <algorithm>
#include <optional>
#include <span>

#include "lib/stats/median.h"
#include "lib/stats/median_interval.h"

namespace railgauge {
namespace {

// The same cell whatever the slot.
SlotCell ClassOf(SlotCell cell) {
  cell.nic_slot.clear();
  return cell;
}

void SetInterval(BaselineRow& row, const MedianInterval& found, std::span<const double> also,
                 const char* source) {
  double low = found.interval.low, high = found.interval.high;
  for (const double value : also) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  row.throughput_low = BytesPerSecond{low};
  row.throughput_high = BytesPerSecond{high};
  row.interval_confidence = found.confidence;
  row.interval_source = source;
}

}  // namespace

Status BaselineMaker::Add(const RunReadings& run, const std::string& name) {
  if (runs_ == 0) {
    conditions_ = run.conditions;
    first_name_ = name;
  } else {
    RAILGAUGE_RETURN_IF_ERROR(CheckComparable(conditions_, first_name_, run.conditions, name));
    conditions_.depths.insert(run.conditions.depths.begin(), run.conditions.depths.end());
    if (conditions_.peer.empty()) conditions_.peer = run.conditions.peer;
    if (!conditions_.queue_pairs) conditions_.queue_pairs = run.conditions.queue_pairs;
  }
  ++runs_;
  newest_ = std::max(newest_, run.run.run_id);
  std::map<SlotCell, std::vector<double>> medians;
  for (const Reading& reading : run.readings) {
    if (!reading.median || !(*reading.median > 0)) continue;
    if (reading.all_disturbed) {
      ++disturbed_;
      continue;
    }
    medians[reading.cell].push_back(*reading.median);
    std::vector<double>& windows = cells_[reading.cell].windows;
    windows.insert(windows.end(), reading.values.begin(), reading.values.end());
  }
  for (auto& [cell, values] : medians) {
    cells_[cell].run_medians.push_back(MedianInPlace(values));
  }
  return {};
}

Result<Baseline> BaselineMaker::Finish() const {
  if (cells_.empty()) {
    return Fail(MakeError("make a baseline of", runs_ == 0 ? "no run" : first_name_,
                          disturbed_ > 0 ? "the measuring thread was kept from its CPU in every "
                                           "window"
                                         : "nothing was measured in it",
                          "Measure on a host with time for it, and see its samples.csv"));
  }
  Baseline baseline;
  baseline.run.run_id = newest_;
  baseline.run.instance_type = conditions_.instance_type;
  baseline.run.platform = conditions_.platform;
  std::map<SlotCell, std::vector<double>> classes;
  for (const auto& [cell, gathered] : cells_) {
    BaselineRow row;
    row.cell = cell;
    row.peer = conditions_.peer;
    row.queue_pairs = conditions_.queue_pairs;
    row.run_count = gathered.run_medians.size();
    row.sample_count = gathered.windows.size();
    row.throughput_median.value = *Median(gathered.run_medians);
    classes[ClassOf(cell)].push_back(row.throughput_median.value);
    baseline.rows.push_back(std::move(row));
  }
  for (BaselineRow& row : baseline.rows) {
    const Gathered& gathered = cells_.at(row.cell);
    const double own[] = {row.throughput_median.value};
    if (const auto runs = IntervalOfMedian(gathered.run_medians, gates_.confidence)) {
      SetInterval(row, *runs, {}, "runs");
    } else if (const auto windows = IntervalOfMedian(gathered.windows, gates_.confidence)) {
      SetInterval(row, *windows, gathered.run_medians, "windows");
    } else if (const auto alike = IntervalOfMedian(classes[ClassOf(row.cell)], gates_.confidence)) {
      SetInterval(row, *alike, own, "class");
    }
  }
  return baseline;
}

Result<Conditions> ConditionsOf(const Baseline& baseline, const std::string& name) {
  Conditions conditions = {baseline.run.instance_type, baseline.run.platform, "", {}, {}};
  for (const BaselineRow& row : baseline.rows) {
    if (&row == &baseline.rows.front()) {
      conditions.peer = row.peer;
      conditions.queue_pairs = row.queue_pairs;
    }
    if (row.peer != conditions.peer || row.queue_pairs != conditions.queue_pairs ||
        !(row.throughput_median.value > 0)) {
      return Fail(MakeError("read baseline", name,
                            "its rows are not of one way of measuring, or have no throughput",
                            "Make it again with railgauge baseline make"));
    }
    conditions.depths[row.cell.size].insert(row.cell.depth);
  }
  return conditions;
}

}  // namespace railgauge
