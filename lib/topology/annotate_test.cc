#include "lib/topology/annotate.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/topology/load.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/xml_testutil.h"

namespace railgauge {
namespace {

std::string Write(const std::string& name, std::string_view content) {
  const std::string path = ::testing::TempDir() + "/" + name;
  EXPECT_TRUE(WriteFileAtomically(path, content));
  return path;
}

std::string SmallXml() {
  return TopologyXml(
      {HostBridgeXml("10", EfaXml("0000:10:1b.0", "rdmap16s27") + GpuXml("0000:10:1c.0")),
       HostBridgeXml("20", EfaXml("0000:20:1b.0", "rdmap32s27"))});
}

std::string Annotated(const std::string& path, std::span<const ObjectNotes> notes) {
  Result<std::string> xml = AnnotateTopologyXml(path, "Test", notes);
  EXPECT_TRUE(xml) << xml.error().ToString();
  return xml ? *std::move(xml) : "";
}

std::string TextOf(const PciPosition& position) {
  std::string text = fmt::format(
      "{} below {} on {}, {:.0f} B/s", position.address.ToString(), position.host_bridge,
      position.numa_node ? fmt::format("numa{}", *position.numa_node) : "?",
      position.link_speed.value_or(BytesPerSecond{-1}).value);
  for (const PciAddress& bridge : position.bridges) text += " " + bridge.ToString();
  return text;
}

// Everything that a Machine holds.
std::string TextOf(const Machine& machine) {
  std::string text = fmt::format("{} {} {} {}\n", machine.instance_type, machine.hostname,
                                 machine.shows_pci, machine.flat);
  for (const NumaNode& node : machine.numa_nodes) {
    text += fmt::format("numa{} {}", node.os_index, node.memory.count);
    for (const uint32_t cpu : node.cpus) text += fmt::format(" {}", cpu);
    text += "\n";
  }
  for (const Nic& nic : machine.nics) {
    text += fmt::format("{} {} {}\n", nic.name, nic.device_id, TextOf(nic.position));
  }
  for (const Gpu& gpu : machine.gpus) {
    text +=
        fmt::format("{} {} {} {}\n", gpu.vendor_id, gpu.device_id, gpu.model, TextOf(gpu.position));
  }
  for (const Accelerator& item : machine.accelerators) {
    text += fmt::format("{} {} {} {}\n", item.vendor_id, item.device_id, item.model,
                        TextOf(item.position));
  }
  for (const PciAddress& other : machine.other_rdma_devices) text += other.ToString() + "\n";
  return text;
}

std::string TextOfFile(const std::string& path) {
  const Result<Machine> machine = LoadMachineFromXml(path);
  EXPECT_TRUE(machine) << machine.error().ToString();
  return machine ? TextOf(*machine) : "";
}

size_t CountOf(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(AnnotateTest, NotesStandOnTheirObjects) {
  const std::vector<ObjectNotes> notes = {
      {std::monostate(), "", {{"TestRun", "r1"}}},
      {uint32_t{1}, "", {{"TestPlace", "numa1"}}},
      {Pci("0000:20:1b.0"), "EFA 12.5/5.2 GB/s", {{"TestIds", "numa0=7"}, {"TestMore", "<&\">"}}},
      {Pci("0000:99:00.0"), "nobody", {{"TestLost", "x"}}}};
  const std::string xml = Annotated(Write("small.xml", SmallXml()), notes);
  EXPECT_EQ(CountOf(xml, "name=\"Test"), 4u) << xml;
  EXPECT_EQ(CountOf(xml, "subtype="), 1u);
  EXPECT_EQ(xml.find("nobody"), std::string::npos);
  // The infos of an object follow its tag.
  const size_t nic = xml.find("pci_busid=\"0000:20:1b.0\"");
  ASSERT_NE(nic, std::string::npos);
  const std::string tag = xml.substr(xml.rfind('<', nic), 400);
  EXPECT_NE(tag.find("subtype=\"EFA 12.5/5.2 GB/s\""), std::string::npos) << tag;
  EXPECT_NE(tag.find("<info name=\"TestIds\" value=\"numa0=7\"/>"), std::string::npos) << tag;
  EXPECT_NE(tag.find("value=\"&lt;&amp;&quot;&gt;\""), std::string::npos) << tag;
}

TEST(AnnotateTest, TheMachineIsTheSame) {
  const std::string path = Write("small.xml", SmallXml());
  const std::vector<ObjectNotes> notes = {
      {Pci("0000:10:1b.0"), "EFA", {{"TestIds", "numa0=7"}}},
      {Pci("0000:10:1c.0"), "GPU", {{"TestPlace", "gpu:0000:10:1c.0"}}}};
  const std::string before = TextOfFile(path);
  EXPECT_NE(before.find("rdmap32s27"), std::string::npos);
  EXPECT_EQ(TextOfFile(Write("noted.xml", Annotated(path, notes))), before);
}

TEST(AnnotateTest, OldNotesAreReplaced) {
  const std::string path = Write("small.xml", SmallXml());
  const std::vector<ObjectNotes> old = {
      {std::monostate(), "", {{"TestRun", "old"}}},
      {Pci("0000:10:1b.0"), "old", {{"TestIds", "old"}, {"TestGone", "old"}}}};
  const std::vector<ObjectNotes> notes = {{std::monostate(), "", {{"TestRun", "new"}}}};
  const std::string once = Annotated(path, notes);
  const std::string twice = Annotated(Write("old.xml", Annotated(path, old)), notes);
  EXPECT_EQ(twice, once);
  EXPECT_EQ(Annotated(Write("again.xml", twice), notes), once);
}

// Facts of the machine that topology.xml has of its own (recorded_facts.h).
TEST(AnnotateTest, InfosOfOtherNamesStay) {
  const std::string path = Write("small.xml", SmallXml());
  const std::vector<ObjectNotes> facts = {{Pci("0000:10:1b.0"), "", {{"FactRate", "100Gb/s"}}}};
  const Result<std::string> with_facts = AnnotateTopologyXml(path, "FactRate", facts);
  ASSERT_TRUE(with_facts);
  const std::vector<ObjectNotes> notes = {{Pci("0000:10:1b.0"), "EFA", {{"FactRunIds", "7"}}}};
  const Result<std::string> xml =
      AnnotateTopologyXml(Write("facts.xml", *with_facts), "FactRun", notes);
  ASSERT_TRUE(xml);
  EXPECT_EQ(CountOf(*xml, "name=\"FactRate\" value=\"100Gb/s\""), 1u);
  EXPECT_EQ(CountOf(*xml, "name=\"FactRunIds\""), 1u);
}

TEST(AnnotateTest, ABrokenFileIsAnError) {
  const Result<std::string> missing = AnnotateTopologyXml("/no/such.xml", "Test", {});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().ToString().find("/no/such.xml"), std::string::npos);
  std::string xml = SmallXml();
  xml.resize(xml.size() / 2);
  EXPECT_FALSE(AnnotateTopologyXml(Write("half.xml", xml), "Test", {}));
}

// Captures of real machines, where they are at hand (captures_test.cc says how).
TEST(AnnotateTest, CapturesAreTheSameMachines) {
  const char* data = std::getenv("RAILGAUGE_SHARED_DATA");
  if (data == nullptr) GTEST_SKIP() << "RAILGAUGE_SHARED_DATA is not set";
  for (const std::string type : {"p4d.24xlarge", "p5.48xlarge"}) {
    const std::string path = std::string(data) + "/hwloc/" + type + ".xml";
    const Result<Machine> machine = LoadMachineFromXml(path);
    ASSERT_TRUE(machine) << machine.error().ToString();
    std::vector<ObjectNotes> notes;
    for (const Nic& nic : machine->nics) {
      notes.push_back({nic.position.address, "EFA", {{"TestName", nic.name}}});
    }
    const std::string xml = Annotated(path, notes);
    EXPECT_EQ(CountOf(xml, "name=\"TestName\""), machine->nics.size());
    EXPECT_EQ(TextOfFile(Write("capture.xml", xml)), TextOf(*machine));
  }
}

}  // namespace
}  // namespace railgauge
