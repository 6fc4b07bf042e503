#include "lib/report/matrix.h"

#include <algorithm>
#include <sstream>

#include "gtest/gtest.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

std::vector<CensusRow> CensusOf(const Machine& machine) {
  std::vector<CensusRow> rows;
  for (const Nic& nic : machine.nics) {
    for (const MemoryPlace& place : machine.Places()) {
      CensusRow row;
      row.nic = nic.key();
      row.place = place;
      row.way = place.is_gpu() ? RegistrationWay::kDmabuf : RegistrationWay::kHost;
      row.status = CensusStatus::kOk;
      row.relation = RelationOf(machine, nic, place).relation;
      row.ids.recv = 7;
      row.ids.rdma_read = row.ids.rdma_recv = row.relation <= Relation::kSameSwitch ? 3 : 1;
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<SummaryRow> SummaryOf(const std::vector<CensusRow>& census) {
  std::vector<SummaryRow> rows;
  for (const Operation operation : {Operation::kRead, Operation::kWrite}) {
    for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
      for (const CensusRow& row : census) {
        SummaryRow summary;
        summary.cell = {row.nic, row.place, operation, direction, Bytes{1 << 20}, 16, "alone"};
        summary.relation = row.relation;
        if (const auto field = AttributingField(operation, direction)) {
          summary.interconnect_id = row.ids.Get(*field);
        }
        // A little noise, which folding must see through.
        const double noise = 1 + 0.001 * static_cast<double>(rows.size() % 7);
        const bool far = row.relation == Relation::kOtherNumaNode;
        summary.throughput_median = BytesPerSecond{(far ? 6.25e9 : 12.3e9) * noise};
        summary.sample_count = 1;
        summary.verdict = Verdict::kOk;
        rows.push_back(summary);
      }
    }
  }
  return rows;
}

// Golden: what a person sees of a p5's 32 NICs and 10 places.
TEST(MatrixTest, CensusOfP5) {
  const Machine machine = MakeP5();
  EXPECT_EQ(FormatCensus(machine, CensusOf(machine)),
            R"(Census: relation and interconnect ids
                     host    host     gpu     gpu     gpu     gpu     gpu     gpu     gpu     gpu
                    numa0   numa1 53:00.0 64:00.0 75:00.0 86:00.0 97:00.0 a8:00.0 b9:00.0 ca:00.0
switch 0000:44:00.0: 4f:00.0 50:00.0 51:00.0 52:00.0
  all 4             N aaa   F aaa   S abb   N aaa   N aaa   N aaa   F aaa   F aaa   F aaa   F aaa
switch 0000:55:00.0: 60:00.0 61:00.0 62:00.0 63:00.0
  all 4             N aaa   F aaa   N aaa   S abb   N aaa   N aaa   F aaa   F aaa   F aaa   F aaa
switch 0000:66:00.0: 71:00.0 72:00.0 73:00.0 74:00.0
  all 4             N aaa   F aaa   N aaa   N aaa   S abb   N aaa   F aaa   F aaa   F aaa   F aaa
switch 0000:77:00.0: 82:00.0 83:00.0 84:00.0 85:00.0
  all 4             N aaa   F aaa   N aaa   N aaa   N aaa   S abb   F aaa   F aaa   F aaa   F aaa
switch 0000:88:00.0: 93:00.0 94:00.0 95:00.0 96:00.0
  all 4             F aaa   N aaa   F aaa   F aaa   F aaa   F aaa   S abb   N aaa   N aaa   N aaa
switch 0000:99:00.0: a4:00.0 a5:00.0 a6:00.0 a7:00.0
  all 4             F aaa   N aaa   F aaa   F aaa   F aaa   F aaa   N aaa   S abb   N aaa   N aaa
switch 0000:aa:00.0: b5:00.0 b6:00.0 b7:00.0 b8:00.0
  all 4             F aaa   N aaa   F aaa   F aaa   F aaa   F aaa   N aaa   N aaa   S abb   N aaa
switch 0000:bb:00.0: c6:00.0 c7:00.0 c8:00.0 c9:00.0
  all 4             F aaa   N aaa   F aaa   F aaa   F aaa   F aaa   N aaa   N aaa   N aaa   S abb
S same switch, H same host bridge, N same NUMA node, F other NUMA node, U unknown; then the
interconnect ids recv, rdma_read, rdma_recv: equal letter = equal id within one NIC and field
(numbers are in census.csv), - no id, ? cannot tell, ! registration ways differ, err not registered,
... not tried. Rows and columns that are equal are folded.
)");
}

// Accelerators that are no CUDA GPU have columns that say so, and equal ones are folded.
TEST(MatrixTest, CensusOfUnsupportedPlaces) {
  Machine machine = MakeHost(1);
  machine.shows_pci = true;
  machine.nics = {MakeNic("0000:10:1a.0", "0000:10", {}, 0)};
  for (const char* address : {"0000:10:1b.0", "0000:10:1c.0"}) {
    const Gpu gpu = MakeGpu(address, "0000:10", {}, 0);
    machine.accelerators.push_back({gpu.position, 0x1d0f, 0x7164, ""});
  }
  std::vector<CensusRow> rows = CensusOf(machine);
  for (const MemoryPlace& place : machine.UnsupportedPlaces()) {
    CensusRow row;
    row.nic = machine.nics[0].key();
    row.place = place;
    row.way = RegistrationWay::kDmabuf;
    row.status = CensusStatus::kNotSupported;
    row.relation = RelationOf(machine, machine.nics[0], place).relation;
    rows.push_back(row);
  }
  const std::string text = FormatCensus(machine, rows);
  EXPECT_TRUE(text.starts_with(R"(Census: relation and interconnect ids
                      host accel x2
                     numa0  10:1b.0
host bridge 0000:10: 10:1a.0
  10:1a.0            N aaa    H n/s
accel x2 10:1b.0: 10:1b.0 10:1c.0
)")) << text;
  EXPECT_NE(text.find("n/s: the memory of accelerators"), std::string::npos) << text;
}

TEST(MatrixTest, ThroughputOfP5) {
  const Machine machine = MakeP5();
  const std::vector<CensusRow> census = CensusOf(machine);
  const std::string text = FormatThroughput(machine, census, SummaryOf(census));
  EXPECT_TRUE(text.starts_with(R"(READ to_memory, 1MiB, in GB/s
                     host    host     gpu     gpu     gpu     gpu     gpu     gpu     gpu     gpu
                    numa0   numa1 53:00.0 64:00.0 75:00.0 86:00.0 97:00.0 a8:00.0 b9:00.0 ca:00.0
switch 0000:44:00.0: 4f:00.0 50:00.0 51:00.0 52:00.0
  all 4             12.3a    6.3a   12.3b   12.3a   12.3a   12.3a    6.3a    6.3a    6.3a    6.3a
)")) << text;
  EXPECT_NE(text.find(R"(READ from_memory, 1MiB, in GB/s
                     host    host  gpu x4  gpu x4
                    numa0   numa1 53:00.0 97:00.0
switch 0000:44:00.0: 4f:00.0 50:00.0 51:00.0 52:00.0
  all 4              12.3     6.3    12.3     6.3
)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("gpu x4 97:00.0: 97:00.0 a8:00.0 b9:00.0 ca:00.0\n"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(MatrixTest, SmallThroughputsHaveASmallUnit) {
  const Machine machine = MakeP5();
  const std::vector<CensusRow> census = CensusOf(machine);
  std::vector<SummaryRow> summary = SummaryOf(census);
  for (SummaryRow& row : summary) {
    row.cell.size = Bytes{1};
    row.throughput_median->value /= 1000;
    if (row.cell.nic.address == Pci("0000:4f:00.0")) row.throughput_median->value /= 100;
  }
  const std::string text = FormatThroughput(machine, census, summary);
  EXPECT_TRUE(text.starts_with("READ to_memory, 1B, in MB/s\n")) << text;
  EXPECT_NE(text.find("12.3a"), std::string::npos) << text;
  EXPECT_NE(text.find("0.12a"), std::string::npos) << text;
}

TEST(MatrixTest, OneNicThatDiffersStandsAlone) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusOf(machine);
  std::vector<SummaryRow> summary = SummaryOf(census);
  for (SummaryRow& row : summary) {
    if (row.cell.nic.address == Pci("0000:51:00.0")) row.throughput_median->value /= 2;
  }
  for (CensusRow& row : census) {
    if (row.nic.address == Pci("0000:61:00.0") && row.place.is_gpu()) row.ids.recv = 8;
  }
  const std::string throughput = FormatThroughput(machine, census, summary);
  EXPECT_NE(throughput.find("switch 0000:44:00.0\n"
                            "  4f:00.0 50:00.0   12.3a    6.3a   12.3b"),
            std::string::npos)
      << throughput;
  EXPECT_NE(throughput.find("\n  52:00.0\n  51:00.0            6.2a    3.1a    6.2b"),
            std::string::npos)
      << throughput;
  const std::string ids = FormatCensus(machine, census);
  EXPECT_NE(ids.find("  61:00.0           N aaa   F aaa   N baa   S bbb"), std::string::npos)
      << ids;
}

TEST(MatrixTest, FlatTreeFoldsAllColumns) {
  const Machine machine = MakeG5();
  const std::string text = FormatCensus(machine, CensusOf(machine));
  EXPECT_TRUE(text.starts_with(R"(Census: relation and interconnect ids
                  host x2  gpu x8
                    numa0 00:16.0
flat: 00:15.0
  00:15.0           U aaa   U aaa
host x2 numa0: numa0 numa1
)")) << text;
}

TEST(MatrixTest, EveryStateOfACensusRow) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusOf(machine);
  census.resize(5);  // numa0, numa1, three GPUs of one NIC
  census[0].ids = {};
  census[0].status = CensusStatus::kNoId;
  census[1].ids = {};
  census[1].status = CensusStatus::kCannotTell;
  census[2].ids = {};
  census[2].status = CensusStatus::kRegistrationFailed;
  census[3].ids = {};
  census[3].status = CensusStatus::kSkipped;
  CensusRow other_way = census[4];
  other_way.way = RegistrationWay::kPeerMemory;
  other_way.ids.rdma_read.reset();
  census.push_back(other_way);
  const std::string text = FormatCensus(machine, census);
  EXPECT_NE(text.find("N ---   F ???   S err   N ...  N aaa!"), std::string::npos) << text;
}

// A GPU that dma-buf cannot register and peer memory can is shown as registered.
TEST(MatrixTest, TheWayThatWorksIsShown) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusOf(machine);
  census.resize(3);
  census.push_back(census[2]);
  census[2].status = CensusStatus::kRegistrationFailed;
  census[2].ids = {};
  census[3].way = RegistrationWay::kPeerMemory;
  const std::string text = FormatCensus(machine, census);
  EXPECT_EQ(text.find("S err"), std::string::npos) << text;
  EXPECT_EQ(text.find("aaa!"), std::string::npos) << text;
}

TEST(MatrixTest, WhatWasNotMeasuredSaysWhy) {
  const Machine machine = MakeP4d();
  const std::vector<CensusRow> census = CensusOf(machine);
  std::vector<SummaryRow> summary = SummaryOf(census);
  for (SummaryRow& row : summary) {
    if (row.cell.operation == Operation::kRead) continue;
    row.throughput_median.reset();
    row.verdict = Verdict::kUndecided;
    row.reason = "the device has no RDMA write";
  }
  summary[0].throughput_median.reset();
  summary[0].verdict = Verdict::kInvalid;
  const std::string text = FormatThroughput(machine, census, summary);
  EXPECT_NE(text.find("WRITE to_memory: not measured: the device has no RDMA write\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("inval"), std::string::npos);
}

TEST(MatrixTest, WhatRestsOnDisturbedWindowsAloneIsMarked) {
  const Machine machine = MakeP4d();
  const std::vector<CensusRow> census = CensusOf(machine);
  std::vector<SummaryRow> summary = SummaryOf(census);
  EXPECT_EQ(FormatThroughput(machine, census, summary).find('~'), std::string::npos);
  for (SummaryRow& row : summary) {
    if (row.cell.direction == Direction::kFromMemory) row.findings = "cpu_bound;disturbed";
  }
  const std::string text = FormatThroughput(machine, census, summary);
  const size_t first = text.find('~');
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_GT(first, text.find("READ from_memory")) << text;
  EXPECT_NE(text.find("~: the measuring thread\nwas kept from its CPU in every window"),
            std::string::npos)
      << text;
}

TEST(MatrixTest, OnlyTheLargestSizeIsShown) {
  const Machine machine = MakeP4d();
  const std::vector<CensusRow> census = CensusOf(machine);
  std::vector<SummaryRow> summary = SummaryOf(census);
  std::vector<SummaryRow> small = summary;
  for (SummaryRow& row : small) {
    row.cell.size = Bytes{4096};
    row.throughput_median = BytesPerSecond{77e9};
  }
  summary.insert(summary.begin(), small.begin(), small.end());
  const std::string text = FormatThroughput(machine, census, summary);
  EXPECT_NE(text.find("READ to_memory, 1MiB, in GB/s (the largest size"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("77.0"), std::string::npos) << text;
}

TEST(MatrixTest, NothingAtAll) {
  EXPECT_EQ(FormatCensus(Machine(), {}), "Census: no NIC was asked.\n");
  EXPECT_EQ(FormatThroughput(Machine(), {}, {}),
            "READ to_memory: not measured\n\nREAD from_memory: not measured\n\n"
            "WRITE to_memory: not measured\n\nWRITE from_memory: not measured\n\n");
  EXPECT_EQ(FormatVerdicts({}), "No consumer was judged.\n");
}

TEST(MatrixTest, Verdicts) {
  std::vector<PlacementRow> rows(3);
  rows[0].consumer = MemoryPlace::Gpu(Pci("0000:53:00.0"));
  rows[0].verdict = Verdict::kOversubscribed;
  rows[0].reason = "A sentence that is long enough to be broken where the terminal ends.";
  rows[1].consumer = MemoryPlace::NumaNode(0);
  rows[1].verdict = Verdict::kOk;
  rows[1].reason = "Fine.\x1b[31m";
  rows[2].consumer = MemoryPlace::NumaNode(1);
  rows[2].verdict = Verdict::kOk;
  EXPECT_EQ(FormatVerdicts(rows, {.width = 60}),
            "OVERSUBSCRIBED gpu:0000:53:00.0\n"
            "    A sentence that is long enough to be broken where the\n"
            "    terminal ends.\n"
            "OK             numa0\n"
            "    Fine.?[31m\n"
            "OK             numa1\n"
            "2 OK, 1 OVERSUBSCRIBED\n");
  const std::string colored = FormatVerdicts(rows, {.color = true});
  EXPECT_NE(colored.find("\x1b[31mOVERSUBSCRIBED\x1b[0m "), std::string::npos);
  EXPECT_NE(colored.find("\x1b[32mOK\x1b[0m "), std::string::npos);
}

TEST(MatrixTest, TheWholePlacementInALine) {
  AssignmentRow whole;
  whole.verdict = Verdict::kOk;
  whole.regret_max = whole.regret_mean = 0;
  whole.reason = "Nothing better was measured: keep it.";
  EXPECT_EQ(FormatWhole(whole),
            "the whole placement is OK: Nothing better was measured: keep it.\n");
  whole.verdict = Verdict::kWrong;
  whole.regret_max = 0.494;
  whole.regret_mean = 0.06;
  whole.reason = "1 of 8 consumers is WRONG.";
  MatrixOptions options;
  options.width = 60;
  EXPECT_EQ(FormatWhole(whole, options),
            "the whole placement is WRONG, 49 % lost by the worst-off and\n"
            "  6 % on average: 1 of 8 consumers is WRONG.\n");
}

}  // namespace
}  // namespace railgauge
