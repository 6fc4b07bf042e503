#include "lib/placement/import/mooncake_topology.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/placement/import/import_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr char kTopology[] =
    "{\n  \"cpu:0\": [[\"rdmap79s0\"], [\"rdmap198s0\"]],\n"
    "  \"cuda:0\": [[\"rdmap79s0\", \"rdmap80s0\"], [\"rdmap198s0\"]],\n"
    "  \"cuda:1\": [[], [\"rdmap198s0\"]]\n}\n";

const std::vector<PciAddress>& CudaOrder() {
  static const std::vector<PciAddress> order = {Pci("0000:ca:00.0"), Pci("0000:53:00.0")};
  return order;
}

TEST(MooncakeTopologyTest, PreferredNicsServeAndOthersWhereThereAreNone) {
  EXPECT_EQ(ImportLines(ImportMooncakeTopology, kTopology, MakeP5(), CudaOrder()),
            "ca: 4f 50; 53: c6");
}

TEST(MooncakeTopologyTest, NodesCountWhereNoGpuIsNamed) {
  EXPECT_EQ(ImportLines(ImportMooncakeTopology, R"({"cpu:1": [["rdmap198s0"], []]})", MakeP5()),
            "numa1: c6");
}

TEST(MooncakeTopologyTest, Errors) {
  const struct {
    const char* content;
    const char* start;
  } cases[] = {
      {"{", "error: read f:1: it is no JSON from here on"},
      {"{\n\"cuda:0\": [[],", "error: read f:2: it is no JSON from here on"},
      {"{}", "error: read f:1: it gives no NIC to any place"},
      {"{\n\"cuda:0\": [\"rdmap79s0\"]}", "error: read f:2: \"cuda:0\" is no place with two lists"},
      {"{\"cuda:0\": [[1], []]}", "error: read f:1: \"cuda:0\" is no place with two lists"},
      {"{\"devices\": [[], []]}", "error: read f:1: \"devices\" is no place"},
      {"{\"cuda:2\": [[\"rdmap79s0\"], []]}",
       "error: read f:1: find memory place 'gpu2': CUDA has no device of that ordinal"},
      {"{\"cuda:0\":\n[[\"rdmap79s1\"], []]}",
       "error: read f:2: find NIC 'rdmap79s1': this machine has no EFA NIC of that name. The "
       "nearest "
       "spelling"},
      {"{\"cuda:0\": [[\"rdmap79s0\"], []],\n\"cuda:1\": [[], []],\n\"cuda:0\":\n[[], []]}",
       "error: read f:3: the key 'cuda:0' is there already in its object"},
      {"{\"cuda:0\":\n[[\"rdmap79s0\",\n\"0000:4f:00.0\"], []]}",
       "error: read f:3: it names 0000:4f:00.0 twice for \"cuda:0\""},
      {"{\"cpu:7\": [[\"rdmap79s0\"], []]}", "error: read f:1: find memory place 'numa7'"},
  };
  for (const auto& c : cases) {
    const std::string lines = ImportLines(ImportMooncakeTopology, c.content, MakeP5(), CudaOrder());
    EXPECT_TRUE(lines.starts_with(c.start)) << lines;
  }
}

TEST(MooncakeTopologyTest, DepthIsBounded) {
  const std::string deep(1'000'000, '[');
  EXPECT_TRUE(ImportLines(ImportMooncakeTopology, "{\"cuda:0\":" + deep, MakeP5())
                  .starts_with("error: read f:1: "));
  EXPECT_EQ(ImportLines(ImportMooncakeTopology,
                        "{\"cuda:0\":" + deep + std::string(deep.size(), ']') + "}", MakeP5()),
            "error: read f:1: its JSON nests too deep. Give the file as it was written: it may be "
            "cut off, or another one.");
}

TEST(MooncakeTopologyTest, DamageDoesNoHarm) {
  ExpectNoHarm(ImportMooncakeTopology, R"({"cpu:1": [["rdmap198s0"], ["rdmap79s0"]]})", MakeP5());
}

}  // namespace
}  // namespace railgauge
