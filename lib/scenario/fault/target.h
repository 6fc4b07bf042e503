// FaultTarget: what stands after ':' in a fault, found on the machine.
#ifndef RAILGAUGE_LIB_SCENARIO_FAULT_TARGET_H_
#define RAILGAUGE_LIB_SCENARIO_FAULT_TARGET_H_

#include <string>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/record/place.h"
#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// `target:` of a fault file: {is: nic, default: all}.
struct FaultTargetForm {
  enum class Kind {
    kNone,      // the machine
    kNic,       // a NIC by name or PCI address, or all
    kGpu,       // gpu3, a PCI address, or all
    kFunction,  // a NIC or a GPU, or all of both
    kPath,      // NIC, PLACE and DIRECTION, any of them, joined by '/': rdmap79s0/gpu3/to_memory
    kWay,       // [NIC/]WAY: dmabuf, rdmap79s0/peer_memory
    kRelation,  // other_numa_node
    kPort,      // the root port above a NIC or GPU, or a bridge's; or all
  };
  Kind kind = Kind::kNone;
  std::string default_text;  // empty: the user must name one
};

FaultTargetForm ReadFaultTargetForm(const YamlNode& node, YamlErrors* errors);

// "a NIC, or all; all when left out"; empty for kNone.
std::string Describe(const FaultTargetForm& form);

// What a part does not restrict holds everything that the machine has.
struct FaultTarget {
  std::vector<PciAddress> nics;
  std::vector<PciAddress> gpus;
  std::vector<MemoryPlace> places;
  std::vector<Direction> directions;
  std::vector<RegistrationWay> ways;
  std::vector<Relation> relations;
  std::vector<PciAddress> ports;  // root ports
};

// `text` is empty where the user gave none. The error has no object: the caller knows the fault.
Result<FaultTarget> FindFaultTarget(const FaultTargetForm& form, const std::string& text,
                                    const EmulatedMachine& machine);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_FAULT_TARGET_H_
