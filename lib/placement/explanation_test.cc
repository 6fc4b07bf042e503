#include "lib/placement/explanation.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/placement/explanation_text.h"
#include "lib/placement/judge.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr std::string_view kNic = "0000:4f:00.0";
constexpr std::string_view kGpu = "gpu:0000:53:00.0";

RunRecords RecordsOf(const World& world) {
  RunRecords records;
  records.run = {"r1", "host-1", "", "p5.48xlarge", "emulated"};
  records.machine = world.machine;
  records.census = world.census;
  records.samples = world.samples;
  return records;
}

// A whole check of the policy nearest.
RunRecords CheckedRun(World& world) {
  const Result<Decision> decision = DecideByPolicy("nearest", world.machine);
  RAILGAUGE_CHECK(decision.has_value());
  world.Check(*decision);
  RunRecords records = RecordsOf(world);
  records.placement = Judge(world.machine, world.census, world.samples, *decision).placement;
  return records;
}

MemoryPlace Place(std::string_view text) { return *MemoryPlace::Parse(text); }

const Nic& NicOf(const RunRecords& records, std::string_view address) {
  return *records.machine.FindNic(Pci(address));
}

std::string PairText(const RunRecords& records, std::string_view nic, std::string_view place) {
  return FormatPair(records, ExplainPair(records, NicOf(records, nic), Place(place)));
}

// Every line fits, none is blank at its end, and the text holds every part.
void ExpectText(const std::string& text, const std::vector<std::string_view>& parts) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  // As one line, so that a part may be broken over two.
  std::string flat;
  std::istringstream words(text);
  for (std::string word; words >> word;) flat += (flat.empty() ? "" : " ") + word;
  for (const std::string_view part : parts) {
    EXPECT_NE(flat.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }
}

TEST(ExplanationTest, APairOfACheck) {
  World world(MakeP5());
  const RunRecords records = CheckedRun(world);
  const PairExplanation pair = ExplainPair(records, NicOf(records, kNic), Place(kGpu));
  EXPECT_EQ(pair.relation.relation, Relation::kSameSwitch);
  ASSERT_EQ(pair.ways.size(), 1u);
  EXPECT_EQ(pair.ways[0].way, RegistrationWay::kDmabuf);
  ASSERT_EQ(pair.cells.size(), 4u);
  for (const ExplainedCell& cell : pair.cells) {
    EXPECT_TRUE(cell.judged);
    ASSERT_TRUE(cell.standing);
    EXPECT_EQ(cell.standing->members, 32u) << "4 NICs below each of 8 switches";
    EXPECT_EQ(cell.summary.verdict, Verdict::kOk) << cell.summary.reason;
    EXPECT_LE(*cell.least, *cell.summary.throughput_median);
    EXPECT_GE(*cell.most, *cell.summary.throughput_median);
  }
  ASSERT_EQ(pair.verdicts.size(), 1u);
  EXPECT_EQ(pair.verdicts[0].verdict, Verdict::kOk);
  EXPECT_TRUE(pair.other_uses.empty());
  ExpectText(FormatPair(records, pair),
             {"run r1 of p5.48xlarge (emulated), host host-1", "relation same_switch",
              "path 0000:4f:00.0 < 0000:46:01.0 < 0000:45:00.0 > 0000:46:01.4 > 0000:53:00.0",
              "dmabuf ok: recv -, rdma_read 0, rdma_recv 0", "READ to_memory, 1MiB, 16 in flight",
              "by itself OK", "class: 32 cells of same_switch", "Verdicts OK gpu:0000:53:00.0 with",
              "Under load not measured"});
}

// A rate above the line is explained, and one at or below it is not.
TEST(ExplanationTest, AMedianAboveTheLine) {
  World world(MakeP5());
  world.Screen();
  for (Sample& sample : world.samples) sample.line_rate = BytesPerSecond{12.5e9};
  constexpr std::string_view kWhy = "what was in flight when a window opened counts in it, too";
  EXPECT_EQ(PairText(RecordsOf(world), kNic, kGpu).find("in flight when a window"),
            std::string::npos);
  for (Sample& sample : world.samples) {
    if (sample.throughput) sample.throughput->value *= 1.2;
  }
  ExpectText(PairText(RecordsOf(world), kNic, kGpu), {kWhy});
}

