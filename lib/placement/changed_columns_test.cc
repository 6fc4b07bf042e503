// A recorded run, one column of one row of it changed: it is refused or the window is INVALID, but
// for the columns that HeldColumns() calls free, where it is accepted. So the table says what is
// so.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/consistency.h"
#include "lib/report/run_index.h"
#include "lib/report/schema.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

constexpr char kRun[] = "scenarios/checks/recorded/healthy-p5.48xlarge";

// What becomes of the run.
enum class Fate { kAccepted, kRefused, kInvalid };

class ChangedColumnsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string census = std::string(kRun) + "/census.csv";
    const std::string samples = std::string(kRun) + "/samples.csv";
    const auto runs = IndexRuns(census, samples);
    ASSERT_TRUE(runs) << runs.error().ToString();
    auto reader = RunReader::Open(census, samples);
    ASSERT_TRUE(reader);
    auto run = reader->Read(runs->front());
    ASSERT_TRUE(run) << run.error().ToString();
    run_ = *std::move(run);
    auto machine = LoadMachineFromXml(std::string(kRun) + "/topology.xml");
    ASSERT_TRUE(machine);
    machine_ = *std::move(machine);
    // A window of READ to_memory with a GPU, which has an id.
    for (size_t i = 0; i < run_.samples.size() && !window_; ++i) {
      const Sample& sample = run_.samples[i].row;
      if (sample.status == SampleStatus::kOk && sample.interconnect_id &&
          sample.cell.place.is_gpu() && sample.disturbed == false) {
        window_ = i;
      }
    }
    ASSERT_TRUE(window_);
    AddRows();
  }

  // Rows that this run has none of: with intervals, with latencies, and one that was skipped.
  void AddRows() {
    RecordedRow<Sample> row = run_.samples[*window_];
    const auto add = [&] {
      row.row.start_offset += std::chrono::hours(1);
      row.line = run_.samples.back().line + 1;
      run_.samples.push_back(row);
      return run_.samples.size() - 1;
    };
    Sample& sample = row.row;
    sample.interval = sample.duration / 7;
    sample.interval_count = 6;
    sample.interval_min = BytesPerSecond{sample.throughput->value * 0.8};
    sample.interval_median = BytesPerSecond{sample.throughput->value * 1.01};
    sample.interval_mad = BytesPerSecond{sample.throughput->value * 0.05};
    sample.interval_modes = 1;
    intervals_ = add();
    sample = run_.samples[*window_].row;
    sample.start_offset += std::chrono::hours(2);
    sample.throughput.reset();
    sample.cell.depth = 1;
    sample.latency_min = Nanoseconds(1000);
    sample.latency_p50 = Nanoseconds(2000);
    sample.latency_p90 = Nanoseconds(3000);
    sample.latency_p99 = Nanoseconds(4000);
    sample.latency_p99_9 = Nanoseconds(5000);
    sample.latency_max = Nanoseconds(6000);
    latencies_ = add();
    sample = Sample{};
    sample.cell = run_.samples[*window_].row.cell;
    sample.status = SampleStatus::kSkipped;
    sample.skip_cause = SkipCause::kNoTime;
    sample.reason = "no time";
    skipped_ = add();
    // Of the row, and not of the file.
    run_.samples.back().row.start_offset = Nanoseconds(0);
    ASSERT_EQ(FateOf(run_), Fate::kAccepted);
  }

  Fate FateOf(RecordedRun run) const {
    if (const Status status = CheckRecording(run); !status) {
      // It tells where.
      EXPECT_NE(status.error().object.find(".csv"), std::string::npos);
      return Fate::kRefused;
    }
    if (!CheckMachine(run, machine_, "topology.xml")) return Fate::kRefused;
    return MarkContradicted(run) > 0 ? Fate::kInvalid : Fate::kAccepted;
  }

  // Of the run with `field` in the column of the row.
  template <typename Row>
  Fate FateWith(std::vector<RecordedRow<Row>> RecordedRun::*rows, size_t row,
                const std::string& column, const std::string& field) const {
    RecordedRun run = run_;
    for (const Column<Row>& one : ColumnsOf<Row>()) {
      if (one.name != column) continue;
      return one.parse(field, (run.*rows)[row].row) ? FateOf(std::move(run)) : Fate::kRefused;
    }
    ADD_FAILURE() << "no column " << column;
    return Fate::kAccepted;
  }

  template <typename Row>
  std::string FieldOf(const Row& row, const std::string& column) const {
    for (const Column<Row>& one : ColumnsOf<Row>()) {
      if (one.name == column) return one.print(row);
    }
    return "";
  }

  RecordedRun run_;
  Machine machine_;
  std::optional<size_t> window_;
  size_t intervals_ = 0;
  size_t latencies_ = 0;
  size_t skipped_ = 0;
};

