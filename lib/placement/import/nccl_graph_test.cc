#include "lib/placement/import/nccl_graph.h"

#include <string>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/placement/import/import_testutil.h"
#include "lib/placement/import/nccl_topology.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// p4d as a topology file for NCCL_TOPO_FILE describes it: a switch per host bridge, PCI classes
// only.
std::string P4dFile() {
  std::string xml =
      "<!-- with a comment, and switches that sysfs does not show -->\n"
      "<system version=\"1\">\n";
  for (const int bus : {0x10, 0x20, 0x90, 0xa0}) {
    if (bus == 0x10) xml += "<cpu numaid=\"0\">\n";
    if (bus == 0x90) xml += "</cpu>\n<cpu numaid=\"1\">\n";
    xml += fmt::format(
        "<pci busid=\"ffff:ff:{:02x}.0\" class=\"0x060400\" link_speed=\"8 GT/s\" "
        "link_width=\"16\">\n",
        bus >> 4);
    for (const char* device :
         {"1c.0\" class=\"0x030200", "1d.0\" class=\"0x030200", "1b.0\" class=\"0x020000"}) {
      xml += fmt::format(
          "<pci busid=\"0000:{:02x}:{}\" link_speed=\"8 GT/s\" link_width=\"16\"/>\n", bus, device);
    }
    xml += "</pci>\n";
  }
  return xml + "</cpu>\n</system>\n";
}

// p5 as NCCL_TOPO_DUMP_FILE writes it with aws-ofi-nccl: one net per switch, called as its first
// NIC.
std::string P5Dump(int nets_per_switch = 1) {
  std::string xml = "<system version=\"1\">\n";
  int number = 0;
  for (const int base : {0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb}) {
    if (base == 0x44) xml += "<cpu numaid=\"0\" arch=\"x86_64\">\n";
    if (base == 0x88) xml += "</cpu>\n<cpu numaid=\"1\" arch=\"x86_64\">\n";
    xml += fmt::format(
        "<pci busid=\"0000:{:02x}:00.0\" class=\"0x060400\" "
        "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n",
        base + 1);
    xml += fmt::format(
        "<pci busid=\"0000:{:02x}:00.0\" class=\"0x030200\" "
        "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">"
        "<gpu dev=\"{}\" sm=\"90\" rank=\"{}\" gdr=\"1\"/></pci>\n",
        base + 15, number, number);
    for (int net = 0; net < nets_per_switch; ++net) {
      xml += fmt::format(
          "<pci busid=\"0000:{:02x}:00.0\" class=\"0x020000\" "
          "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n<nic>\n"
          "<net name=\"rdmap{}s0\" dev=\"{}\" speed=\"400000\" gdr=\"1\"/>\n"
          "</nic>\n</pci>\n",
          base + 11 + net, base + 11 + net, number * nets_per_switch + net);
    }
    xml += "</pci>\n";
    ++number;
  }
  return xml + "</cpu>\n</system>\n";
}

constexpr char kOwnSwitch[] =
    "53: 4f 50 51 52; 64: 60 61 62 63; 75: 71 72 73 74; 86: 82 83 84 85; "
    "97: 93 94 95 96; a8: a4 a5 a6 a7; b9: b5 b6 b7 b8; ca: c6 c7 c8 c9";

TEST(NcclTopologyTest, AFileWithSwitchesGivesEachGpuTheNicOfItsSwitch) {
  EXPECT_EQ(ImportLines(ImportNcclTopology, P4dFile(), MakeP4d()),
            "10.1c: 10.1b; 10.1d: 10.1b; 20.1c: 20.1b; 20.1d: 20.1b; "
            "90.1c: 90.1b; 90.1d: 90.1b; a0.1c: a0.1b; a0.1d: a0.1b");
}

TEST(NcclTopologyTest, ANetOfAwsOfiNcclStandsForItsGroup) {
  EXPECT_EQ(ImportLines(ImportNcclTopology, P5Dump(), MakeP5()), kOwnSwitch);
  EXPECT_EQ(ImportLines(ImportNcclTopology, P5Dump(4), MakeP5()), kOwnSwitch);
}

