#include "lib/fleet/fleet_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "lib/base/file.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

TEST(FleetReaderTest, SeveralThreadsReadWhatOneDoes) {
  std::vector<FleetNode> nodes;
  for (int i = 0; i < 150; ++i) nodes.push_back({"n" + std::to_string(i), "n"});
  const FleetPlan plan = *MakePlan(nodes, {"--time-budget=1s"});
  const FleetTree tree = *FleetTree::At(testing::TempDir() + "/reader");
  for (const auto& round : plan.rounds) {
    for (const PlannedPair& pair : round) {
      const std::string& name = plan.nodes[pair.initiator].name;
      const std::string folder = tree.RunPath(name, plan.nodes[pair.target].name);
      fs::create_directories(folder);
      const RunIdentity run{"r", name, "", "p5.48xlarge", "hardware"};
      CensusRow census;
      census.nic.address.bus = static_cast<uint8_t>(1 + pair.initiator % 5);
      census.status = CensusStatus::kNoId;
      Sample sample;
      sample.cell.nic = sample.partner = census.nic;
      sample.cell.size = Bytes{1000};
      sample.peer = plan.nodes[pair.target].name;
      sample.cell.depth = 1;
      sample.duration = std::chrono::seconds(1);
      sample.completions = 1000 + pair.initiator;
      sample.payload_bytes = sample.completions * 1000;
      sample.posted_bytes = sample.counter_bytes = sample.payload_bytes;
      sample.throughput = BytesPerSecond{static_cast<double>(sample.payload_bytes)};
      sample.messages_per_second = static_cast<double>(sample.completions);
      sample.status = SampleStatus::kOk;
      ASSERT_TRUE(
          WriteFileAtomically(folder + "/census.csv", CsvFile<CensusRow>(run, {&census, 1})));
      ASSERT_TRUE(WriteFileAtomically(folder + "/samples.csv", CsvFile<Sample>(run, {&sample, 1})));
      ASSERT_TRUE(WriteFileAtomically(folder + "/run.json", R"({"run_id":"r"})"));
    }
  }
  ASSERT_TRUE(WriteFileAtomically(tree.RunPath("n7", "n8") + "/samples.csv", "no report\n"));
  const FleetRecords one = ReadFleet(tree, plan, 1), four = ReadFleet(tree, plan, 4);
  ASSERT_EQ(one.table.runs().size(), 149u);
  EXPECT_EQ(one.rows, 149u);
  ASSERT_EQ(one.notes.size(), 1u);
  EXPECT_EQ(one.notes[0].find("n7 with n8 does not count: "), 0u) << one.notes[0];
  EXPECT_EQ(four.notes, one.notes);
  EXPECT_EQ(one.unusable.at(7).find("Its run with n8 does not count: "), 0u);
  EXPECT_EQ(four.table.groups(), one.table.groups());
  ASSERT_EQ(four.table.runs().size(), one.table.runs().size());
  for (size_t i = 0; i < one.table.runs().size(); ++i) {
    const FleetRun &a = one.table.runs()[i], &b = four.table.runs()[i];
    EXPECT_EQ(a.pair, b.pair);
    EXPECT_EQ(a.run.host, b.run.host);
    EXPECT_EQ(a.slots, b.slots);
    ASSERT_EQ(a.values.size(), 1u);
    EXPECT_EQ(a.values[0].group, b.values[0].group);
    EXPECT_EQ(a.values[0].throughput, b.values[0].throughput);
  }
}

}  // namespace
}  // namespace railgauge