// Fields that a column may be changed to. "*2" is twice what it is, "/2" half.
using Changes = std::map<std::string, std::vector<std::string>>;

std::string Changed(const std::string& field, const std::string& change) {
  if (change == "*2") return std::to_string(static_cast<uint64_t>(std::stod(field) * 2));
  if (change == "/2") return std::to_string(static_cast<uint64_t>(std::stod(field) / 2));
  return change;
}

const Changes kOfWindow = {
    {"nic_pci_address", {"", "0000:99:00.0"}},
    {"nic_name", {"", "rdmap99s0"}},
    {"place", {"", "gpu:0000:99:00.0", "numa9", "accelerator:0000:99:00.0"}},
    {"direction", {"from_memory", "sideways"}},
    {"size_bytes", {"", "0", "1", "*2"}},
    {"depth", {"", "0", "1", "*2"}},
    {"load", {"", "bogus", "numa0", "all", "switch:0000:44:00.0"}},
    {"way", {"host", "pigeon"}},
    {"partner_pci_address", {"", "0000:99:00.0"}},
    {"partner_name", {"", "rdmap99s0"}},
    {"partner_place", {"", "numa9"}},
    {"peer", {"", "other"}},
    {"start_offset_ns", {"", "-1"}},
    {"duration_ns", {"0", "-1", "*2", "/2", "1"}},
    {"completions", {"", "0", "*2", "18446744073709551615"}},
    {"payload_bytes", {"0", "1", "*2"}},
    {"throughput_bytes_per_second", {"", "0", "*2", "1e300", "nan", "-1"}},
    {"messages_per_second", {"", "0", "*2", "-1"}},
    {"post_fraction", {"", "0.9", "7", "-1"}},
    {"posted_bytes", {"", "0", "*2"}},
    {"counter_bytes", {"", "0", "*2", "/2"}},
    {"status", {"failed", "skipped", "no_counters", "wrong_data", "fine"}},
    {"poll_fraction", {"", "0.9", "7"}},
    {"idle_fraction", {"", "0.01", "7"}},
    {"cpu_bound", {"", "true", "maybe"}},
    {"line_rate_bytes_per_second", {"", "*2", "/2", "0"}},
    {"retransmitted_bytes", {"1000000000", "-1"}},
    {"skip_cause", {"no_time", "not_possible", "bored"}},
};

const Changes kOfIntervals = {
    {"interval_ns", {"", "0", "*2", "-1"}},
    {"interval_count", {"", "0", "2", "*2"}},
    {"interval_min_bytes_per_second", {"", "*2", "-1"}},
    {"interval_median_bytes_per_second", {"", "0", "/2", "1e12"}},
    {"interval_mad_bytes_per_second", {"", "1e12"}},
    {"interval_modes", {"", "0", "3"}},
    {"throughput_bytes_per_second", {""}},
};

const Changes kOfLatencies = {
    {"latency_min_ns", {"", "-1", "9999"}},
    {"latency_p50_ns", {"", "-1", "9999", "1"}},
    {"latency_p90_ns", {"", "9999", "1"}},
    {"latency_p99_ns", {"", "9999", "1"}},
    {"latency_p99_9_ns", {"", "9999", "1"}},
    {"latency_max_ns", {"", "1", "99999999999"}},
    {"depth", {"2"}},
};

const Changes kOfSkipped = {
    {"skip_cause", {""}},    {"reason", {""}},       {"status", {"ok", "failed", "no_counters"}},
    {"duration_ns", {"1"}},  {"completions", {"1"}}, {"throughput_bytes_per_second", {"1"}},
    {"posted_bytes", {"1"}},
};

// What nothing else says.
const Changes kFree = {
    {"operation", {"write"}}, {"interconnect_id", {"77", ""}}, {"round", {"9"}},
    {"reason", {"hello"}},    {"disturbed", {"true", ""}},
};

