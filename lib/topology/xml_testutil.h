// hwloc 2 XML written by hand for tests: one or two packages with a NUMA node and two CPUs each,
// and PCI below any of them. Nothing here is captured from a machine.
#ifndef RAILGAUGE_LIB_TOPOLOGY_XML_TESTUTIL_H_
#define RAILGAUGE_LIB_TOPOLOGY_XML_TESTUTIL_H_

#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

// A PCI function. `type` is "0302 [10de:2330]": class, vendor and device. With an
// `openfabrics_name` it has that OpenFabrics OS device below it.
std::string PciDeviceXml(std::string_view address, std::string_view type,
                         std::string_view openfabrics_name = "",
                         std::string_view link_speed = "0.000000");

// Short forms of the functions that matter here.
std::string EfaXml(std::string_view address, std::string_view name);
std::string GpuXml(std::string_view address);

// A host bridge with `children`, e.g. of bus "10".
std::string HostBridgeXml(std::string_view bus, const std::string& children);

// A PCI-PCI bridge at `address` with bus `secondary_bus` below it. hwloc wants its depth: 1 is a
// root port.
std::string BridgeXml(std::string_view address, std::string_view secondary_bus, int depth,
                      const std::string& children);

// A whole document: a package per entry of `package_children` (1 or 2), and `machine_children`
// beside the packages.
std::string TopologyXml(const std::vector<std::string>& package_children,
                        const std::string& machine_children = "");

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_TOPOLOGY_XML_TESTUTIL_H_
