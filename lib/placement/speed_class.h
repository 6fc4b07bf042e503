// SpeedClasses: cells that should be equally fast, and the ones that are not.
//
// A class is all cells with one relation, kind of place, operation, direction and size: the NICs of
// one instance type are all alike, so a NIC that stands out of its class is slow whatever the line
// rate is.
#ifndef RAILGAUGE_LIB_PLACEMENT_SPEED_CLASS_H_
#define RAILGAUGE_LIB_PLACEMENT_SPEED_CLASS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/comparison.h"
#include "lib/placement/gates.h"
#include "lib/record/records.h"
#include "lib/stats/false_discovery.h"

namespace railgauge {

// The relation between NICs and places, as the census rows say.
class Relations {
 public:
  explicit Relations(std::span<const CensusRow> census);
  // kUnknown for a pair that the census does not have.
  Relation Of(const PciAddress& nic, const MemoryPlace& place) const;

 private:
  std::map<std::pair<PciAddress, MemoryPlace>, Relation> relations_;
};

class SpeedClasses {
 public:
  // Both must outlive this.
  SpeedClasses(const CellTable& table, const Relations& relations, const JudgeGates& gates);

  struct Standing {
    size_t members = 0;  // that it is held against: of the class, or those apart from a slow NIC
    double median = 0;   // of these members' medians
    double mad = 0;      // of these
    double z = 0;        // robust, of this cell
    // The chance of such a z in a class of equals, adjusted for the number of cells of the run.
    double adjusted_p_value = 1;
    // Below, by JudgeGates::shortlist_z and by more than JudgeGates::differs: worth more windows.
    // Of hundreds of cells some are by chance.
    bool suspect = false;
    // A suspect that is badly slow (JudgeGates::bad_placement) and not by chance: if no rounds can
    // tell, that must be said.
    bool looks_slow = false;
  };
  // Empty for a cell that was not measured, and where the class is too small to tell.
  std::optional<Standing> Of(const MeasuredCell& cell) const;

  // Whether a suspect is slow (by its own rounds alone), by the paired rounds with the member
  // nearest to the class's median that shares enough of them. Where none does, the ratio is to that
  // median: kNoisy when the cell's own windows spread from below to above it, else kUnproven.
  Comparison CompareWithClass(const MeasuredCell& cell) const;

  // The member to measure a suspect against: nearest to the class's median, at the same place where
  // there is one; never the same NIC. Null when there is none.
  const MeasuredCell* PeerOf(const MeasuredCell& cell) const;

  // The members of the cell's class; empty for one that has none.
  std::span<const MeasuredCell* const> MembersOf(const MeasuredCell& cell) const;
  // Every class of at least JudgeGates::min_class_size, as its members.
  std::vector<std::span<const MeasuredCell* const>> All() const;

 private:
  using Key = std::tuple<Relation, MemoryPlace::Kind, Dimension, Bytes>;
  struct Class {
    std::vector<const MeasuredCell*> members;
    size_t held_against = 0;  // members that the median and MAD are of
    double median = 0;
    double mad = 0;
  };

  void HoldAgainst(const std::vector<const MeasuredCell*>& cells, Class& one) const;
  // The members apart from a NIC that may be what makes half of the class or more slow; empty where
  // there is none.
  std::vector<const MeasuredCell*> ApartFromASlowNic(const Class& one) const;
  Key KeyOf(const MeasuredCell& cell) const;
  double ZOf(const MeasuredCell& cell, const Class& one) const;
  const Class* Find(const MeasuredCell& cell) const;

  const Relations& relations_;
  const JudgeGates gates_;
  std::map<Key, Class> classes_;
  FalseDiscovery screening_{{}};  // over all members of all classes
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SPEED_CLASS_H_
