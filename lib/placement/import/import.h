// Placement: what a user names with --placement: a policy, or a file in any format that a framework
// or scheduler writes its decision in.
#ifndef RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_H_
#define RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/placement/decision.h"
#include "lib/topology/machine.h"

namespace railgauge {

struct PlacementFormat {
  std::string_view name;  // what --placement=NAME:FILE forces
  std::string_view what;  // for people
};
std::span<const PlacementFormat> PlacementFormats();

// The name of the format that `content` seems to be in; empty when it is like none.
std::string_view DetectFormat(std::string_view content);

// The files that DecidePlacement would read for `placement`: none of a policy. They need not exist.
std::vector<std::string> FilesOfPlacement(const std::string& placement);

// The decision that `placement` names on `machine`:
//  * POLICY, a name of Policies();
//  * FILE, whose format is detected from what it holds; FORMAT:FILE where it is told;
//  * nccl-graph:GRAPH,TOPOLOGY, since a graph is of numbers that the run's topology file explains;
//  * UCX_NET_DEVICES=… itself.
// A file that is called as a policy is written ./nearest. Errors are one line and name file and
// line; what is in no known format is an error that lists these.
Result<Decision> DecidePlacement(const std::string& placement, const Machine& machine,
                                 const std::vector<PciAddress>& cuda_order);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_IMPORT_IMPORT_H_
