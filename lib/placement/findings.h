// Findings: cells and classes whose windows do not have one speed: two speeds, or a spread unlike
// that of their class. A median hides both.
#ifndef RAILGAUGE_LIB_PLACEMENT_FINDINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_FINDINGS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lib/placement/cell_table.h"
#include "lib/placement/gates.h"
#include "lib/placement/speed_class.h"
#include "lib/stats/dip.h"
#include "lib/stats/two_speeds.h"

namespace railgauge {

// Of a cell: its windows have two modes. Both are named in its row.
inline constexpr std::string_view kTwoSpeeds = "two_speeds";
// Of a cell: the medians of its class have two modes. Both are named where the cell's own windows
// have one.
inline constexpr std::string_view kClassOfTwoSpeeds = "class_of_two_speeds";
// Of a cell: its windows spread JudgeGates::wide_spread times as much as those of its class.
inline constexpr std::string_view kWideSpread = "wide_spread";

// Of a cell: most of its windows measured the thread (Sample::cpu_bound).
inline constexpr std::string_view kCpuBound = "cpu_bound";
// Of a cell: no counter proves or contradicts most of its windows.
inline constexpr std::string_view kNoCounters = "no_counters";

struct CellFindings {
  std::optional<TwoSpeeds> two_speeds;
  std::optional<TwoSpeeds> class_two_speeds;
  std::optional<double> spread_factor;  // set where it is a finding

  // The names of what was found, ';' between.
  std::string Names() const;
};

// Modes count when they are JudgeGates::bad_placement apart: less changes no decision. Each kind of
// finding has the false-discovery budget JudgeGates::false_discovery over all cells or classes that
// could have shown it: cells with enough windows for an interval, classes of twice as many members.
class Findings {
 public:
  // Of the members of the classes, which must outlive this.
  Findings(const SpeedClasses& classes, const JudgeGates& gates);

  // Nothing for a cell that has no finding.
  const CellFindings& Of(const MeasuredCell& cell) const;

 private:
  void FindTwoSpeedsOfCells(const SpeedClasses& classes);
  void FindTwoSpeedsOfClasses(const SpeedClasses& classes);
  void FindWideSpreads(const SpeedClasses& classes);

  const JudgeGates gates_;
  DipTest dip_test_;
  std::map<const MeasuredCell*, CellFindings> findings_;
};

// "6.25 GB/s in 4 of 10 windows and 12.50 GB/s in the others".
std::string NameBoth(const TwoSpeeds& speeds, std::string_view of);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_FINDINGS_H_
