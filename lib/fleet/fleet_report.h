// FleetReport: the fleet's verdicts, one row for each NIC slot of each node, as CSV, as Markdown
// and for a terminal. Pure.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_REPORT_H_
#define RAILGAUGE_LIB_FLEET_FLEET_REPORT_H_

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/fleet/confirmation.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_table.h"
#include "lib/record/records.h"

namespace railgauge {

enum class FleetVerdict {
  kOk,
  kSlow,     // stood out of the fleet, and is slower in paired rounds with a healthy reference
  kMissing,  // most machines of the type have a NIC in this slot
  kSuspect,  // stood out, and paired rounds did not settle it (or were not measured); or wrong data
  kUnmeasured,  // no run has it
};
std::string_view ToString(FleetVerdict verdict);  // "OK", "SLOW", "MISSING", "SUSPECT", ...

// How a slot did in one of its node's parts; of several runs the worst.
struct PartStanding {
  size_t peer = 0;
  double deviation = 0;
  double z = 0;
  double adjusted_p = 1;
};

struct FleetRow {
  size_t node = 0;
  const RunIdentity* run = nullptr;  // of its run as initiator, in the table; null: there is none
  std::optional<PciAddress> slot;    // empty: the whole node, of which no run counts
  std::string nic_name;
  FleetVerdict verdict = FleetVerdict::kUnmeasured;
  std::string cause;  // SuspectKind, or empty
  std::optional<PartStanding> as_initiator;
  std::optional<PartStanding> as_target;
  std::string groups;  // of a place: which; ';' between
  std::optional<PairedRatio> confirmed;
  std::string reason;  // a sentence for people
  // Data arrived that differs from what was sent: the worst that there is, and told before all
  // else.
  bool wrong_data = false;
};

struct FleetVerdicts {
  std::vector<FleetRow> rows;  // by node and slot
  std::map<FleetVerdict, size_t> counts;
};

// `confirmations` are of analysis.suspicions, one each; an outcome without a ratio was not
// measured. `why_unmeasured` says of nodes why they have no run, where that is known.
FleetVerdicts JudgeFleet(const FleetPlan& plan, const FleetTable& table,
                         const FleetAnalysis& analysis,
                         std::span<const ConfirmationOutcome> confirmations,
                         const std::map<size_t, std::string>& why_unmeasured);

// fleet.csv (results/README.md).
std::string FleetCsv(const FleetPlan& plan, const FleetVerdicts& verdicts);
// What is not OK, and how many of each; lines of at most 100 columns.
std::string FleetText(const FleetPlan& plan, const FleetVerdicts& verdicts, bool color);
std::string FleetMarkdown(const FleetPlan& plan, const FleetVerdicts& verdicts);

// As the commands exit: 1 a SLOW or MISSING, else 3 a SUSPECT or UNMEASURED, else 0.
int ExitStatusOf(const FleetVerdicts& verdicts);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_REPORT_H_
