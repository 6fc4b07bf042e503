// Writes /sys and /proc of an emulated machine as files, for hwloc, libibverbs and whatever else
// finds out by them which machine it runs on.
#ifndef RAILGAUGE_LIB_SCENARIO_TREE_H_
#define RAILGAUGE_LIB_SCENARIO_TREE_H_

#include <string>

#include "lib/base/result.h"
#include "lib/scenario/emulated_machine.h"

namespace railgauge {

// Writes `root`/sys and `root`/proc; `root` exists, and is best empty and on a tmpfs. All links are
// relative, so the tree can be moved or mounted elsewhere. Each file below `root`/proc is meant to
// take the place of one file of /proc; `root`/sys of the whole /sys.
//
// What is there and who reads it:
//   devices/pci*, bus/pci            hwloc (its Linux and its libpciaccess backend), lspci,
//   libfabric class/infiniband, …_verbs        libibverbs, hwloc, tools; uverbsN is number
//   231:192+N …/ports/1/hw_counters            all zero; the emulated driver counts in them
//   (hw_counters.h) devices/system/{cpu,node}        hwloc, libnuma, glibc devices/virtual/dmi/id
//   the instance type; versions and asset tag say "emulated" kernel/mm                        huge
//   pages: none reserved proc/cpuinfo                     hwloc, Google Benchmark
Status WriteTree(const EmulatedMachine& machine, const std::string& root);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_TREE_H_