TEST_F(ChangedColumnsTest, OfSamples) {
  std::set<std::string> changed;
  const std::pair<const Changes*, size_t> rows[] = {{&kOfWindow, *window_},
                                                    {&kOfIntervals, intervals_},
                                                    {&kOfLatencies, latencies_},
                                                    {&kOfSkipped, skipped_}};
  for (const auto& [changes, row] : rows) {
    for (const auto& [column, fields] : *changes) {
      changed.insert(column);
      const std::string field = FieldOf(run_.samples[row].row, column);
      for (const std::string& change : fields) {
        EXPECT_NE(FateWith(&RecordedRun::samples, row, column, Changed(field, change)),
                  Fate::kAccepted)
            << column << " of '" << field << "' changed to '" << change << "'";
      }
    }
  }
  for (const auto& [column, fields] : kFree) {
    for (const std::string& field : fields) {
      EXPECT_EQ(FateWith(&RecordedRun::samples, *window_, column, field), Fate::kAccepted)
          << column << " changed to '" << field << "'";
    }
  }
  // All latencies beside a throughput.
  RecordedRun run = run_;
  Sample both = run.samples[latencies_].row;
  both.cell.depth = run.samples[*window_].row.cell.depth;
  both.throughput = run.samples[*window_].row.throughput;
  run.samples[latencies_].row = both;
  EXPECT_EQ(FateOf(std::move(run)), Fate::kInvalid);
  // Every column of the schema is in the table, and was changed here.
  std::vector<std::string> table, schema;
  for (const HeldColumn& held : HeldColumns<Sample>()) {
    table.emplace_back(held.column);
    EXPECT_FALSE(held.rule.empty());
    EXPECT_EQ(held.by == HeldBy::kFree, kFree.contains(table.back())) << held.column;
    EXPECT_TRUE(changed.contains(table.back()) || held.by == HeldBy::kFree) << held.column;
  }
  for (const Column<Sample>& column : ColumnsOf<Sample>()) schema.emplace_back(column.name);
  EXPECT_EQ(table, schema);
}

TEST_F(ChangedColumnsTest, OfTheCensus) {
  size_t row = 0;
  while (run_.census[row].row.place != run_.samples[*window_].row.cell.place) ++row;
  const Changes held = {
      {"nic_pci_address", {"", "0000:99:00.0"}},
      {"nic_name", {"", "rdmap99s0"}},
      {"place", {"", "gpu:0000:99:00.0", "numa9", "numa0"}},
      {"way", {"host", "pigeon"}},
      {"status", {"no_id", "cannot_tell", "skipped", "registration_failed", "fine"}},
      {"relation", {"other_numa_node", "unknown", "near"}},
      {"pci_path", {"hello", "0000:4f:00.0 < numa0", "0000:50:00.0 > 0000:53:00.0"}},
      {"access_flags", {"hello", "local_write", "local_write|", "remote_read|local"}},
  };
  const Changes free = {{"recv_ic_id", {"77"}},
                        {"rdma_read_ic_id", {"77"}},
                        {"rdma_recv_ic_id", {""}},
                        {"reason", {"hello"}}};
  for (const auto& [column, fields] : held) {
    for (const std::string& field : fields) {
      EXPECT_EQ(FateWith(&RecordedRun::census, row, column, field), Fate::kRefused)
          << column << " changed to '" << field << "'";
    }
  }
  for (const auto& [column, fields] : free) {
    for (const std::string& field : fields) {
      EXPECT_EQ(FateWith(&RecordedRun::census, row, column, field), Fate::kAccepted)
          << column << " changed to '" << field << "'";
    }
  }
  std::vector<std::string> table, schema;
  for (const HeldColumn& one : HeldColumns<CensusRow>()) {
    table.emplace_back(one.column);
    EXPECT_TRUE((one.by == HeldBy::kFree ? free : held).contains(table.back())) << one.column;
  }
  for (const Column<CensusRow>& column : ColumnsOf<CensusRow>()) schema.emplace_back(column.name);
  EXPECT_EQ(table, schema);
}

TEST_F(ChangedColumnsTest, OfTheRun) {
  for (const char* platform : {"", "magic"}) {
    RecordedRun run = run_;
    run.run.platform = platform;
    EXPECT_EQ(FateOf(std::move(run)), Fate::kRefused) << platform;
  }
  RecordedRun run = run_;
  run.run.run_id.clear();
  EXPECT_EQ(FateOf(std::move(run)), Fate::kRefused);
  run = run_;
  run.census.push_back(run.census[5]);
  EXPECT_EQ(FateOf(std::move(run)), Fate::kRefused);
}

}  // namespace
}  // namespace railgauge
