#include "lib/topology/names.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// "" when resolving succeeded.
template <typename T>
std::string Message(const Result<T>& result) {
  return result ? "" : result.error().ToString();
}

void ExpectPart(const std::string& message, std::string_view part) {
  EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

std::string NicMessage(const Machine& machine, std::string_view text) {
  return Message(ResolveNic(machine, text));
}

std::string PlaceMessage(const Machine& machine, std::string_view text,
                         const std::vector<PciAddress>& cuda_order = {}) {
  return Message(ResolvePlace(machine, text, cuda_order));
}

TEST(ResolveNicTest, ByAddressOrExactName) {
  const Machine p4d = MakeP4d();
  const NicKey expected = {Pci("0000:10:1b.0"), "rdmap16s27"};
  EXPECT_EQ(ResolveNic(p4d, "rdmap16s27"), expected);
  EXPECT_EQ(ResolveNic(p4d, "0000:10:1b.0"), expected);
  EXPECT_EQ(ResolveNic(p4d, "10:1b.0"), expected);
  EXPECT_EQ(ResolveNic(p4d, "0000:10:1B.0"), expected);
}

TEST(ResolveNicTest, APrefixIsAnErrorThatOffersTheName) {
  ExpectPart(NicMessage(MakeP4d(), "rdmap16s2"),
             "find NIC 'rdmap16s2': this machine has no EFA NIC of that name. "
             "The nearest spelling is rdmap16s27.");
}

TEST(ResolveNicTest, AnExactNameWinsThoughItIsAPrefixOfAnother) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.nics = {MakeNic("0000:10:02.0", "0000:10", {}, 0),   // rdmap16s2
                  MakeNic("0000:10:1b.0", "0000:10", {}, 0)};  // rdmap16s27
  EXPECT_EQ(ResolveNic(machine, "rdmap16s2")->address, Pci("0000:10:02.0"));
  ExpectPart(NicMessage(machine, "rdmap16s"), "are rdmap16s2 and rdmap16s27.");
}

TEST(ResolveNicTest, ATypoOffersTheNearest) {
  ExpectPart(NicMessage(MakeP4d(), "rdmap61s27"), "The nearest spelling");
  ExpectPart(NicMessage(MakeP4d(), "rdmap16s27x"), "is rdmap16s27.");
  ExpectPart(NicMessage(MakeP4d(), "0000:10:1b.1"), "no EFA NIC at that PCI address");
  ExpectPart(NicMessage(MakeP4d(), "0000:10:1b.1"), "is 0000:10:1b.0.");
}

TEST(ResolveNicTest, NothingNearListsWhatThereIs) {
  ExpectPart(NicMessage(MakeP4d(), "eth0"),
             "This machine has rdmap16s27, rdmap32s27, rdmap144s27, rdmap160s27.");
  ExpectPart(NicMessage(MakeP5(), "eth0"), "… (22 more)");
  ExpectPart(NicMessage(MakeP5(), ""), "the name is empty");
}

TEST(ResolveNicTest, OtherKindsOfDevicesAreNone) {
  Machine machine = MakeP4d();
  machine.other_rdma_devices = {Pci("0000:05:00.0")};
  ExpectPart(NicMessage(machine, "0000:05:00.0"), "an RDMA device and no EFA");
  ExpectPart(NicMessage(machine, "0000:10:1c.0"), "no EFA NIC at that PCI address");
}

TEST(ResolveNicTest, ANicWithoutANameIsFoundByAddressOnly) {
  Machine machine = MakeP4d();
  for (Nic& nic : machine.nics) nic.name.clear();
  EXPECT_TRUE(ResolveNic(machine, "0000:10:1b.0"));
  ExpectPart(NicMessage(machine, ""), "the name is empty");
  ExpectPart(NicMessage(machine, "rdmap16s27"), "This machine has 0000:10:1b.0, ");
}

TEST(ResolveNicTest, AMachineWithoutNicsSaysSo) {
  ExpectPart(NicMessage(MakeHost(1), "rdmap16s27"), "no PCI devices");
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  ExpectPart(NicMessage(machine, "rdmap16s27"), "no EFA device");
}

TEST(ResolveNicTest, HostileNamesStayOneLine) {
  ExpectPart(NicMessage(MakeP4d(), "a\nb\x1b[31m"), "'a?b?[31m'");
  const std::string message = NicMessage(MakeP4d(), std::string(100000, 'x'));
  EXPECT_LT(message.size(), 500u);
}

TEST(ResolvePlaceTest, AcceleratorsAreNotSupportedYet) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.accelerators = {{MakeGpu("0000:10:1c.0", "0000:10", {}, 0).position, 0x1d0f, 0x7164, ""}};
  for (const char* name : {"accelerator:0000:10:1c.0", "gpu:0000:10:1c.0"}) {
    const auto place = ResolvePlace(machine, name, {});
    ASSERT_FALSE(place) << name;
    ExpectPart(place.error().ToString(),
               "no CUDA GPU is not supported yet. This machine has numa0");
  }
}

