// What users type for a NIC or a memory place, resolved against a Machine.
//
// Files and flags use the same spellings. Names are never matched by prefix or by likeness
// (rdmap16s2 is a prefix of rdmap16s27, and another device on another machine): a name that does
// not fit is an Error that offers the nearest spellings, or lists what there is.
#ifndef RAILGAUGE_LIB_TOPOLOGY_NAMES_H_
#define RAILGAUGE_LIB_TOPOLOGY_NAMES_H_

#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/record/place.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// A NIC by PCI address ("0000:c6:00.0", or "c6:00.0" in domain 0) or by its exact device name.
Result<NicKey> ResolveNic(const Machine& machine, std::string_view text);

// A place: "numa0"; "gpu:0000:53:00.0", with or without domain; or "gpu3", the CUDA ordinal, which
// is an index of `cuda_order` (the PCI addresses of CUDA's devices in its order, which
// CUDA_VISIBLE_DEVICES changes; empty where there is no CUDA). A GPU that CUDA lists and PCI does
// not is a place too; a NUMA node without memory is none.
Result<MemoryPlace> ResolvePlace(const Machine& machine, std::string_view text,
                                 const std::vector<PciAddress>& cuda_order);

// Comma-separated lists, in the order given; blanks around an entry are ignored. An empty entry is
// an error, and so is what is named twice, also in two spellings: another was meant.
Result<std::vector<NicKey>> ResolveNics(const Machine& machine, std::string_view list);
Result<std::vector<MemoryPlace>> ResolvePlaces(const Machine& machine, std::string_view list,
                                               const std::vector<PciAddress>& cuda_order);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_NAMES_H_
