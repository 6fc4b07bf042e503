// HostList: the machines of a fleet as a user names them: in a flag, in a file, or as MPI's and
// Slurm's own lists are written. Pure.
#ifndef RAILGAUGE_LIB_FLEET_HOST_LIST_H_
#define RAILGAUGE_LIB_FLEET_HOST_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

struct FleetNode {
  std::string name;     // as the launcher knows it; also the name of its folder in the tree
  std::string address;  // where the other nodes reach it
  friend bool operator==(const FleetNode&, const FleetNode&) = default;
};

// A name becomes a word of a command line and of a path, so it has letters, digits, '.', '_' and
// '-' alone, and begins with a letter or digit.
bool IsNodeName(std::string_view name);

// "node-a,node-b=10.0.0.7,p5-[001-064]": names, each with its address where that is another, and
// ranges of them (host_range.h). `what` is for messages: "--hosts". Errors: what is no name, range
// or address, a name twice, none at all.
Result<std::vector<FleetNode>> ParseHosts(std::string_view text, const std::string& what);

// A file with one host per line, and '#' for comments: "node-a", "node-a 10.0.0.7", or as mpirun's
// host files have it, "node-a slots=8" and "node-a:8" (whatever else stands on such a line means
// nothing here).
Result<std::vector<FleetNode>> ParseHostFile(std::string_view content, const std::string& path);

// Whether it has ranges, as Slurm's lists have: "p5-[001-004,007]".
bool HasHostRange(std::string_view text);

// Gives `nodes` that have none the addresses of what `scontrol --oneliner show node` printed, since
// a cluster's node names are often known to nobody but Slurm.
void TakeSlurmAddresses(std::string_view scontrol, std::vector<FleetNode>& nodes);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_HOST_LIST_H_
