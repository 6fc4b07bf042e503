// The two screens of the fleet's analysis (fleet_analysis.h): what stands out, before it is asked
// whose fault it is. Pure.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_SCREEN_H_
#define RAILGAUGE_LIB_FLEET_FLEET_SCREEN_H_

#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_table.h"

namespace railgauge {

// Fills standings, low_parts and too_few. Parts that are low because their slot is are not among
// low_parts.
void Screen(const FleetTable& table, const FleetGates& gates, FleetAnalysis& analysis);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_SCREEN_H_
