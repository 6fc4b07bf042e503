// Crossings: what a measured transfer passes that others may pass, too, as far as the topology
// shows it. Pure.
//
// A switch's uplink, the memory of a node, the link between two nodes: what these let through is
// not known and not asked here. Who crosses what is, and in which direction the data went, since
// links and memory have a capacity for each.
#ifndef RAILGAUGE_LIB_PLACEMENT_CROSSING_H_
#define RAILGAUGE_LIB_PLACEMENT_CROSSING_H_

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct Resource {
  // In the order of how near they are to a NIC.
  enum class Kind : uint8_t {
    kNic,           // name: its device name
    kUplink,        // of the switch (topmost bridge) `name`
    kHostBridge,    // where no bridge is shown below it
    kNodeLink,      // "numa0 to numa1", as the data goes
    kNodeMemory,    // of "numa0"
    kGpuLink,       // of the GPU at `name`
    kInterconnect,  // with the id `name`, as each device numbers by itself
    kOtherHost,     // what there is at the peer `name`
  };
  enum class Flow : uint8_t {
    kEither,    // not told apart
    kToMemory,  // up an uplink, into memory
    kFromMemory,
  };
  Kind kind = Kind::kNic;
  Flow flow = Flow::kEither;
  std::string name;
  friend auto operator<=>(const Resource&, const Resource&) = default;

  // "the uplink of switch 0000:44:00.0".
  std::string ToString() const;
};

struct Crossing {
  Resource resource;
  // Only if traffic between two below one switch is redirected through its uplink (ACS), and only
  // if two devices mean the same by one id: that is not known.
  bool certain = true;
};

// Of the sample's transfer, both its halves; each once. Nothing that is unknown.
std::vector<Crossing> CrossingsOf(const Machine& machine, const Sample& sample);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CROSSING_H_
