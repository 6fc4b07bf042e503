// FleetTable: what is kept of every run of a fleet: one throughput for each group of its cells.
//
// A group is what should be alike on all machines of an instance type: one NIC slot, operation,
// direction, class of place (host or GPU, and its relation to the NIC) and message size. A run is
// read alone and is forgotten but for eight bytes per group, so 10,000 machines with 1,000 rows
// each are some tens of megabytes, whatever their files take.
#ifndef RAILGAUGE_LIB_FLEET_FLEET_TABLE_H_
#define RAILGAUGE_LIB_FLEET_FLEET_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/record/records.h"

namespace railgauge {

struct FleetGroup {
  std::string instance_type;
  PciAddress slot;
  Operation operation = Operation::kRead;
  Direction direction = Direction::kToMemory;
  MemoryPlace::Kind kind = MemoryPlace::Kind::kNumaNode;
  Relation relation = Relation::kUnknown;
  Bytes size;
  std::string platform = {};
  friend auto operator<=>(const FleetGroup&, const FleetGroup&) = default;
};

// Machines that may be held against each other: of an instance type and a platform, since what an
// emulated machine does says nothing of one of hardware.
struct MachineType {
  std::string instance_type;
  std::string platform;
  friend auto operator<=>(const MachineType&, const MachineType&) = default;
};
inline MachineType TypeOf(const RunIdentity& run) { return {run.instance_type, run.platform}; }

// "gpu same_switch": the class of place.
std::string PlaceClass(const FleetGroup& group);

// Why a NIC that a run's census has shows nothing there.
struct NoEvidence {
  enum class Cause {
    kPeer,       // the other node has no NIC in the same slot, so it is none of the run's fault
    kDisturbed,  // the measuring thread was kept from its CPU
    kNoRow,      // a run that ended has rows of every NIC, so the file was cut
    kOther,      // the run says it of itself
  };
  Cause cause = Cause::kOther;
  std::string why;
};

// What a run directory says, before it is put in the table.
struct RunGroups {
  RunIdentity run;
  std::vector<NicKey> nics;                            // that its census has
  std::vector<std::pair<FleetGroup, double>> medians;  // throughput
  size_t rows = 0;                                     // of samples.csv
  size_t other_slot = 0;  // windows left out: the target had no NIC in the slot
  size_t disturbed = 0;
  size_t measured = 0;            // windows, under whatever load
  size_t measured_disturbed = 0;  // of these
  size_t contradicting_rows = 0;  // that say of themselves what cannot be: the file was edited
  std::string cut_short;          // why rows are missing that were to be measured; empty for none
  // Of NICs with windows that are contradicted, by what the run says of them or by themselves: how
  // many, and why. What such a NIC can do is not known, whatever its other windows say.
  std::map<PciAddress, std::string> invalid;
  std::map<PciAddress, std::string> wrong_data;  // of those that are `invalid` for it: how much
  std::map<PciAddress, NoEvidence> no_evidence;  // of NICs without a median
  std::string peer;               // that its windows were measured with; empty: none was measured
  std::set<PciAddress> partners;  // NICs of the peer that windows were measured with
  // What run.json says of the machine's NICs (RunState).
  bool knows_nics = false;
  bool selected_nics = false;
  std::string output;  // where run.json says that it was written; empty: it does not say
};

// Of each group the median over its places of the medians over their windows: single ones, alone,
// with the same slot of the target, that are evidence and that their own columns do not contradict
// (lib/placement/consistency.h). Windows in which the thread was kept from its CPU tell of the
// scheduler, and are left out, too. Errors: files that cannot be read, are cut off, hold no run or
// several, or what no run can have written, as judge has it; a run.json of another run, or with
// other NICs than the census; a topology.xml that is cut off; windows that were measured in
// loopback, and so tell of no other node.
Result<RunGroups> ReadRunGroups(const std::string& directory);

// Why another attempt at the run is worth its time: it was cut short, measured nothing, lacks the
// rows of a NIC, has rows that contradict themselves, or windows that tell of the scheduler, mostly
// or of a NIC all (kDisturbed). Empty: it is whole.
inline constexpr char kDisturbed[] = "too many of its windows were disturbed: the nodes are busy";
std::string WhyNotWhole(const RunGroups& run);

// Why a row that was to be measured was not: the run was interrupted or lost its peer; empty for
// another.
std::string_view WhyCutShort(const Sample& sample);

struct FleetRun {
  PlannedPair pair;
  RunIdentity run;
  std::vector<uint32_t> slots;                 // that its census has; into FleetTable::slots
  std::map<uint32_t, std::string> invalid;     // RunGroups::invalid
  std::map<uint32_t, std::string> wrong_data;  // RunGroups::wrong_data
  std::map<uint32_t, NoEvidence> no_evidence;  // RunGroups::no_evidence
  std::vector<PciAddress> partners;            // RunGroups::partners, as the six below
  bool knows_nics = false;
  bool selected_nics = false;
  size_t rows = 0;
  size_t other_slot = 0;
  size_t disturbed = 0;
  std::string peer;    // RunGroups::peer
  std::string output;  // RunGroups::output
  struct Value {
    uint32_t group = 0;  // into FleetTable::groups
    float throughput = 0;
  };
  std::vector<Value> values;
};

class FleetTable {
 public:
  void Add(const PlannedPair& pair, const RunGroups& groups);
  // Forgets the runs of which `unusable`, one for each, is not empty.
  void Drop(std::span<const std::string> unusable);
  // What a run says of the slot is not to be believed: FleetRun::invalid.
  void Doubt(size_t run, uint32_t slot, std::string why) {
    runs_[run].invalid.try_emplace(slot, std::move(why));
  }

  const std::vector<FleetRun>& runs() const { return runs_; }
  const std::vector<FleetGroup>& groups() const { return groups_; }
  const std::vector<PciAddress>& slots() const { return slots_; }
  uint32_t SlotOf(uint32_t group) const { return slot_of_group_[group]; }
  // A device name that machines give to the slot; for people.
  const std::string& NameOf(uint32_t slot) const { return names_[slot]; }

 private:
  uint32_t SlotNumber(const NicKey& nic);
  uint32_t GroupNumber(const FleetGroup& group);

  std::vector<FleetRun> runs_;
  std::vector<FleetGroup> groups_;
  std::vector<uint32_t> slot_of_group_;
  std::vector<PciAddress> slots_;
  std::vector<std::string> names_;
  std::map<FleetGroup, uint32_t> group_numbers_;
  std::map<PciAddress, uint32_t> slot_numbers_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_FLEET_TABLE_H_
