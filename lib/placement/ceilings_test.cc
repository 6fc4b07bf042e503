#include "lib/placement/ceilings.h"

#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/scenario/seen_machine_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

Sample SampleOf(const Machine& machine, std::string_view nic, std::string_view place,
                Operation operation = Operation::kRead) {
  Sample sample;
  sample.cell.nic = machine.FindNic(Pci(nic))->key();
  sample.cell.place = *MemoryPlace::Parse(place);
  sample.cell.operation = operation;
  sample.cell.direction = Direction::kToMemory;
  return sample;
}

// "RESOURCE RATE BASIS", one per ceiling.
std::vector<std::string> TextsOf(const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> texts;
  for (const Ceiling& ceiling : ceilings) {
    texts.push_back(fmt::format("{} {} {}", ceiling.resource,
                                FormatBytesPerSecond(ceiling.capacity), ToString(ceiling.basis)));
  }
  return texts;
}

using Texts = std::vector<std::string>;

const Machine& P5() { return SeeMachine("p5.48xlarge").seen; }

// Traffic that stays below the switch is no user of its uplink.
TEST(CeilingsTest, OfWhatIsCrossedOnly) {
  EXPECT_EQ(TextsOf(CeilingsOf(P5(), SampleOf(P5(), "0000:4f:00.0", "gpu:0000:53:00.0"))),
            (Texts{"the line rate of rdmap79s0 12.50 GB/s published",
                   "the PCI link of rdmap79s0 15.75 GB/s pci_link"}));
  EXPECT_EQ(TextsOf(CeilingsOf(P5(), SampleOf(P5(), "0000:4f:00.0", "gpu:0000:64:00.0"))),
            (Texts{"the line rate of rdmap79s0 12.50 GB/s published",
                   "the PCI link of rdmap79s0 15.75 GB/s pci_link",
                   "the uplink of switch 0000:44:00.0 15.75 GB/s pci_link",
                   "the uplink of switch 0000:55:00.0 15.75 GB/s pci_link"}));
}

TEST(CeilingsTest, OfHostMemoryWhatOthersReached) {
  const auto texts =
      TextsOf(CeilingsOf(P5(), SampleOf(P5(), "0000:4f:00.0", "numa0", Operation::kWrite)));
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts.back(), "the memory of numa0 32.00 GB/s reported") << "64 by two nodes";
}

TEST(CeilingsTest, BothHalves) {
  Sample sample = SampleOf(P5(), "0000:4f:00.0", "gpu:0000:53:00.0");
  sample.partner = P5().FindNic(Pci("0000:60:00.0"))->key();
  sample.partner_place = MemoryPlace::NumaNode(0);
  const auto texts = TextsOf(CeilingsOf(P5(), sample));
  EXPECT_EQ(texts[2], "the line rate of rdmap96s0 12.50 GB/s published");
  sample.peer = "another-host";
  EXPECT_EQ(CeilingsOf(P5(), sample).size(), 2u) << "nothing is known of it";
}

TEST(CeilingsTest, APublishedLineRateBinds) {
  const auto ceiling =
      BindingCeiling(P5(), SampleOf(P5(), "0000:4f:00.0", "gpu:0000:64:00.0").cell);
  ASSERT_TRUE(ceiling);
  EXPECT_TRUE(ceiling->hard());
  EXPECT_EQ(ceiling->capacity, BytesPerSecond{12.5e9});
}

// The root ports of GB200 show 1.97 GB/s, and idle GPUs of g6 2.0: none is a ceiling.
TEST(CeilingsTest, ALinkOfSysfsNeverBinds) {
  const Machine& gb200 = SeeMachine("p6e-gb200.36xlarge").seen;
  const Nic& nic = gb200.nics.front();
  Sample sample = SampleOf(gb200, nic.position.address.ToString(), "numa0");
  EXPECT_EQ(TextsOf(CeilingsOf(gb200, sample)).back(),
            fmt::format("the uplink of switch {} 1.97 GB/s pci_link",
                        nic.position.bridges.front().ToString()));
  const auto ceiling = BindingCeiling(gb200, sample.cell);
  ASSERT_TRUE(ceiling);
  EXPECT_EQ(ceiling->capacity, BytesPerSecond{12.5e9});
  EXPECT_EQ(ceiling->basis, Ceiling::Basis::kAssumed);
  EXPECT_FALSE(ceiling->hard());

  const Machine& g6 = SeeMachine("g6.48xlarge").seen;
  const Sample to_gpu = SampleOf(g6, "0000:96:00.0", "gpu:0000:9f:00.0");
  for (const Ceiling& one : CeilingsOf(g6, to_gpu)) EXPECT_GT(one.capacity.value, 3e9);
}

TEST(CeilingsTest, OfAnUnknownTypeThePortsRate) {
  Machine machine = MakeP5();
  machine.instance_type = "p9.48xlarge";
  const Cell cell = SampleOf(machine, "0000:4f:00.0", "numa0").cell;
  EXPECT_FALSE(BindingCeiling(machine, cell)) << "unknown stays unknown";
  for (Nic& nic : machine.nics) nic.port_rate = BytesPerSecond{25e9};
  const auto ceiling = BindingCeiling(machine, cell);
  ASSERT_TRUE(ceiling);
  EXPECT_EQ(ceiling->capacity, BytesPerSecond{25e9});
  EXPECT_EQ(ToString(ceiling->basis), "port");
}

TEST(CeilingsTest, TheLargerOfTypeAndPort) {
  Machine machine = MakeP5();
  const Cell cell = SampleOf(machine, "0000:4f:00.0", "numa0").cell;
  for (Nic& nic : machine.nics) nic.port_rate = BytesPerSecond{6.25e9};
  EXPECT_EQ(BindingCeiling(machine, cell)->capacity, BytesPerSecond{12.5e9});
  for (Nic& nic : machine.nics) nic.port_rate = BytesPerSecond{25e9};
  EXPECT_EQ(BindingCeiling(machine, cell)->capacity, BytesPerSecond{25e9});
}

TEST(CeilingsTest, ThePhraseTellsOfTheNicsOwnLink) {
  MeasuredCell cell;
  cell.cell = SampleOf(P5(), "0000:4f:00.0", "numa0").cell;
  EXPECT_EQ(CeilingPhrase(P5(), cell), "") << "not measured";
  cell.median = 7.5e9;
  EXPECT_EQ(CeilingPhrase(P5(), cell),
            "60 % of the line rate of rdmap79s0 (12.50 GB/s, published)");
  const Machine& narrow = SeeMachine("p5.48xlarge,narrow-link:rdmap79s0").seen;
  EXPECT_EQ(CeilingPhrase(narrow, cell),
            "60 % of the line rate of rdmap79s0 (12.50 GB/s, published); the PCI link of rdmap79s0 "
            "shows 7.88 GB/s only");
}

}  // namespace
}  // namespace railgauge
