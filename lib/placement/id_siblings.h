// Findings: NICs whose interconnect ids tell other places apart than those of their siblings.
//
// Siblings are NICs of one model that have the same relations to the same kinds of place, those
// that the census left out included: by the machine's symmetry one would expect the same pattern of
// equal and different ids. Which pattern that is, nobody can know beforehand; so what most siblings
// show is what is usual here, and where more than a third do otherwise, nothing is.
#ifndef RAILGAUGE_LIB_PLACEMENT_ID_SIBLINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_ID_SIBLINGS_H_

#include <map>
#include <set>
#include <span>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/placement/id_table.h"
#include "lib/placement/id_traits.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// A trait in which a NIC is unlike most of its siblings.
struct Deviation {
  Trait trait;
  int value = 0, usual = 0;
  size_t siblings = 0;    // with the trait, itself included
  size_t like_usual = 0;  // of these
  friend bool operator==(const Deviation&, const Deviation&) = default;
};

// Classes of siblings, as indexes into `table`; in order of their first NIC.
std::vector<std::vector<size_t>> SiblingClasses(const Machine& machine,
                                                std::span<const NicIds> table);

// What is unusual about a class of siblings.
struct SiblingComparison {
  std::map<size_t, std::vector<Deviation>> deviating;  // by index into the table
  // Traits in which more than a third is unlike the others, unless each place of the group has an
  // id for all siblings or for none: then they differ by which places are near them.
  std::set<Trait> split;
};
SiblingComparison CompareSiblings(std::span<const NicIds> table, std::span<const size_t> siblings);

// ids_told_unlike_siblings, ids_split_unlike_siblings, ids_joined_unlike_siblings and
// ways_disagree, each at the most once per NIC; siblings_disagree once per class; nic_cannot_tell
// once per NIC that cannot where another NIC of the machine can.
std::vector<Finding> FindIdsUnlikeSiblings(const Machine& machine, std::span<const NicIds> table);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ID_SIBLINGS_H_
