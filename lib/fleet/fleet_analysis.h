// FleetAnalysis: which NICs, machines and pairs of a fleet stand out, and whose fault it is. Pure.
//
// Two screens, each held to a share of false findings (stats/false_discovery.h) and to a least size
// of the difference, because neither a tiny difference that thousands of machines make certain nor
// a large one of a single bad window is a finding:
//  * a NIC slot of a run: the median of its groups' deviations, each from the median of the same
//    group (fleet_table.h) over all machines of the type, by its robust z, with a floor, among all
//    slots of all runs. It rests on tens of windows where a group rests on few, and finds a NIC
//    that is 5 % slower in noise of 2 %. Where the machines have two speeds and the faster is of no
//    majority (two_speeds.h), no median says what is usual: they are held against the faster, and
//    all that is slower stands out;
//  * a part of a slot: its groups of one class of place, of one direction, or of both, by the same
//    rule with most of the groups in place of half of them: finds what is slow in part.
//
// A run has two ends, and either may be slow. Each end was measured with another peer, too: an end
// that is slow there as well is the cause; where neither is, it is the way between the two. What is
// slow with some places alone lies at the initiator, whose places they are. What could not be told
// apart is a suspicion against the initiator. Every suspicion is then measured again, in turn with
// a healthy reference (confirmation.h), and only that makes it a verdict.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_ANALYSIS_H_
#define RAILGAUGE_LIB_FLEET_FLEET_ANALYSIS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_table.h"

namespace railgauge {

struct FleetGates {
  double differs = 0.03;        // JudgeGates::differs (lib/placement/gates.h)
  double spread_floor = 0.005;  // JudgeGates::class_spread_floor
  double false_discovery = 0.05;
  size_t min_members = 4;  // JudgeGates::min_class_size
  // With another peer, an end that is at least this share of the deviation slow is slow there, too.
  double shared_blame = 0.5;
  // Of a machine's slots, from which on the machine is the suspect, and not so many NICs.
  double machine_share = 0.5;
};

// One NIC slot of one run.
struct SlotStanding {
  size_t run = 0;  // into FleetTable::runs
  uint32_t slot = 0;
  double deviation = 0;  // median over its groups of throughput / the group's median - 1
  double z = 0;
  double adjusted_p = 1;
  bool low = false;         // a finding
  bool two_speeds = false;  // it is of the slower of two speeds, and the faster is of no majority
};

// A part of a slot's groups in one run that is low by itself.
struct LowPart {
  size_t run = 0;
  uint32_t slot = 0;
  std::vector<uint32_t> groups;
  std::optional<Direction> direction;  // that all of them have, as the initiator sees it
  double deviation = 0;
  double z = 0;
  double adjusted_p = 1;
};

enum class SuspectKind {
  kNic,      // a NIC of `node`
  kPlace,    // a NIC of `node` with some classes of place, or in one direction, alone
  kMachine,  // most NICs of `node`
  kPath,     // the way between the same slots of `node` and `peer`
};
std::string_view ToString(SuspectKind kind);  // "nic", "place", "machine", "path"

struct Suspicion {
  SuspectKind kind = SuspectKind::kNic;
  size_t node = 0;             // into FleetPlan::nodes
  std::optional<size_t> peer;  // of a path; else of the run that shows it most
  std::vector<uint32_t> slots;
  std::vector<uint32_t> groups;  // of kPlace: those that are low
  double deviation = 0;          // the greatest
  double z = 0;                  // with it
  double adjusted_p = 1;
  // It was seen as the target, and is measured as such again.
  bool as_target = false;
  // What would tell it from its peer or the way between them was not measured.
  bool could_be_peer = false;
  bool two_speeds = false;  // SlotStanding::two_speeds
  friend bool operator==(const Suspicion&, const Suspicion&) = default;
};

// What names it, also its folder: "nic-n3-0000-4f-00.0".
std::string NameOf(const Suspicion& suspicion, const FleetPlan& plan, const FleetTable& table);

// A slot that most machines of the type have and `node` lacks, by all that is known of it: runs of
// which nothing but a census tells what NICs there are are not asked, nor slots that other runs
// measured with (FleetRun::invalid).
struct MissingNic {
  size_t node = 0;
  uint32_t slot = 0;
  friend bool operator==(const MissingNic&, const MissingNic&) = default;
};

// A machine that lacks slots that most of its type have, and has others: its PCI buses are numbered
// in another way (nic_slot.h), so that no slot of it can be said to be missing.
struct Renumbered {
  size_t node = 0;
  std::vector<uint32_t> slots;  // those that most machines lack
  friend bool operator==(const Renumbered&, const Renumbered&) = default;
};

struct FleetAnalysis {
  std::vector<SlotStanding> standings;
  std::vector<LowPart> low_parts;
  std::vector<Suspicion> suspicions;
  std::vector<MissingNic> missing;
  std::vector<Renumbered> renumbered;
  // Runs of types with fewer than FleetGates::min_members runs: nothing can stand out of them.
  std::vector<size_t> too_few;
};

FleetAnalysis Analyse(const FleetTable& table, const FleetGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_ANALYSIS_H_
