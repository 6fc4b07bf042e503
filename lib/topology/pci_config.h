// A PCI function's configuration space, as sysfs `config` gives it: whether a bridge redirects.
//
// Layout: PCI Local Bus 3.0 §6.1 and §6.7, PCI Express 3.1 §7.8 (capability 0x10) and §7.16 (Access
// Control Services). Pure; any bytes are answered.
#ifndef RAILGAUGE_LIB_TOPOLOGY_PCI_CONFIG_H_
#define RAILGAUGE_LIB_TOPOLOGY_PCI_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "lib/topology/machine.h"

namespace railgauge {

// The 16 bits at an offset; empty beyond what may be read. Each costs an exit to the hypervisor on
// a virtual machine, so few are asked for.
using ReadConfig = std::function<std::optional<uint16_t>(size_t offset)>;

// Of a bridge with this configuration space. Only root ports and downstream ports of switches can
// redirect; of those, one whose extended space is not given (64 bytes are what the kernel gives to
// who lacks CAP_SYS_ADMIN, 256 what there is without memory-mapped access) is kUnreadable.
AcsRedirect AcsRedirectOf(const ReadConfig& read);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_PCI_CONFIG_H_
