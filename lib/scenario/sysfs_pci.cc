#include "lib/scenario/sysfs_pci.h"

#include <string>
#include <string_view>

#include "fmt/core.h"
#include "lib/scenario/pci_config_space.h"
#include "lib/scenario/sysfs_rdma.h"
#include "lib/scenario/sysfs_system.h"

namespace railgauge {
namespace {

using Kind = EmulatedPciDevice::Kind;

// The Linux driver that a function is bound to; empty: none.
std::string_view DriverOf(const EmulatedPciDevice& device) {
  constexpr uint32_t kNvme = 0x0108;
  switch (device.kind) {
    case Kind::kBridge:
      return "pcieport";
    case Kind::kNic:
      return "efa";
    case Kind::kGpu:
      return "nvidia";
    case Kind::kAccelerator:
    case Kind::kRdma:
      return device.driver;
    case Kind::kOther:
      if (!device.network_interface.empty()) return "ena";
      return device.class_code >> 8 == kNvme ? "nvme" : "";
  }
  return "";
}

// What the kernel matches drivers by: libibverbs finds its provider with it.
std::string ModaliasOf(const EmulatedPciDevice& d) {
  return fmt::format("pci:v{:08X}d{:08X}sv{:08X}sd{:08X}bc{:02X}sc{:02X}i{:02X}", d.vendor_id,
                     d.device_id, d.subsystem_vendor_id, d.subsystem_device_id,
                     (d.class_code >> 16) & 0xff, (d.class_code >> 8) & 0xff, d.class_code & 0xff);
}

class PciWriter {
 public:
  PciWriter(const EmulatedMachine& machine, FileTree* tree) : machine_(machine), tree_(tree) {}

  void Write() {
    for (const char* folder : {"sys/bus/pci/devices", "sys/bus/pci/drivers", "sys/bus/pci/slots",
                               "sys/class/net", "sys/class/block", "sys/class/drm",
                               "sys/class/infiniband", "sys/class/infiniband_verbs"}) {
      tree_->Folder(folder);
    }
    tree_->Attribute("sys/class/infiniband_verbs/abi_version", "6");
    for (const EmulatedHostBridge& bridge : machine_.host_bridges) {
      numa_node_ = bridge.numa_node;
      local_cpus_ = CpusOfNode(machine_, bridge.numa_node);
      const std::string path =
          fmt::format("sys/devices/pci{:04x}:{:02x}", bridge.domain, bridge.bus);
      WriteFunctions(bridge.children, path, 0);
    }
  }

 private:
  void WriteFunctions(const std::vector<EmulatedPciDevice>& devices, const std::string& above,
                      size_t depth) {
    for (const EmulatedPciDevice& device : devices) {
      const std::string path = above + "/" + device.address.ToString();
      WriteIdentity(device, path, depth);
      WriteLink(device, path);
      WriteLocality(path);
      WriteDriver(device, path);
      if (device.kind == Kind::kBridge) {
        tree_->Attribute(path + "/secondary_bus_number", std::to_string(device.secondary_bus));
        tree_->Attribute(path + "/subordinate_bus_number", std::to_string(device.subordinate_bus));
      }
      if (device.kind == Kind::kNic) WriteNic(device, path);
      if (device.kind == Kind::kRdma) WriteOtherRdmaDevice(device, path, tree_);
      if (!device.network_interface.empty()) WriteInterface(device, path);
      WriteFunctions(device.children, path, depth + 1);
    }
  }

  void WriteIdentity(const EmulatedPciDevice& device, const std::string& path, size_t depth) {
    const auto hex16 = [](uint16_t value) { return fmt::format("0x{:04x}", value); };
    tree_->Attribute(path + "/vendor", hex16(device.vendor_id));
    tree_->Attribute(path + "/device", hex16(device.device_id));
    tree_->Attribute(path + "/subsystem_vendor", hex16(device.subsystem_vendor_id));
    tree_->Attribute(path + "/subsystem_device", hex16(device.subsystem_device_id));
    tree_->Attribute(path + "/class", fmt::format("0x{:06x}", device.class_code));
    tree_->Attribute(path + "/revision", fmt::format("0x{:02x}", device.revision));
    tree_->Attribute(path + "/modalias", ModaliasOf(device));
    PciConfigSpace config = MakePciConfigSpace(device, depth);
    constexpr size_t kForEverybody = 64;
    if (!machine_.surroundings.reads_config) config.resize(kForEverybody);
    tree_->File(path + "/config",
                std::string_view(reinterpret_cast<const char*>(config.data()), config.size()));
    tree_->File(path + "/resource", NoResources(device.kind == Kind::kBridge));
    tree_->Link(path + "/subsystem", "sys/bus/pci");
    // The class folders still lead to the functions, without which libibverbs finds no device.
    if (!machine_.surroundings.shows_pci) return;
    tree_->Link("sys/bus/pci/devices/" + device.address.ToString(), path);
  }

