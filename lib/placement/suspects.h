// Suspects: which of the things that a group's members cross is full, as far as that can be told.
// Pure; see loaded.h.
#ifndef RAILGAUGE_LIB_PLACEMENT_SUSPECTS_H_
#define RAILGAUGE_LIB_PLACEMENT_SUSPECTS_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/placement/crossing.h"

namespace railgauge {

// One member of a group while all ran.
struct LoadedMember {
  double throughput = 0;  // bytes per second
  std::vector<Crossing> crossings;
};

// What each resource was seen to carry, at the most, in any group.
class Carried {
 public:
  void Add(std::span<const LoadedMember> group);
  // If the crossing is not certain: what it would have carried, if it was crossed. When traffic
  // that goes through an uplink only if it is redirected was fast, then it was not redirected, or
  // the uplink bears it; in either case it is not what slows others.
  double MostOf(const Crossing& crossing) const;

 private:
  struct Most {
    double certain = 0;
    double hypothetical = 0;
  };
  std::map<Resource, Most> most_;
};

struct Suspects {
  std::vector<Crossing> left;     // by kind of resource, the nearest to the NICs first
  std::vector<Crossing> cleared;  // shared, but seen to carry more than in this group
};

// Of what at least two members cross. `differs` is the share by which two throughputs differ.
Suspects FindSuspects(std::span<const LoadedMember> group, const Carried& carried, double differs);

// "the uplink of switch 0000:44:00.0 or the memory of numa0"; many of one kind are counted.
std::string ListOf(std::span<const Crossing> suspects);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SUSPECTS_H_
