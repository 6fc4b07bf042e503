#include "lib/topology/xml_testutil.h"

#include <cstddef>

#include "fmt/core.h"

namespace railgauge {
namespace {

// hwloc wants a number unique in the file on every object; all of the fixed objects are below 100.
int NextGpIndex() {
  static int next = 100;
  return next++;
}

// The four sets of an object that holds the CPUs and nodes of these masks.
std::string Sets(unsigned cpus, unsigned nodes) {
  return fmt::format(
      "cpuset=\"{0:#010x}\" complete_cpuset=\"{0:#010x}\" "
      "nodeset=\"{1:#010x}\" complete_nodeset=\"{1:#010x}\"",
      cpus, nodes);
}

std::string PackageXml(unsigned index, const std::string& io_children) {
  const unsigned cpus = 3u << (2 * index);
  std::string xml = fmt::format("<object type=\"Package\" os_index=\"{}\" {} gp_index=\"{}\">\n",
                                index, Sets(cpus, 1u << index), 10 + index);
  xml += fmt::format(
      "<object type=\"NUMANode\" os_index=\"{}\" {} gp_index=\"{}\" local_memory=\"{}\"/>\n", index,
      Sets(cpus, 1u << index), 20 + index, (index + 1) * 1000000);
  for (unsigned cpu = 2 * index; cpu < 2 * index + 2; ++cpu) {
    xml += fmt::format("<object type=\"PU\" os_index=\"{}\" {} gp_index=\"{}\"/>\n", cpu,
                       Sets(1u << cpu, 1u << index), 30 + cpu);
  }
  return xml + io_children + "</object>\n";
}

}  // namespace

std::string PciDeviceXml(std::string_view address, std::string_view type,
                         std::string_view openfabrics_name, std::string_view link_speed) {
  std::string xml = fmt::format(
      "<object type=\"PCIDev\" gp_index=\"{}\" pci_busid=\"{}\" pci_type=\"{} [0000:0000] 00\" "
      "pci_link_speed=\"{}\">\n",
      NextGpIndex(), address, type, link_speed);
  if (!openfabrics_name.empty()) {
    xml += fmt::format("<object type=\"OSDev\" gp_index=\"{}\" name=\"{}\" osdev_type=\"3\"/>\n",
                       NextGpIndex(), openfabrics_name);
  }
  return xml + "</object>\n";
}

std::string EfaXml(std::string_view address, std::string_view name) {
  return PciDeviceXml(address, "0200 [1d0f:efa1]", name, "15.753846");
}

std::string GpuXml(std::string_view address) {
  return PciDeviceXml(address, "0302 [10de:2330]", "", "63.015385");
}

std::string HostBridgeXml(std::string_view bus, const std::string& children) {
  return fmt::format(
      "<object type=\"Bridge\" gp_index=\"{}\" bridge_type=\"0-1\" depth=\"0\" "
      "bridge_pci=\"0000:[{}-{}]\">\n{}</object>\n",
      NextGpIndex(), bus, bus, children);
}

std::string BridgeXml(std::string_view address, std::string_view secondary_bus, int depth,
                      const std::string& children) {
  return fmt::format(
      "<object type=\"Bridge\" gp_index=\"{}\" bridge_type=\"1-1\" depth=\"{}\" "
      "bridge_pci=\"0000:[{}-{}]\" pci_busid=\"{}\" pci_type=\"0604 [1d0f:0200] [0000:0000] 00\" "
      "pci_link_speed=\"0.000000\">\n{}</object>\n",
      NextGpIndex(), depth, secondary_bus, secondary_bus, address, children);
}

std::string TopologyXml(const std::vector<std::string>& package_children,
                        const std::string& machine_children) {
  const unsigned cpus = (1u << (2 * package_children.size())) - 1;
  const unsigned nodes = (1u << package_children.size()) - 1;
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
      "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\" {} "
      "allowed_cpuset=\"{:#010x}\" allowed_nodeset=\"{:#010x}\" gp_index=\"1\">\n"
      "<info name=\"DMIProductName\" value=\"test.48xlarge\"/>\n"
      "<info name=\"HostName\" value=\"ip-test\"/>\n",
      Sets(cpus, nodes), cpus, nodes);
  for (size_t i = 0; i < package_children.size(); ++i) {
    xml += PackageXml(static_cast<unsigned>(i), package_children[i]);
  }
  return xml + machine_children + "</object>\n</topology>\n";
}

}  // namespace railgauge