TEST(ResolvePlaceTest, NodesAndGpus) {
  const Machine p5 = MakeP5();
  EXPECT_EQ(ResolvePlace(p5, "numa1", {}), MemoryPlace::NumaNode(1));
  const MemoryPlace gpu = MemoryPlace::Gpu(Pci("0000:53:00.0"));
  EXPECT_EQ(ResolvePlace(p5, "gpu:0000:53:00.0", {}), gpu);
  EXPECT_EQ(ResolvePlace(p5, "gpu:53:00.0", {}), gpu);
}

TEST(ResolvePlaceTest, OrdinalsFollowTheOrderOfCuda) {
  const Machine p5 = MakeP5();
  const std::vector<PciAddress> order = PciList({"0000:64:00.0", "0000:53:00.0"});
  EXPECT_EQ(ResolvePlace(p5, "gpu0", order), MemoryPlace::Gpu(Pci("0000:64:00.0")));
  EXPECT_EQ(ResolvePlace(p5, "gpu1", order), MemoryPlace::Gpu(Pci("0000:53:00.0")));
  ExpectPart(PlaceMessage(p5, "gpu2", order),
             "no device of that ordinal. It lists gpu0 (0000:64:00.0), gpu1 (0000:53:00.0).");
  ExpectPart(PlaceMessage(p5, "gpu0"), "the order of CUDA's devices is not known here");
  ExpectPart(PlaceMessage(p5, "gpu0"), "gpu:0000:53:00.0, ");
}

TEST(ResolvePlaceTest, WhatIsNotThereListsWhatIs) {
  const Machine p4d = MakeP4d();
  ExpectPart(PlaceMessage(p4d, "numa2"), "no such NUMA node. This machine has numa0, numa1.");
  ExpectPart(PlaceMessage(p4d, "gpu:0000:53:00.0"), "This machine has gpu:0000:10:1c.0, ");
  ExpectPart(PlaceMessage(MakeHost(1), "gpu:0000:53:00.0"), "This machine shows none.");

  Machine gb200 = MakeHost(2);
  gb200.numa_nodes.push_back({2, Bytes{0}, {}});
  ExpectPart(PlaceMessage(gb200, "numa2"), "has no memory. This machine has numa0, numa1.");
}

TEST(ResolvePlaceTest, AGpuThatOnlyCudaSeesIsAPlace) {
  const Machine hidden = MakeHost(1);
  EXPECT_EQ(ResolvePlace(hidden, "gpu:0000:53:00.0", PciList({"0000:53:00.0"})),
            MemoryPlace::Gpu(Pci("0000:53:00.0")));
}

TEST(ResolvePlaceTest, BadSpellings) {
  const Machine p4d = MakeP4d();
  for (const char* text : {"", "numa", "numa-1", "numa+1", "numa1x", "numa99999999999", "gpu",
                           "gpu:", "gpu:0", "gpu-1", "gpu1.5", "0000:10:1c.0", "GPU0", "node0"}) {
    ExpectPart(PlaceMessage(p4d, text), "a place is numaN, ");
  }
  ExpectPart(PlaceMessage(p4d, "nmua0"), "The nearest spelling is numa0.");
}

TEST(ResolveListTest, KeepsTheOrder) {
  const Machine p4d = MakeP4d();
  const auto nics = ResolveNics(p4d, "rdmap32s27, 10:1b.0");
  ASSERT_TRUE(nics);
  ASSERT_EQ(nics->size(), 2u);
  EXPECT_EQ((*nics)[0].name, "rdmap32s27");
  EXPECT_EQ((*nics)[1].name, "rdmap16s27");

  const auto places = ResolvePlaces(p4d, "numa1,gpu0", PciList({"0000:10:1c.0"}));
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 2u);
  EXPECT_EQ((*places)[0].ToString(), "numa1");
  EXPECT_EQ((*places)[1].ToString(), "gpu:0000:10:1c.0");
}

TEST(ResolveListTest, WhatIsThereTwiceIsAnErrorInWhateverSpelling) {
  const Machine p4d = MakeP4d();
  ExpectPart(Message(ResolveNics(p4d, "rdmap32s27,10:1b.0,0000:20:1b.0")),
             "find NIC '0000:20:1b.0': NIC 0000:20:1b.0 is in the list twice");
  ExpectPart(Message(ResolvePlaces(p4d, "gpu0,numa1,gpu:0000:10:1c.0", PciList({"0000:10:1c.0"}))),
             "'gpu:0000:10:1c.0': gpu:0000:10:1c.0 is in the list twice");
}

TEST(ResolveListTest, OneBadEntryIsTheError) {
  const Machine p4d = MakeP4d();
  ExpectPart(Message(ResolveNics(p4d, "rdmap16s27,rdmap32s2")), "'rdmap32s2'");
  ExpectPart(Message(ResolveNics(p4d, "rdmap16s27,")), "the name is empty");
  ExpectPart(Message(ResolveNics(p4d, "")), "the name is empty");
  ExpectPart(Message(ResolvePlaces(p4d, "numa0,,numa1", {})), "''");
}

}  // namespace
}  // namespace railgauge
