#include "lib/placement/crossing.h"

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

Sample SampleOf(const Machine& machine, size_t nic, const MemoryPlace& place, size_t partner,
                const MemoryPlace& partner_place, Direction direction = Direction::kToMemory) {
  Sample sample;
  sample.cell.nic = machine.nics[nic].key();
  sample.cell.place = place;
  sample.cell.direction = direction;
  sample.partner = machine.nics[partner].key();
  sample.partner_place = partner_place;
  return sample;
}

std::string Text(const std::vector<Crossing>& crossings) {
  std::string text;
  for (const Crossing& crossing : crossings) {
    const auto flow = crossing.resource.flow;
    text += crossing.resource.ToString();
    text += flow == Resource::Flow::kToMemory     ? " in"
            : flow == Resource::Flow::kFromMemory ? " out"
                                                  : "";
    text += crossing.certain ? "\n" : " ?\n";
  }
  return text;
}

const MemoryPlace kNode0 = MemoryPlace::NumaNode(0);
const MemoryPlace kNode1 = MemoryPlace::NumaNode(1);

TEST(CrossingTest, HostMemoryIsBehindTheUplink) {
  const Machine machine = MakeP5();
  EXPECT_EQ(Text(CrossingsOf(machine, SampleOf(machine, 0, kNode0, 4, kNode0))),
            "the NIC rdmap79s0\n"
            "the uplink of switch 0000:44:00.0 in\n"
            "the memory of numa0 in\n"
            "the NIC rdmap96s0\n"
            "the uplink of switch 0000:55:00.0 out\n"
            "the memory of numa0 out\n");
}

TEST(CrossingTest, TheOtherNodeIsBehindALinkThatHasADirection) {
  const Machine machine = MakeP5();
  const MemoryPlace gpu = MemoryPlace::Gpu(Pci("0000:64:00.0"));
  EXPECT_EQ(Text(CrossingsOf(machine, SampleOf(machine, 0, kNode1, 4, gpu))),
            "the NIC rdmap79s0\n"
            "the uplink of switch 0000:44:00.0 in\n"
            "the link from numa0 to numa1\n"
            "the memory of numa1 in\n"
            "the NIC rdmap96s0\n"
            "the uplink of switch 0000:55:00.0 out ?\n"
            "the link of the GPU at 0000:64:00.0 out\n");
  EXPECT_NE(Text(CrossingsOf(machine, SampleOf(machine, 0, kNode1, 4, gpu, Direction::kFromMemory)))
                .find("the link from numa1 to numa0"),
            std::string::npos);
}

TEST(CrossingTest, AnotherSwitchsGpuIsBehindTwoUplinks) {
  const Machine machine = MakeP5();
  const MemoryPlace gpu = MemoryPlace::Gpu(Pci("0000:64:00.0"));
  const std::string text = Text(CrossingsOf(machine, SampleOf(machine, 0, gpu, 16, kNode1)));
  EXPECT_EQ(text.substr(0, text.find("the NIC rdmap147s0")),
            "the NIC rdmap79s0\n"
            "the uplink of switch 0000:44:00.0 in\n"
            "the uplink of switch 0000:55:00.0 out\n"
            "the link of the GPU at 0000:64:00.0 in\n");
}

TEST(CrossingTest, WithoutBridgesItIsTheHostBridge) {
  const Machine machine = MakeP4d();
  const std::string text = Text(CrossingsOf(machine, SampleOf(machine, 0, kNode0, 1, kNode0)));
  EXPECT_NE(text.find("the host bridge 0000:10 in"), std::string::npos) << text;
}

TEST(CrossingTest, OfAFlatMachineOnlyTheEndsAreKnown) {
  const Machine machine = MakeG5();
  EXPECT_EQ(
      Text(CrossingsOf(machine, SampleOf(machine, 0, kNode0, 0, kNode1))),
      "the NIC " + machine.nics[0].name + "\nthe memory of numa0 in\nthe memory of numa1 out\n");
}

TEST(CrossingTest, OfAPeerNothingIsKnown) {
  const Machine machine = MakeP5();
  Sample sample = SampleOf(machine, 0, kNode0, 4, kNode0);
  sample.peer = "node-b";
  sample.interconnect_id = 3;
  EXPECT_EQ(Text(CrossingsOf(machine, sample)),
            "the NIC rdmap79s0\n"
            "the uplink of switch 0000:44:00.0 in\n"
            "the memory of numa0 in\n"
            "the interconnect with id 3 ?\n"
            "something at node-b ?\n");
}

}  // namespace
}  // namespace railgauge