  // Six BARs and a ROM, and four windows more of a bridge; none has an address here.
  static std::string NoResources(bool bridge) {
    std::string lines;
    for (int i = 0; i < (bridge ? 11 : 7); ++i) {
      lines += "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
    }
    return lines;
  }

  void WriteLink(const EmulatedPciDevice& device, const std::string& path) {
    // As pci_speed_string of the kernel has it; unknown are a speed of 0 and a width of 255.
    const std::string speed = device.link_gt_per_second > 0
                                  ? fmt::format("{:.1f} GT/s PCIe", device.link_gt_per_second)
                                  : "Unknown";
    const std::string width = std::to_string(device.link_width > 0 ? device.link_width : 255);
    for (const char* kind : {"current", "max"}) {
      tree_->Attribute(fmt::format("{}/{}_link_speed", path, kind), speed);
      tree_->Attribute(fmt::format("{}/{}_link_width", path, kind), width);
    }
  }

  void WriteLocality(const std::string& path) {
    tree_->Attribute(path + "/numa_node", numa_node_ ? std::to_string(*numa_node_) : "-1");
    tree_->Attribute(path + "/local_cpus", FormatCpuMask(machine_, local_cpus_));
    tree_->Attribute(path + "/local_cpulist", FormatCpuList(local_cpus_));
  }

  void WriteDriver(const EmulatedPciDevice& device, const std::string& path) {
    const std::string_view driver = DriverOf(device);
    const std::string uevent = fmt::format(
        "PCI_CLASS={:X}\nPCI_ID={:04X}:{:04X}\nPCI_SUBSYS_ID={:04X}:{:04X}\nPCI_SLOT_NAME={}\n"
        "MODALIAS={}\n",
        device.class_code, device.vendor_id, device.device_id, device.subsystem_vendor_id,
        device.subsystem_device_id, device.address.ToString(), ModaliasOf(device));
    if (driver.empty()) return tree_->File(path + "/uevent", uevent);
    tree_->File(path + "/uevent", fmt::format("DRIVER={}\n{}", driver, uevent));
    const std::string driver_path = fmt::format("sys/bus/pci/drivers/{}", driver);
    tree_->Folder(driver_path);
    tree_->Link(path + "/driver", driver_path);
    tree_->Link(driver_path + "/" + device.address.ToString(), path);
  }

  void WriteNic(const EmulatedPciDevice& device, const std::string& path) {
    const EmulatedNic* nic = machine_.FindNic(device.address);
    RAILGAUGE_CHECK(nic != nullptr);
    tree_->Attribute(path + "/p2p", machine_.p2p_provider);
    WriteRdmaDevice(*nic, static_cast<size_t>(nic - machine_.nics.data()), path, tree_);
  }

  void WriteInterface(const EmulatedPciDevice& device, const std::string& path) {
    const std::string folder = path + "/net/" + device.network_interface;
    const PciAddress& a = device.address;
    tree_->Attribute(folder + "/address",
                     fmt::format("02:00:{:02x}:{:02x}:{:02x}:{:02x}", a.domain & 0xff, a.bus,
                                 a.device, a.function));
    tree_->Attribute(folder + "/dev_id", "0x0");
    tree_->Attribute(folder + "/dev_port", "0");
    tree_->Attribute(folder + "/type", "1");
    tree_->Attribute(folder + "/operstate", "up");
    tree_->Link(folder + "/device", path);
    tree_->Link("sys/class/net/" + device.network_interface, folder);
  }

  const EmulatedMachine& machine_;
  FileTree* tree_;
  std::optional<uint32_t> numa_node_;
  std::vector<uint32_t> local_cpus_;
};

}  // namespace

void WritePciDevices(const EmulatedMachine& machine, FileTree* tree) {
  PciWriter(machine, tree).Write();
}

}  // namespace railgauge
