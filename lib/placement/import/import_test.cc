#include "lib/placement/import/import.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/placement/import/import_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

std::string Written(const std::string& name, std::string_view content) {
  const std::string path = testing::TempDir() + "/" + name;
  EXPECT_TRUE(WriteFileAtomically(path, content));
  return path;
}

std::string Decided(const std::string& placement) {
  return Lines(DecidePlacement(placement, MakeP5(), {}));
}

constexpr char kCsv[] = "consumer,nic\ngpu:0000:53:00.0,rdmap79s0\n";
constexpr char kTopology[] =
    "<system><cpu numaid=\"0\"><pci busid=\"0000:53:00.0\" class=\"0x030200\"/>"
    "<pci busid=\"0000:4f:00.0\" class=\"0x020000\"/></cpu></system>";
constexpr char kGraph[] =
    "<graphs><graph pattern=\"4\"><channel><net dev=\"0\"/><gpu dev=\"0\"/></channel></graph>"
    "</graphs>";
constexpr char kLog[] =
    "a:1:2 [0] NCCL INFO NET/OFI NIC group 0 device #0 0000:4f:00.0\n"
    "a:1:2 [0] NCCL INFO Channel 00/0 : 0[53000] -> 1[53000] [send] via NET/Libfabric/0\n";

TEST(ImportTest, FormatsAreDetectedFromWhatTheyHold) {
  const struct {
    std::string_view content;
    std::string_view format;
  } cases[] = {
      {kCsv, "csv"},
      {"\xef\xbb\xbf# a comment\nconsumer,nic\n", "csv"},
      {"", "csv"},
      {kTopology, "nccl-topology"},
      {"<?xml version=\"1.0\"?>\n<!-- NCCL -->\n<system/>", "nccl-topology"},
      {kGraph, "nccl-graph"},
      {kLog, "nccl-log"},
      {"{\"cuda:0\": [[], []]}", "mooncake"},
      {"CUDA_VISIBLE_DEVICES=0 UCX_NET_DEVICES=rdmap79s0:1", "ucx"},
      {"JobId=1\n  Nodes=a GRES=gpu:1(IDX:0)", "slurm"},
      {"SLURM_JOB_GPUS=0", "slurm"},
      {"{\"podResources\": []}", "kubernetes"},
      {"{\"Data\": {\"PodDeviceEntries\": []}}", "kubernetes"},
      {"<topology version=\"2.0\"></topology>", ""},
      {"hello", ""},
      {std::string_view("\x7f"
                        "ELF\0\0",
                        6),
       ""},
  };
  for (const auto& c : cases) EXPECT_EQ(DetectFormat(c.content), c.format) << c.content;
}

TEST(ImportTest, PoliciesAndFiles) {
  EXPECT_TRUE(Decided("nearest").starts_with("53: 4f 50 51 52; "));
  EXPECT_EQ(Decided(Written("d.csv", kCsv)), "53: 4f");
  EXPECT_EQ(Decided(Written("t.xml", kTopology)), "53: 4f");
  EXPECT_EQ(Decided(Written("l.log", kLog)), "53: 4f");
  EXPECT_EQ(Decided("UCX_NET_DEVICES=rdmap79s0:1").substr(0, 12), "53: 4f; 64: ");
  EXPECT_TRUE(
      Decided("nccl-lo").starts_with("error: decide by policy 'nccl-lo': there is no such"));
  EXPECT_TRUE(Decided("./none.csv").starts_with("error: open ./none.csv: ENOENT"));
}

TEST(ImportTest, AFormatCanBeForced) {
  const std::string path =
      Written("odd", "# of a job\nSLURM_JOB_GPUS=0\n UCX_NET_DEVICES=rdmap79s0\n");
  EXPECT_EQ(Decided("slurm:" + path).substr(0, 9), "53: 4f 50");
  EXPECT_EQ(Decided("ucx:" + path).substr(0, 11), "53: 4f; 64:");
  EXPECT_TRUE(
      Decided("csv:" + path).starts_with("error: read " + path + ":2: the first line is not"));
  EXPECT_TRUE(Decided("nccl-log:none").starts_with("error: open none: ENOENT"));
}

