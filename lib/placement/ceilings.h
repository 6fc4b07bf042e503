// Ceilings: what the things that a transfer crosses can carry at the most, each with where that is
// from. Only what is crossed counts (crossing.h), and only what is known: nobody publishes what
// lies between a NIC and memory, so most of a path has no ceiling here.
//
// Two kinds. A line rate that is published is hard: nothing real is faster. All else is advice:
// a port reports one of InfiniBand's codes, the next below its line rate; the link speeds of sysfs
// are often not what a link carries (p5's uplinks show 15.75 GB/s, GB200's 1.97, idle GPUs train
// down to 2.0, which is why a GPU's link is left out); what others reached with all NICs at once is
// at least possible. Advice explains, and decides nothing.
#ifndef RAILGAUGE_LIB_PLACEMENT_CEILINGS_H_
#define RAILGAUGE_LIB_PLACEMENT_CEILINGS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/units.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/crossing.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Ceiling {
  // In the order in which the best known line rate of a path is chosen.
  enum class Basis : uint8_t {
    kPublished,  // the line rate of the instance type, or its port's where that is more
    kAssumed,    // the same, where nobody published it
    kPort,       // what the port reports, of a type that is not known
    kPciLink,    // a link's speed in sysfs, as hwloc shows it
    kReported,   // a share of what others reached with all NICs of such a machine
  };
  std::string resource;  // "the line rate of rdmap79s0"
  BytesPerSecond capacity;
  Basis basis = Basis::kPublished;

  bool hard() const { return basis == Basis::kPublished; }
};
std::string_view ToString(Ceiling::Basis basis);  // "published", "assumed", "port", …

// Something that a transfer crosses, and all that is known of what it can carry: nothing where
// nobody says.
struct CrossedResource {
  Crossing crossing;
  std::vector<Ceiling> ceilings;
};

// Of the sample's transfer, both halves, as far as the machine has them; the nearest to the NIC
// first.
std::vector<CrossedResource> CrossedResourcesOf(const Machine& machine, const Sample& sample);

// The ceilings of those that are certainly crossed. An uplink that is crossed only if traffic is
// redirected limits nothing that is known.
std::vector<Ceiling> CeilingsOf(const Machine& machine, const Sample& sample);

// The ceiling that a throughput is held against: the lowest published line rate; where there is
// none, the lowest assumed or reported by a port. Empty where only links and aggregates are known.
std::optional<Ceiling> BindingCeiling(std::span<const Ceiling> ceilings);

// Of the half of the cell's transfer that touches its place.
std::optional<Ceiling> BindingCeiling(const Machine& machine, const Cell& cell);

// "60 % of the line rate of rdmap79s0 (12.50 GB/s, published)", and where a link of the NIC itself
// shows less than that, what it shows. Empty without a ceiling.
std::string CeilingPhrase(const Machine& machine, const MeasuredCell& cell);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CEILINGS_H_
