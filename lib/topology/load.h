// A Machine from hwloc: of the computer this runs on, or of an XML file (lstopo --of xml).
//
// hwloc shows no I/O devices unless asked; both functions ask for all of them. Three states of a
// view must not be mixed up: it cannot be read or parsed (an Error), it shows no PCI devices at all
// (Machine::shows_pci is false), it shows PCI and has no EFA NIC (Machine::CheckHasNics tells).
#ifndef RAILGAUGE_LIB_TOPOLOGY_LOAD_H_
#define RAILGAUGE_LIB_TOPOLOGY_LOAD_H_

#include <string>

#include "lib/base/result.h"
#include "lib/topology/machine.h"

namespace railgauge {

// This machine, as hwloc sees it, completed from sysfs:
//  * the NUMA node of a PCI function is the kernel's numa_node attribute, and -1 is unknown, where
//    hwloc would only show the whole machine;
//  * the instance type is the DMI product name;
//  * what only sysfs has of NICs and bridges (sysfs_facts.h).
// NUMA nodes and CPUs that the process' cgroup forbids are not listed.
// Honours hwloc's variables (HWLOC_XMLFILE, HWLOC_FSROOT); sysfs and host name are then left out,
// since they are another machine's. Takes some 10 ms to 100 ms.
Result<Machine> LoadLiveMachine();

// This machine's topology as hwloc XML, with all I/O devices and what else LoadLiveMachine knows
// (recorded_facts.h), for LoadMachineFromXml to read back on another machine. Takes as long.
Result<std::string> ExportLiveTopology();

// The machine in an hwloc 2 (or 3, where the library is) XML file of at most 16 MiB. Comments are
// allowed anywhere, which hwloc's own parser does not bear. An Error is one line with the path, and
// with the line where the XML is at fault; hwloc prints nothing of its own, and where it crashes
// (it does so on sets that are missing or do not nest) that is an Error too: a child process parses
// the file first. So call it before there are threads that use hwloc.
//
// NUMA nodes of PCI functions are what hwloc had attached their host bridge to: known when that
// object has exactly one node with CPUs, else unknown.
Result<Machine> LoadMachineFromXml(const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_LOAD_H_
