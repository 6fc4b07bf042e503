// FleetPages: the HTML files of a fleet: its own page, and those of the runs that what stands out
// rests on, which it links to.
#ifndef RAILGAUGE_CLI_FLEET_PAGES_H_
#define RAILGAUGE_CLI_FLEET_PAGES_H_

#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/fleet/fleet_page.h"
#include "lib/fleet/fleet_tree.h"

namespace railgauge {

// "DIR/fleet.html".
std::string FleetPagePath(const FleetTree& tree);

// Of planned pairs without a run: what their attempts left.
std::map<PlannedPair, std::string> WhyPairsAreUnmeasured(const FleetTree& tree,
                                                         const FleetPlan& plan);

// Writes report.html into the runs and fleet.html into the tree, and returns the latter's path.
// Empty in a build without the page. Of `input`, the links and facts are filled in here.
Result<std::string> WriteFleetPages(const FleetTree& tree, FleetPageInput input);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_FLEET_PAGES_H_
