// FleetPage: what the HTML page of a fleet shows, as the JSON that its template is filled with
// (lib/report/html/page.h): the verdicts, what each rests on, and the throughputs of the table as
// shares of their groups' medians. Pure.
//
// A browser draws some hundred machines with every value. Of more there is what is flagged, and of
// each group its median, spread and distribution over all machines; the page says so. Whatever a
// fleet and its messages are, the JSON stays below some 2.5 MB.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_PAGE_H_
#define RAILGAUGE_LIB_FLEET_FLEET_PAGE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/fleet/confirmation.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_facts.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_report.h"
#include "lib/fleet/fleet_table.h"
#include "lib/stats/paired_ratio.h"

namespace railgauge {

// How a suspicion was measured again.
struct FleetEvidence {
  std::optional<ConfirmationPlan> confirmation;  // empty: nobody chose the machines yet
  std::vector<PairedRound> rounds;
};

struct FleetPageInput {
  const FleetPlan& plan;
  const FleetTable& table;
  const FleetAnalysis& analysis;
  const FleetVerdicts& verdicts;
  // Both of analysis.suspicions, one each.
  std::span<const ConfirmationOutcome> outcomes;
  std::span<const FleetEvidence> evidence;
  std::string generator = {};            // "railgauge 0.1.0"
  std::string name = {};                 // of the fleet, for people
  std::set<PlannedPair> with_page = {};  // runs whose page there is, beside their files
  std::map<PlannedPair, std::string> why_unmeasured = {};  // of planned pairs, where it is known
  FleetFacts facts = {};
  std::vector<std::string> notes = {};
  size_t windows = 0;  // rows of samples that were read
  FleetGates gates = {};
};

struct FleetPageLimits {
  size_t values = 200'000;  // throughputs; about five bytes each
  size_t rows = 12'000;     // of fleet.csv
  size_t row_bytes = 700'000;
  size_t groups = 5'000;
  size_t suspicions = 500;
  size_t text_bytes = 150'000;  // of each list of sentences
};

std::string FleetPageJson(const FleetPageInput& input, const FleetPageLimits& limits = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_PAGE_H_
