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
    size_t members = 0;
    double median = 0;     // of the members' medians
    double z = 0;          // robust, of this cell
    bool suspect = false;  // an outlier below, by z and by more than JudgeGates::differs
  };
  // Empty for a cell that was not measured, and where the class is too small to tell.
  std::optional<Standing> Of(const MeasuredCell& cell) const;

  // Whether a suspect is slow, by the paired rounds with the member nearest to the class's median
  // that shares enough of them. Where none does, the ratio is to that median: kNoisy when the
  // cell's own windows spread from below to above it, else kUnproven.
  Comparison CompareWithClass(const MeasuredCell& cell) const;

  // The member to measure a suspect against: nearest to the class's median, at the same place where
  // there is one; never the same NIC. Null when there is none.
  const MeasuredCell* PeerOf(const MeasuredCell& cell) const;

 private:
  using Key = std::tuple<Relation, MemoryPlace::Kind, Dimension, Bytes>;
  struct Class {
    std::vector<const MeasuredCell*> members;
    double median = 0;
    double mad = 0;
  };

  Key KeyOf(const MeasuredCell& cell) const;
  const Class* Find(const MeasuredCell& cell) const;

  const Relations& relations_;
  const JudgeGates gates_;
  std::map<Key, Class> classes_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SPEED_CLASS_H_
