#include "lib/scenario/sysfs_rdma.h"

#include "fmt/core.h"
#include "lib/scenario/hw_counters.h"

namespace railgauge {
namespace {

// Port 1 as any RDMA device has it, up and without a subnet manager.
void WritePort(const std::string& port, const std::string& gid, const char* link_layer,
               FileTree* tree) {
  tree->Attribute(port + "/state", "4: ACTIVE");
  tree->Attribute(port + "/phys_state", "5: LinkUp");
  tree->Attribute(port + "/link_layer", link_layer);
  tree->Attribute(port + "/lid", "0x0");
  tree->Attribute(port + "/lid_mask_count", "1");
  tree->Attribute(port + "/sm_lid", "0x0");
  tree->Attribute(port + "/sm_sl", "0");
  tree->Attribute(port + "/cap_mask", "0x00000000");
  tree->Attribute(port + "/gids/0", gid);
  tree->Attribute(port + "/gid_attrs/types/0", "IB/RoCE v1");
  tree->Folder(port + "/gid_attrs/ndevs");
  tree->Attribute(port + "/pkeys/0", "0xffff");
}

void WriteEfaPort(const EmulatedNic& nic, const std::string& port, FileTree* tree) {
  WritePort(port, nic.gid, "Unknown", tree);  // EFA's link layer is neither InfiniBand nor Ethernet
  tree->Attribute(port + "/rate", FormatPortRate(nic.model.reported_gb_per_second));
  for (const std::string_view name : kHwCounterNames) {
    tree->Attribute(fmt::format("{}/hw_counters/{}", port, name), "0");
  }
  tree->Attribute(port + "/hw_counters/lifespan", "10");  // how long the kernel caches, in ms
}

// class/infiniband/NAME, whose real folder is below the PCI function's; returns that folder.
std::string WriteDevice(const std::string& name, const char* node_type, const std::string& guid,
                        const std::string& firmware, const std::string& pci_path, FileTree* tree) {
  const std::string device = pci_path + "/infiniband/" + name;
  tree->Attribute(device + "/node_type", node_type);
  tree->Attribute(device + "/node_guid", guid);
  tree->Attribute(device + "/sys_image_guid", guid);
  tree->Attribute(device + "/node_desc", name);
  tree->Attribute(device + "/fw_ver", firmware);
  tree->Link(device + "/device", pci_path);
  tree->Link(device + "/subsystem", "sys/class/infiniband");
  tree->Link("sys/class/infiniband/" + name, device);
  return device;
}

}  // namespace

std::string FormatPortRate(double gb_per_second) {
  struct Speed {
    double per_lane;
    std::string_view name;
  };
  constexpr Speed kSpeeds[] = {{2.5, "SDR"}, {5, "DDR"},  {10, "QDR"},  {14, "FDR"},
                               {25, "EDR"},  {50, "HDR"}, {100, "NDR"}, {200, "XDR"}};
  for (const Speed& speed : kSpeeds) {
    if (gb_per_second == 4 * speed.per_lane) {
      return fmt::format("{:g} Gb/sec (4X {})", gb_per_second, speed.name);
    }
  }
  return fmt::format("{:g} Gb/sec (4X)", gb_per_second);
}

void WriteRdmaDevice(const EmulatedNic& nic, size_t index, const std::string& pci_path,
                     FileTree* tree) {
  constexpr char kUnspecified[] = "7: unspecified";  // neither InfiniBand nor iWARP
  const std::string device =
      WriteDevice(nic.name, kUnspecified, nic.node_guid, nic.model.firmware, pci_path, tree);
  WriteEfaPort(nic, device + "/ports/1", tree);

  const std::string uverbs_name = fmt::format("uverbs{}", index);
  const std::string uverbs = pci_path + "/infiniband_verbs/" + uverbs_name;
  tree->Attribute(uverbs + "/ibdev", nic.name);
  const size_t minor = kUverbsFirstMinor + index;
  tree->Attribute(uverbs + "/dev", fmt::format("{}:{}", kUverbsMajor, minor));
  tree->File(uverbs + "/uevent", fmt::format("MAJOR={}\nMINOR={}\nDEVNAME=infiniband/{}\n",
                                             kUverbsMajor, minor, uverbs_name));
  tree->Attribute(uverbs + "/abi_version", "1");
  tree->Link(uverbs + "/device", pci_path);
  tree->Link(uverbs + "/subsystem", "sys/class/infiniband_verbs");
  tree->Link("sys/class/infiniband_verbs/" + uverbs_name, uverbs);
}

void WriteOtherRdmaDevice(const EmulatedPciDevice& device, const std::string& pci_path,
                          FileTree* tree) {
  const PciAddress& a = device.address;
  const std::string guid = fmt::format("0200:{:04x}:00{:02x}:{:02x}{:02x}", a.domain & 0xffff,
                                       a.bus, a.device, a.function);
  const std::string folder =
      WriteDevice(device.rdma_device, "1: CA", guid, "emulated", pci_path, tree);
  WritePort(folder + "/ports/1", "fe80:0000:0000:0000:" + guid, "InfiniBand", tree);
}

}  // namespace railgauge
