// The flags that choose the machine and what of it is looked at, as the user gave them.
#ifndef RAILGAUGE_CLI_MACHINE_OPTIONS_H_
#define RAILGAUGE_CLI_MACHINE_OPTIONS_H_

#include <string>

namespace railgauge {

struct MachineOptions {
  std::string hwloc_xml;  // read the topology from this file instead of the live machine
  std::string nics;       // comma list of PCI addresses or exact names; empty: all
  std::string places;     // comma list of numa0, gpu3, gpu:0000:53:00.0; empty: all
};

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_MACHINE_OPTIONS_H_
