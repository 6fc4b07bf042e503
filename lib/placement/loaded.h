// What NICs that run at once do to each other, and by what. Pure.
//
// The sharing factor of a group is what its members move together as a share of what each moves
// alone: 1 when they share nothing that is full. It is the median over paired rounds, with the
// interval and by the two gates of every other comparison (comparison.h).
//
// A factor below 1 says that something is full, not what. So the members are laid on the topology:
// what at least two of them cross (crossing.h) may be it, and whatever was seen to carry more in
// another group cannot be. What is left is named; and all of it, when that is more than one thing.
// A group that loses no more than the groups within it lose anyway shares nothing beyond what they
// share.
#ifndef RAILGAUGE_LIB_PLACEMENT_LOADED_H_
#define RAILGAUGE_LIB_PLACEMENT_LOADED_H_

#include <span>
#include <vector>

#include "lib/placement/gates.h"
#include "lib/record/load_group.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// A row per group, in order. `samples` are those of the groups' members, and of the same cells
// alone, in rounds: a round counts when every member was measured both ways in it, and no thread
// was kept from its CPU.
std::vector<GroupRow> JudgeGroups(const Machine& machine, std::span<const LoadGroup> groups,
                                  std::span<const Sample> samples, const JudgeGates& gates = {});

// The exit status of a command with these rows: 0 when each is decided, what is slowed included;
// else 3.
int ExitStatusOf(std::span<const GroupRow> rows);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_LOADED_H_