TEST(NcclTopologyTest, NamesOfMergedDevicesAreTakenApart) {
  std::string xml = P5Dump();
  const std::string name = "rdmap79s0\" dev=\"0\"";
  xml.replace(xml.find(name), name.size(), "rdmap80s0+rdmap81s0\" dev=\"0\"");
  EXPECT_TRUE(ImportLines(ImportNcclTopology, xml, MakeP5()).starts_with("53: 50 51; 64: 60;"));
}

// Of NICs below two switches: NCCL then hangs the merged one below the CPU.
TEST(NcclTopologyTest, AMergedDeviceMayHangBelowTheCpu) {
  std::string xml = P5Dump();
  for (const char* address : {"0000:4f:00.0", "0000:60:00.0", "0000:71:00.0", "0000:82:00.0"}) {
    const std::string end = "</nic>\n</pci>\n";
    const size_t at = xml.find(fmt::format("<pci busid=\"{}\"", address));
    ASSERT_NE(at, std::string::npos);
    xml.erase(at, xml.find(end, at) + end.size() - at);
  }
  xml.insert(xml.find("</cpu>"),
             "<nic>\n<net name=\"rdmap79s0+rdmap96s0\" dev=\"0\" speed=\"800000\"/>\n</nic>\n");
  const std::string lines = ImportLines(ImportNcclTopology, xml, MakeP5());
  EXPECT_TRUE(lines.starts_with("53: 4f 60; 64: 4f 60; 75: 4f 60; 86: 4f 60; 97: 93")) << lines;
}

// What kernels write of one speed, with a unit or two.
TEST(NcclTopologyTest, TheSpeedOfALinkIsReadAsItIsWritten) {
  std::string xml = P5Dump(4);
  const std::string expected = ImportLines(ImportNcclTopology, xml, MakeP5());
  // One NIC of the first switch trained down: the others are wider, and it is no local one.
  const std::string speed = "link_speed=\"32.0 GT/s PCIe\"";
  size_t at = xml.find(speed, xml.find("0000:4f:00.0"));
  xml.replace(at, speed.size(), "link_speed=\"2.5 GT/s PCIe\"");
  EXPECT_TRUE(ImportLines(ImportNcclTopology, xml, MakeP5()).starts_with("53: 50 51 52;"));
  for (at = 0; (at = xml.find("2.5 GT/s PCIe", at)) != std::string::npos;) {
    xml.replace(at, 13, "32 GT/s");
  }
  EXPECT_EQ(ImportLines(ImportNcclTopology, xml, MakeP5()), expected);
}

TEST(NcclTopologyTest, ErrorsNameTheLine) {
  const struct {
    const char* content;
    const char* start;
  } cases[] = {
      {"<system><cpu numaid=\"0\"><pci", "error: read f:1: it is no XML: "},
      {"<system>\n<cpu numaid=\"x\"/></system>",
       "error: read f:2: numaid=\"x\" of <cpu> is no number"},
      {"<system/>", "error: read f:1: it has no GPU"},
      {"<graphs/>", "error: read f:1: the root is <graphs> and a topology's is <system>"},
      {"<!DOCTYPE a [<!ENTITY b \"c\">]><system/>", "error: read f:1: it has a document type"},
      {"<system><cpu><pci/></cpu></system>", "error: read f:1: <pci> has no busid"},
      {"<system><cpu host_hash=\"0x1\"/>\n<cpu host_hash=\"0x2\"/></system>",
       "error: read f:2: this <cpu> is of another host than those above"},
      {"<system><cpu>\n\n<pci busid=\"0000:50:00.1\" class=\"0x020000\"/></cpu></system>",
       "error: read f:3: find NIC '0000:50:00.1': this machine has no EFA NIC at that PCI address. "
       "The nearest spelling"},
      {"<system><cpu><pci busid=\"0000:54:00.0\" class=\"0x030200\"/></cpu></system>",
       "error: read f:1: find memory place 'gpu:0000:54:00.0': this machine has no GPU at that"},
  };
  for (const auto& c : cases) {
    const std::string lines = ImportLines(ImportNcclTopology, c.content, MakeP5());
    EXPECT_TRUE(lines.starts_with(c.start)) << lines;
  }
}