// Each crossed resource once, with what it can carry and where that is from; what nobody says is
// named, too.
TEST(ExplanationTest, CeilingsOfWhatIsCrossed) {
  World world(MakeP5());
  world.Screen();
  for (Sample& sample : world.samples) {
    sample.partner = world.nic("0000:60:00.0");
    sample.partner_place = MemoryPlace::NumaNode(0);
  }
  const RunRecords records = RecordsOf(world);
  ExpectText(PairText(records, kNic, kGpu),
             {"12.50 GB/s the line rate of rdmap79s0: published: nothing real is faster",
              "12.50 GB/s the line rate of rdmap96s0: published", "unknown the uplink of switch",
              "the link of the GPU at 0000:53:00.0",
              "perhaps the uplink of switch 0000:44:00.0: only where bridges send up"});
  const std::string text = PairText(records, kNic, "numa1");
  ExpectText(text, {"unknown the uplink of switch 0000:44:00.0", "the link from numa0 to numa1",
                    "the memory of numa1: a node's share of what others reached with all NICs at "
                    "once, by WRITE"});
  EXPECT_EQ(text.find("perhaps"), std::string::npos);
  // Without samples, of the pair's own half.
  world.samples.clear();
  const std::string alone = PairText(RecordsOf(world), kNic, "numa1");
  ExpectText(alone, {"12.50 GB/s the line rate of rdmap79s0"});
  EXPECT_EQ(alone.find("rdmap96s0"), std::string::npos);
}

TEST(ExplanationTest, WhoSharesTheId) {
  World world(MakeP5());
  const RunRecords records = RecordsOf(world);
  // In this world the id is the relation's number.
  const PairExplanation far = ExplainPair(records, NicOf(records, kNic), Place("numa1"));
  ASSERT_EQ(far.shared_ids.size(), 2u) << "rdma_read and rdma_recv; recv has no id";
  EXPECT_EQ(far.shared_ids[0].field, IcField::kRdmaRead);
  EXPECT_EQ(far.shared_ids[0].id, static_cast<uint16_t>(Relation::kOtherNumaNode));
  EXPECT_EQ(far.shared_ids[0].others.size(), 4u) << "the GPUs of the other node";
  const PairExplanation near = ExplainPair(records, NicOf(records, kNic), Place(kGpu));
  EXPECT_TRUE(near.shared_ids.at(0).others.empty());
  ExpectText(FormatPair(records, near), {"rdma_read 0: no other place"});
}

TEST(ExplanationTest, PairedRoundsAgainstWhom) {
  World world(MakeP5());
  const Cell cell = world.CellOf(kNic, kGpu, Operation::kRead, Direction::kToMemory);
  const Cell rival = world.CellOf("0000:60:00.0", kGpu, Operation::kRead, Direction::kToMemory);
  Cell later = world.CellOf("0000:61:00.0", kGpu, Operation::kRead, Direction::kToMemory);
  world.speed = [&](const Cell& one, Relation) { return one.nic == rival.nic ? 12e9 : 6e9; };
  world.Screen();
  const CellPair pairs[] = {{cell, rival}};
  world.Measure(pairs, 9);
  // In the same rounds, but of another pair.
  const CellPair others[] = {{later, later}};
  world.Measure(others, 9);
  const RunRecords records = RecordsOf(world);
  const PairExplanation pair = ExplainPair(records, NicOf(records, kNic), Place(kGpu));
  const ExplainedCell& read = pair.cells.at(0);
  EXPECT_EQ(read.summary.cell, cell);
  ASSERT_EQ(read.in_turn.size(), 2u);
  EXPECT_EQ(read.in_turn[0].other, rival) << "the nearest in time";
  EXPECT_EQ(read.in_turn[0].comparison.rounds, 9u);
  EXPECT_NEAR(read.in_turn[0].comparison.ratio, 0.5, 0.01);
  EXPECT_EQ(read.in_turn[0].comparison.outcome, Outcome::kWorse);
  ExpectText(PairText(records, kNic, kGpu),
             {"in turn with 0000:60:00.0 (rdmap96s0) at gpu:0000:53:00.0: 0."});
}

