// Baseline: what machines of one instance type carry, made from runs of them, and held against a
// later run. Pure; the file is lib/report's.
//
// A row's median is that of the runs' medians, so that a run with many windows of a cell weighs no
// more than another. Its interval says how far that can be trusted, by the best that there is:
// eight runs are an interval by themselves; fewer have that of all of their windows, widened to
// hold each run's median, since windows of one run say nothing about the next; and fewer than eight
// windows have that of the same cell in the other slots (the NICs of an instance type are alike),
// widened to hold their own.
#ifndef RAILGAUGE_LIB_COMPARE_BASELINE_H_
#define RAILGAUGE_LIB_COMPARE_BASELINE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/compare/readings.h"
#include "lib/placement/gates.h"
#include "lib/record/comparison_row.h"
#include "lib/record/records.h"

namespace railgauge {

struct Baseline {
  RunIdentity run;                // of no host and no instance; run_id is the newest run's
  std::vector<BaselineRow> rows;  // in the order of cells
};

// The conditions of its rows. An Error where rows contradict each other.
Result<Conditions> ConditionsOf(const Baseline& baseline, const std::string& name);

class BaselineMaker {
 public:
  explicit BaselineMaker(const JudgeGates& gates = {}) : gates_(gates) {}

  // Keeps the throughputs of the run, whose name is for messages. An Error where it is not
  // comparable with the first one.
  Status Add(const RunReadings& run, const std::string& name);

  size_t runs() const { return runs_; }
  // Cells of runs that are in no row, because in all of their windows the measuring thread was kept
  // from its CPU.
  size_t disturbed() const { return disturbed_; }
  // An Error where nothing was measured.
  Result<Baseline> Finish() const;

 private:
  struct Gathered {
    std::vector<double> run_medians;
    std::vector<double> windows;
  };

  const JudgeGates gates_;
  size_t runs_ = 0;
  size_t disturbed_ = 0;
  std::string newest_;
  std::string first_name_;
  Conditions conditions_;
  std::map<SlotCell, Gathered> cells_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_COMPARE_BASELINE_H_
