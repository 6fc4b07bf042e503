#include "lib/compare/baseline_file.h"

#include <gtest/gtest.h>

#include <utility>

#include "lib/base/file.h"
#include "lib/report/comparison_schema.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

BaselineRow GoodRow() {
  BaselineRow row;
  row.cell = {
      "0/1b.0",       "gpu", Relation::kSameSwitch,   Operation::kRead, Direction::kToMemory,
      Bytes{1 << 20}, 32,    RegistrationWay::kDmabuf};
  row.peer = "loopback";
  row.queue_pairs = 2;
  row.run_count = 8;
  row.sample_count = 16;
  row.throughput_median = {12e9};
  row.throughput_low = BytesPerSecond{11e9};
  row.throughput_high = BytesPerSecond{12.5e9};
  row.interval_confidence = 0.99;
  row.interval_source = "runs";
  return row;
}

class BaselineFileTest : public testing::Test {
 protected:
  // The error of a file of these rows; the columns of the first five are the run's.
  std::string ErrorOf(const std::vector<BaselineRow>& rows, const RunIdentity& run) {
    return ErrorOf(CsvFile<BaselineRow>(run, rows));
  }
  std::string ErrorOf(const std::string& content) {
    EXPECT_TRUE(WriteFileAtomically(path_, content));
    const auto baseline = ReadBaselineFile(path_);
    return baseline ? "" : baseline.error().ToString();
  }

  const std::string path_ = testing::TempDir() + "/baseline.csv";
  const RunIdentity run_ = {"r1", "", "", "p5.48xlarge", "emulated"};
};

TEST_F(BaselineFileTest, EveryColumnIsHeld) {
  const BaselineRow good = GoodRow();
  ASSERT_EQ(ErrorOf({good}, run_), "");
  BaselineRow bare = good;
  bare.throughput_low = bare.throughput_high = std::nullopt;
  bare.interval_confidence.reset();
  bare.interval_source.clear();
  EXPECT_EQ(ErrorOf({bare}, run_), "");
  for (const char* slot : {"nic3", "12/00.0/01.3/1f.7#2", "0/1b.0"}) {
    bare.cell.nic_slot = slot;
    EXPECT_EQ(ErrorOf({bare}, run_), "");
  }
  const std::pair<const char*, std::vector<const char*>> changes[] = {
      {"nic_slot",
       {"", "bogus", "0", "0/", "0/1b", "0/1b.0/", "x/1b.0", "0/1b.0#", "nic", "0/1B.0"}},
      {"place_kind", {"", "host", "numa0"}},
      {"relation", {"", "near"}},
      {"operation", {"", "send"}},
      {"direction", {"", "sideways"}},
      {"size_bytes", {"", "0", "1MiB"}},
      {"depth", {"", "0", "-1"}},
      {"way", {"", "host"}},
      {"peer", {"", "host-1"}},
      {"queue_pairs", {"0", "x"}},
      {"run_count", {"", "0", "7", "17"}},
      {"sample_count", {"", "0", "7"}},
      {"throughput_median_bytes_per_second",
       {"", "0", "-1", "1e308", "12.5GB/s", "1e9", "2e10", "1e-300", "1"}},
      {"throughput_low_bytes_per_second", {"", "12.4e9", "nan"}},
      {"throughput_high_bytes_per_second", {"", "1e9", "1e308"}},
      {"interval_confidence_fraction", {"", "2", "0", "-1"}},
      {"interval_source", {"", "guess"}},
  };
  size_t at = 0;
  for (const Column<BaselineRow>& column : ColumnsOf<BaselineRow>()) {
    ASSERT_LT(at, std::size(changes));
    ASSERT_EQ(column.name, changes[at].first);
    std::string line = CsvRow(run_, good);
    for (const char* change : changes[at].second) {
      const std::string before = column.print(good);
      // Fields are told apart by where they stand.
      size_t begin = 0;
      for (size_t i = 0; i < 6 + at; ++i) begin = line.find(',', begin) + 1;
      std::string changed = line;
      changed.replace(begin, before.size(), change);
      const std::string error = ErrorOf(CsvHeader<BaselineRow>() + changed);
      EXPECT_NE(error.find("baseline.csv:2: "), std::string::npos)
          << column.name << " changed to '" << change << "': " << error;
    }
    ++at;
  }
  EXPECT_EQ(at, std::size(changes));
}

TEST_F(BaselineFileTest, RowsAmongEachOther) {
  BaselineRow other = GoodRow();
  EXPECT_NE(ErrorOf({GoodRow(), other}, run_).find(":3: the cell is in line 2 already"),
            std::string::npos);
  other.cell.nic_slot = "0/1c.0";
  EXPECT_EQ(ErrorOf({GoodRow(), other}, run_), "");
  other.peer = "two_hosts";
  EXPECT_NE(ErrorOf({GoodRow(), other}, run_).find(":3: it is of another"), std::string::npos);
  EXPECT_NE(ErrorOf({}, run_).find("it has no row"), std::string::npos);
  RunIdentity run = run_;
  run.host = "host-1";
  EXPECT_NE(ErrorOf({GoodRow()}, run).find(":2: host or instance_id"), std::string::npos);
  run = run_;
  run.platform = "magic";
  EXPECT_NE(ErrorOf({GoodRow()}, run).find(":2: platform is 'magic'"), std::string::npos);
  const std::string whole = CsvFile<BaselineRow>(run_, std::vector{GoodRow()});
  EXPECT_NE(ErrorOf(whole.substr(0, whole.size() - 1)).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
