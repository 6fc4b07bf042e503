#include "lib/topology/machine_testutil.h"

#include <string>

#include "fmt/core.h"

namespace railgauge {
namespace {

PciPosition MakePosition(std::string_view address, std::string_view host_bridge,
                         const std::vector<std::string_view>& bridges,
                         std::optional<uint32_t> numa_node) {
  return {Pci(address), std::string(host_bridge), PciList(bridges), numa_node, std::nullopt};
}

}  // namespace

PciAddress Pci(std::string_view text) { return PciAddress::Parse(text).value(); }

std::vector<PciAddress> PciList(const std::vector<std::string_view>& texts) {
  std::vector<PciAddress> list;
  for (const std::string_view text : texts) list.push_back(Pci(text));
  return list;
}

Nic MakeNic(std::string_view address, std::string_view host_bridge,
            const std::vector<std::string_view>& bridges, std::optional<uint32_t> numa_node) {
  const PciPosition position = MakePosition(address, host_bridge, bridges, numa_node);
  return {position, 0xefa1,
          fmt::format("rdmap{}s{}", position.address.bus, position.address.device)};
}

Gpu MakeGpu(std::string_view address, std::string_view host_bridge,
            const std::vector<std::string_view>& bridges, std::optional<uint32_t> numa_node) {
  return {MakePosition(address, host_bridge, bridges, numa_node), 0x10de, 0x2330, ""};
}

Machine MakeHost(uint32_t count) {
  Machine machine;
  machine.hostname = "test-host";
  for (uint32_t i = 0; i < count; ++i) {
    machine.numa_nodes.push_back({i, Bytes{uint64_t{1} << 30}, {2 * i, 2 * i + 1}});
  }
  return machine;
}

Machine MakeP5() {
  Machine machine = MakeHost(2);
  machine.instance_type = "p5.48xlarge";
  machine.shows_pci = true;
  for (const int base : {0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb}) {
    const uint32_t node = base < 0x88 ? 0 : 1;
    const std::string host_bridge = fmt::format("0000:{:02x}", base);
    const std::string root_port = fmt::format("0000:{:02x}:00.0", base);
    const std::string upstream = fmt::format("0000:{:02x}:00.0", base + 1);
    for (int i = 0; i < 5; ++i) {
      const std::string downstream = fmt::format("0000:{:02x}:01.{}", base + 2, i);
      const std::string function = fmt::format("0000:{:02x}:00.0", base + 11 + i);
      const std::vector<std::string_view> bridges = {root_port, upstream, downstream};
      if (i < 4) {
        machine.nics.push_back(MakeNic(function, host_bridge, bridges, node));
      } else {
        machine.gpus.push_back(MakeGpu(function, host_bridge, bridges, node));
      }
    }
  }
  return machine;
}

Machine MakeP4d() {
  Machine machine = MakeHost(2);
  machine.instance_type = "p4d.24xlarge";
  machine.shows_pci = true;
  for (const int bus : {0x10, 0x20, 0x90, 0xa0}) {
    const uint32_t node = bus < 0x90 ? 0 : 1;
    const std::string host_bridge = fmt::format("0000:{:02x}", bus);
    machine.nics.push_back(MakeNic(host_bridge + ":1b.0", host_bridge, {}, node));
    machine.gpus.push_back(MakeGpu(host_bridge + ":1c.0", host_bridge, {}, node));
    machine.gpus.push_back(MakeGpu(host_bridge + ":1d.0", host_bridge, {}, node));
  }
  return machine;
}

Machine MakeG6() {
  Machine machine = MakeHost(2);
  machine.instance_type = "g6.48xlarge";
  machine.shows_pci = true;
  machine.nics.push_back(
      MakeNic("0000:96:00.0", "0000:84", {"0000:84:00.0", "0000:85:00.0", "0000:86:01.7"}, 0));
  for (const int bus : {0x9e, 0xa0, 0xa2, 0xa4, 0xad, 0xaf, 0xb1, 0xb3}) {
    const std::string root_port = fmt::format("0000:{:02x}:00.0", bus);
    machine.gpus.push_back(MakeGpu(fmt::format("0000:{:02x}:00.0", bus + 1),
                                   fmt::format("0000:{:02x}", bus), {root_port},
                                   bus < 0xad ? 0u : 1u));
  }
  return machine;
}

Machine MakeG5() {
  Machine machine = MakeHost(2);
  machine.instance_type = "g5.48xlarge";
  machine.shows_pci = true;
  machine.flat = true;
  machine.nics.push_back(MakeNic("0000:00:15.0", "0000:00", {}, std::nullopt));
  for (int device = 0x16; device <= 0x1d; ++device) {
    machine.gpus.push_back(
        MakeGpu(fmt::format("0000:00:{:02x}.0", device), "0000:00", {}, std::nullopt));
  }
  return machine;
}

}  // namespace railgauge
