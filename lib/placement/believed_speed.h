// What speed a cell may have, by all that was measured of it: a range that is the narrower the more
// windows there are, so that a sum or difference of many cells is only as certain as they are.
//
// Single windows are now and then half too fast or too slow. Two cells that a verdict compares are
// therefore measured in turn (comparison.h); but a verdict may also rest on what an exchange would
// cost somebody else, and not every pair of cells can be measured in turn.
#ifndef RAILGAUGE_LIB_PLACEMENT_BELIEVED_SPEED_H_
#define RAILGAUGE_LIB_PLACEMENT_BELIEVED_SPEED_H_

#include <cstddef>

#include "lib/placement/cell_table.h"
#include "lib/placement/gates.h"
#include "lib/placement/speed_class.h"

namespace railgauge {

// Windows of one cell that show by themselves how fast it is: of three, one may have been bad.
inline constexpr size_t kWindowsThatTell = 3;

// Bytes per second.
struct SpeedRange {
  double low = 0;
  double high = 0;
  bool few_windows = false;  // more of them may narrow it
};

// Of a measured cell. Of its undisturbed windows, where there are
//  * JudgeGates::min_rounds, the interval of their median;
//  * kWindowsThatTell, and their median is that of the cell's class within JudgeGates::differs:
//  from
//    the second least to the second greatest, since one bad window either way is forgiven;
//  * as many, and the two differ or there is no class: from the least to the greatest;
//  * fewer, from their median to that of the class where the two agree; where they do not, either
//    the windows are odd (JudgeGates::odd_window) or the cell is unlike its class, or both, and all
//    that is believed. Without a class they may be odd.
SpeedRange BelievedSpeed(const MeasuredCell& cell, const SpeedClasses& classes,
                         const JudgeGates& gates);

enum class Sure { kYes, kNo, kUnsure };

// Whether what is in `range` is less than what is in `other`. Where they overlap and neither has
// few windows, more of them would tell little: then `likely`, which the medians say.
Sure Less(const SpeedRange& range, const SpeedRange& other, bool likely);

SpeedRange operator+(const SpeedRange& a, const SpeedRange& b);
// Of both ends, which a negative factor exchanges.
SpeedRange operator*(double factor, const SpeedRange& range);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_BELIEVED_SPEED_H_