TEST(ExplanationTest, LostWindowsHaveTheirReasons) {
  World world(MakeP5());
  const Cell cell = world.CellOf(kNic, kGpu, Operation::kRead, Direction::kToMemory);
  world.Add(cell, 0, 12e9).disturbed = true;
  for (int i = 0; i < 2; ++i) {
    Sample& above = world.Add(cell, 0, 90e9);
    above.status = SampleStatus::kAboveCeiling;
    above.reason = "90 GB/s on a line of 12.5 GB/s";
  }
  Sample& skipped = world.Add(cell, 0, 0);
  skipped.throughput.reset();
  skipped.status = SampleStatus::kSkipped;
  skipped.skip_cause = SkipCause::kNoTime;
  skipped.reason = "no time left";
  const RunRecords records = RecordsOf(world);
  const PairExplanation pair = ExplainPair(records, NicOf(records, kNic), Place(kGpu));
  ASSERT_EQ(pair.cells.size(), 1u);
  ASSERT_EQ(pair.cells[0].lost.size(), 2u);
  EXPECT_EQ(pair.cells[0].lost[0].count, 2u);
  EXPECT_EQ(pair.cells[0].disturbed, 1u);
  ExpectText(PairText(records, kNic, kGpu),
             {"12.00 GB/s in one window, so its spread is unknown",
              "2 windows above_ceiling: 90 GB/s on a line of 12.5 GB/s",
              "1 window skipped (no_time): no time left", "1 window disturbed"});
}

TEST(ExplanationTest, OtherSizesAreToldBeside) {
  World world(MakeP5());
  Cell cell = world.CellOf(kNic, kGpu, Operation::kRead, Direction::kToMemory);
  world.Add(cell, 0, 12e9);
  cell.size = Bytes{4096};
  world.Add(cell, 0, 3e9);
  cell.load = "switch:0000:44:00.0";
  world.Add(cell, 0, 1e9);
  const RunRecords records = RecordsOf(world);
  const PairExplanation pair = ExplainPair(records, NicOf(records, kNic), Place(kGpu));
  ASSERT_EQ(pair.cells.size(), 2u) << "what ran with others is not the pair's own";
  EXPECT_FALSE(pair.cells[0].judged);
  EXPECT_TRUE(pair.cells[1].judged);
  ExpectText(FormatPair(records, pair),
             {"Measured besides; other sizes, depths or ways READ to_memory, 4KiB"});
}

TEST(ExplanationTest, WhatIsUnknownIsSaid) {
  RunRecords records;
  records.machine = MakeG5();
  records.missing = {"placement.csv", "groups.csv"};
  const Nic& nic = records.machine.nics.at(0);
  const MemoryPlace place = MemoryPlace::Gpu(records.machine.gpus.at(0).position.address);
  ExpectText(FormatPair(records, ExplainPair(records, nic, place)),
             {"run unknown of an unknown instance type (unknown), host unknown",
              "not in this run directory: placement.csv and groups.csv", "relation unknown",
              "path unknown", "the PCI tree is flat", "not asked", "nothing of this pair",
              "none recorded", "not measured (railgauge load does)"});
  ExpectText(FormatNic(records, nic, ExplainNic(records, nic.key())), {"none recorded"});
  ExpectText(FormatPlace(records, place, ExplainPlace(records, place)), {"none recorded"});
}

TEST(ExplanationTest, ANicServesAnother) {
  World world(MakeP5());
  world.Screen();
  RunRecords records = RecordsOf(world);
  PlacementRow row;
  row.consumer = Place("gpu:0000:64:00.0");
  row.chosen = {world.nic(kNic)};
  row.best = {world.nic("0000:60:00.0")};
  row.verdict = Verdict::kWrong;
  row.reason = "Use the near one.";
  records.placement = {row};
  const PairExplanation pair = ExplainPair(records, NicOf(records, kNic), Place(kGpu));
  EXPECT_TRUE(pair.verdicts.empty());
  ASSERT_EQ(pair.other_uses.size(), 1u);
  ExpectText(FormatPair(records, pair),
             {"the run judged no NICs for this place", "named for another consumer: WRONG"});
  // And the one that should serve it is told of the same row.
  ExpectText(PairText(records, "0000:60:00.0", "gpu:0000:64:00.0"),
             {"WRONG gpu:0000:64:00.0",
              "this NIC is not among those chosen for it, but among those that should be"});
}