TEST(ImportTest, WhatCannotBeReadIsToldWithWhatToDo) {
  const std::string folder = testing::TempDir();
  EXPECT_EQ(
      Decided("./none.csv"),
      "error: open ./none.csv: ENOENT (No such file or directory). Name a file that exists, or a "
      "policy (railgauge policies lists them).");
  EXPECT_TRUE(Decided("csv:none").ends_with("policy (railgauge policies lists them)."));
  EXPECT_TRUE(
      Decided("csv:" + folder).ends_with("EISDIR (Is a directory). It is a folder: name a file."));
  EXPECT_TRUE(Decided(folder).ends_with("EISDIR (Is a directory). It is a folder: name a file."));
  EXPECT_EQ(Decided("csv:"),
            "error: read placement: no file is named behind the format. Write "
            "--placement=FORMAT:FILE.");
  EXPECT_EQ(Decided("bogus:x"),
            "error: read placement 'bogus:x': there is no format 'bogus'. Formats are csv, "
            "nccl-topology, nccl-graph, nccl-log, mooncake, ucx, slurm, kubernetes.");
  EXPECT_TRUE(
      Decided("moncake:x.json")
          .starts_with("error: read placement 'moncake:x.json': there is no format 'moncake'. "
                       "Write 'mooncake:FILE'; formats are csv"));
  // A file may be called so.
  EXPECT_EQ(Decided(Written("a:b", kCsv)), "53: 4f");
}

TEST(ImportTest, AMisspeltPolicyIsNamed) {
  EXPECT_TRUE(
      Decided("nearst").ends_with("vendor-map. Write 'nearest', or name a file that exists."))
      << Decided("nearst");
  EXPECT_TRUE(Decided("whatever").ends_with("Name one of them, or a decision file that exists."));
}

TEST(ImportTest, AGraphNeedsItsTopology) {
  const std::string graph = Written("g.xml", kGraph);
  EXPECT_EQ(Decided("nccl-graph:" + graph + "," + Written("t.xml", kTopology)), "53: 4f");
  for (const std::string& placement : {graph, "nccl-graph:" + graph}) {
    EXPECT_EQ(
        Decided(placement),
        "error: read " + graph +
            ": an NCCL graph names GPUs and NICs by NCCL's own numbers. "
            "Give the topology of the same run with it: --placement=nccl-graph:GRAPH,TOPOLOGY "
            "(NCCL_TOPO_DUMP_FILE).");
  }
}

TEST(ImportTest, AnUnknownFormatListsTheKnown) {
  const std::string path = Written("unknown", "hello\n");
  EXPECT_EQ(
      Decided(path),
      "error: read " + path +
          ":1: it is in no known format. Known formats are csv, "
          "nccl-topology, nccl-graph, nccl-log, mooncake, ucx, slurm, kubernetes; force one with "
          "--placement=FORMAT:FILE.");
  EXPECT_TRUE(Decided(Written("binary", std::string("\x7f"
                                                    "ELF\0\1",
                                                    6)))
                  .find(":1: it holds bytes that no text has. Known formats") != std::string::npos);
  for (const PlacementFormat& format : PlacementFormats()) {
    if (format.name == "nccl-graph") continue;
    const std::string lines = Decided(std::string(format.name) + ":" + Written("empty", "\n"));
    EXPECT_TRUE(lines.starts_with("error: read ")) << lines;
    EXPECT_EQ(lines.find('\n'), std::string::npos);
  }
}

// 2 MB of each kind of text: an answer, and no stack or memory that grows with nesting.
TEST(ImportTest, HugeInputEnds) {
  for (const std::string unit : {"<a>", "[", "a,b\n", "a:1:2 [0] NCCL INFO x\n",
                                 "UCX_NET_DEVICES=x\n", "Nodes=a GRES=gpu(IDX:0-7)\n", "\xff"}) {
    std::string content;
    while (content.size() < size_t{2} << 20) content += unit;
    for (const PlacementFormat& format : PlacementFormats()) {
      if (format.name == "nccl-graph") continue;
      const std::string path = Written("huge", content);
      const std::string lines = Decided(std::string(format.name) + ":" + path);
      EXPECT_EQ(lines.find('\n'), std::string::npos);
      if (unit == "<a>") break;  // one format is enough for what all refuse at its beginning
    }
  }
}

}  // namespace
}  // namespace railgauge
