#include "lib/emulator/launcher/machine_file.h"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

EmulatedMachine Sample() {
  EmulatedMachine machine;
  machine.spec = "sample";
  machine.base_latency = Nanoseconds(20);
  machine.timing = {.pacing = false, .jitter = 0.5, .spike_length = Nanoseconds(9)};
  machine.numa_nodes = {{.index = 1, .package = 1, .cpus = {3, 4}, .memory = Bytes{5}}};
  EmulatedPciDevice nic;
  nic.kind = EmulatedPciDevice::Kind::kNic;
  nic.address = *PciAddress::Parse("0001:0a:1f.7");
  nic.link_gt_per_second = 32;
  EmulatedPciDevice bridge;
  bridge.children = {nic};
  EmulatedHostBridge host;
  host.numa_node = 0;
  host.children = {bridge, bridge};
  machine.host_bridges = {host, {}};
  machine.nics.resize(1);
  machine.nics[0].name = "rdmap10s31";
  machine.nics[0].address = nic.address;
  machine.nics[0].line_rate = BytesPerSecond{12.5e9};
  machine.gpus.resize(1);
  machine.gpus[0].dmabuf = false;
  machine.resources = {{.name = "r", .capacity = BytesPerSecond{1}}};
  const MemoryPlace gpu = MemoryPlace::Gpu(*PciAddress::Parse("0000:53:00.0"));
  InterconnectIds ids;
  ids.rdma_read = 0;
  machine.host_and_dmabuf_ids[{nic.address, gpu}] = ids;
  machine.paths[{nic.address, MemoryPlace::NumaNode(1)}][1] = {.resources = {0},
                                                               .capacity = BytesPerSecond{7}};
  return machine;
}

TEST(MachineFile, ComesBackAsItWas) {
  const EmulatedMachine machine = Sample();
  const std::string content = SerializeMachine(machine);
  const auto read = ParseMachine(content, "file");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(SerializeMachine(*read), content);
  EXPECT_EQ(read->numa_nodes[0].cpus, machine.numa_nodes[0].cpus);
  EXPECT_EQ(read->host_bridges[0].numa_node, 0u);
  EXPECT_FALSE(read->host_bridges[1].numa_node.has_value());
  EXPECT_EQ(read->host_bridges[0].children[1].children[0].address, machine.nics[0].address);
  EXPECT_FALSE(read->timing.pacing);
  EXPECT_EQ(read->timing.jitter, 0.5);
  EXPECT_EQ(read->timing.spike_length, Nanoseconds(9));
  EXPECT_EQ(read->nics[0].line_rate.value, 12.5e9);
  EXPECT_FALSE(read->gpus[0].dmabuf);
  EXPECT_EQ(read->host_and_dmabuf_ids, machine.host_and_dmabuf_ids);
  const auto& path = read->paths.at({machine.nics[0].address, MemoryPlace::NumaNode(1)})[1];
  EXPECT_EQ(path.resources, std::vector<uint32_t>{0});
  EXPECT_EQ(path.capacity.value, 7);
}

TEST(MachineFile, EveryTruncationIsAnError) {
  const std::string content = SerializeMachine(Sample());
  for (size_t size = 0; size < content.size(); ++size) {
    EXPECT_FALSE(ParseMachine(content.substr(0, size), "file").has_value()) << size;
  }
  const auto longer = ParseMachine(content + "x", "the file");
  ASSERT_FALSE(longer.has_value());
  EXPECT_NE(longer.error().ToString().find("the file"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