TEST(ExplanationTest, FindingsThatNameIt) {
  World world(MakeP5());
  for (CensusRow& row : world.census) {
    if (row.nic == world.nic(kNic) && row.place == Place(kGpu)) row.ids.rdma_read = 300;
  }
  const RunRecords records = RecordsOf(world);
  const PairExplanation pair = ExplainPair(records, NicOf(records, kNic), Place(kGpu));
  ASSERT_FALSE(pair.findings.empty());
  EXPECT_EQ(pair.findings[0].kind, "id_above_format");
  ExpectText(FormatPair(records, pair), {"Findings error id_above_format of 0000:4f:00.0"});
  const auto named = [](const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& one) { return one.kind == "id_above_format"; });
  };
  EXPECT_TRUE(named(ExplainNic(records, world.nic(kNic)).findings));
  EXPECT_TRUE(named(ExplainPlace(records, Place(kGpu)).findings));
  EXPECT_FALSE(named(ExplainNic(records, world.nic("0000:50:00.0")).findings));
  EXPECT_FALSE(named(ExplainPlace(records, Place("numa0")).findings));
  EXPECT_FALSE(named(ExplainPair(records, NicOf(records, kNic), Place("numa0")).findings));
}

TEST(ExplanationTest, OverviewsHaveALineForEach) {
  World world(MakeP5());
  RunRecords records = CheckedRun(world);
  GroupRow group;
  group.load = "switch:0000:44:00.0";
  group.nics = {world.nic(kNic), world.nic("0000:50:00.0")};
  group.places = {Place("numa0")};
  group.nic_count = 2;
  group.throughput_sum = BytesPerSecond{1e9};
  group.alone_throughput_sum = BytesPerSecond{2e9};
  group.sharing_factor = 0.5;
  group.sharing = Sharing::kSlowed;
  group.reason = "They share the uplink.";
  records.groups = {group};
  const Nic& nic = NicOf(records, kNic);
  const Overview of_nic = ExplainNic(records, nic.key());
  ASSERT_EQ(of_nic.lines.size(), 10u);
  EXPECT_EQ(of_nic.verdicts.size(), 1u);
  EXPECT_TRUE(of_nic.lines[2].chosen) << "its own GPU";
  EXPECT_FALSE(of_nic.lines[3].chosen);
  ExpectText(FormatNic(records, nic, of_nic),
             {"0000:4f:00.0 (rdmap79s0): switch 0000:44:00.0, host bridge 0000:44, numa0",
              "gpu:0000:53:00.0 * same_switch -,0,0 12.", "gpu:0000:b9:00.0 other_numa_node",
              "switch:0000:44:00.0: READ of 2 NICs", "1.00 GB/s together, 2.00 GB/s alone",
              "factor 0.500: slowed They share the uplink."});
  const Overview of_place = ExplainPlace(records, Place("numa0"));
  EXPECT_EQ(of_place.lines.size(), 32u);
  EXPECT_EQ(of_place.groups.size(), 1u);
  ExpectText(FormatPlace(records, Place("numa0"), of_place),
             {"numa0: host memory", "0000:c9:00.0 (rdmap201s0) other_numa_node"});
}

// Whatever the machine and the state of the run, no pair is too much.
TEST(ExplanationTest, EveryPairOfEveryShape) {
  for (const Machine& machine : {MakeP5(), MakeP4d(), MakeG6(), MakeG5()}) {
    World world(machine);
    world.Screen();
    RunRecords records = RecordsOf(world);
    for (const bool with_samples : {true, false}) {
      if (!with_samples) records.samples.clear();
      const Nic& nic = records.machine.nics.back();
      for (const MemoryPlace& place : KnownPlaces(records)) {
        ExpectText(FormatPair(records, ExplainPair(records, nic, place)), {"Topology"});
        ExpectText(FormatPlace(records, place, ExplainPlace(records, place)), {"Verdicts"});
      }
      ExpectText(FormatNic(records, nic, ExplainNic(records, nic.key())), {"Verdicts"});
    }
  }
}

}  // namespace
}  // namespace railgauge