TEST(NcclTopologyTest, DepthAndSizeAreBounded) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_EQ(ImportLines(ImportNcclTopology, deep, MakeP5()),
            "error: read f:1: elements nest too deep. Give the file as it was written.");
  std::string wide = "<system>";
  for (int i = 0; i < 200'000; ++i) wide += "<a/>";
  EXPECT_EQ(ImportLines(ImportNcclTopology, wide, MakeP5()),
            "error: read f:1: there are too many elements. Give the file as it was written.");
}

TEST(NcclTopologyTest, DamageDoesNoHarm) { ExpectNoHarm(ImportNcclTopology, P4dFile(), MakeP4d()); }

std::string GraphLines(const std::string& graph, const std::string& topology) {
  const Machine machine = MakeP5();
  const std::vector<PciAddress> no_cuda;
  return Lines(ImportNcclGraph({graph, "g", machine, no_cuda}, {topology, "t", machine, no_cuda}));
}

// A ring of a channel: in by net 1 at GPU 1, out by net 0 at the last GPU, GPU 0.
constexpr char kRing[] =
    "<graphs version=\"1\">\n<graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\">\n"
    "<channel>\n<net dev=\"1\"/>\n<gpu dev=\"1\"/>\n<gpu dev=\"7\"/>\n<gpu dev=\"0\"/>\n"
    "<net dev=\"0\"/>\n</channel>\n</graph>\n</graphs>\n";

TEST(NcclGraphTest, ARingEntersAtItsFirstGpuAndLeavesAtItsLast) {
  EXPECT_EQ(GraphLines(kRing, P5Dump()), "64: 60 61 62 63; 53: 4f 50 51 52");
}

TEST(NcclGraphTest, NewVersionsWriteHexadecimalWithTheHostInTheTopByte) {
  EXPECT_EQ(
      GraphLines("<graphs><graph id=\"1\" pattern=\"1\"><channel><net dev=\"0x1f\"/>"
                 "<gpu dev=\"0x100000000000002\" rank=\"2\"/><gpu dev=\"0x3\" rank=\"3\"/>"
                 "<gpu dev=\"0x4\"/><net dev=\"0x10000000000001e\"/></channel></graph></graphs>",
                 P5Dump(4)),
      // A balanced tree: the second net is the second GPU's.
      "75: c9; 86: c8");
}

TEST(NcclGraphTest, ATreeUsesItsSecondNetNowhere) {
  EXPECT_EQ(GraphLines("<graphs><graph pattern=\"3\"><channel><net dev=\"2\"/><gpu dev=\"2\"/>"
                       "<gpu dev=\"3\"/><net dev=\"3\"/></channel></graph></graphs>",
                       P5Dump()),
            "75: 71 72 73 74");
}

TEST(NcclGraphTest, Errors) {
  const std::string net =
      "<graphs><graph pattern=\"4\"><channel>\n<net dev=\"8\"/><gpu dev=\"0\"/>"
      "</channel></graph></graphs>";
  EXPECT_EQ(GraphLines(net, P5Dump()),
            "error: read g:2: the topology file has no net number 8. Give the graph and the "
            "topology that one run wrote.");
  EXPECT_TRUE(GraphLines("<graphs/>", P5Dump()).starts_with("error: read g:1: no channel of it"));
  EXPECT_TRUE(GraphLines(P5Dump(), P5Dump()).starts_with("error: read g:1: the root is <system>"));
  EXPECT_TRUE(GraphLines(kRing, kRing).starts_with("error: read t:1: the root is <graphs>"));
}

}  // namespace
}  // namespace railgauge
