#include "lib/report/comparison_schema.h"

#include "gtest/gtest.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

RunIdentity TheRun() { return {"r1", "host", "i-1", "p5.48xlarge", "emulated"}; }

// Golden: baselines are kept for years. Columns may only be appended at the end.
TEST(ComparisonSchemaTest, Headers) {
  const std::string run = "schema_version,run_id,host,instance_id,instance_type,platform,";
  EXPECT_EQ(CsvHeader<BaselineRow>(),
            run +
                "nic_slot,place_kind,relation,operation,direction,size_bytes,depth,way,peer,"
                "queue_pairs,run_count,sample_count,throughput_median_bytes_per_second,"
                "throughput_low_bytes_per_second,throughput_high_bytes_per_second,"
                "interval_confidence_fraction,interval_source\n");
  EXPECT_EQ(CsvHeader<ComparisonRow>(),
            run +
                "nic_slot,nic_pci_address,nic_name,place,place_kind,relation,operation,direction,"
                "size_bytes,depth,way,sample_count,throughput_median_bytes_per_second,"
                "baseline_run_id,baseline_run_count,baseline_sample_count,"
                "baseline_median_bytes_per_second,baseline_low_bytes_per_second,"
                "baseline_high_bytes_per_second,ratio,ratio_low,ratio_high,"
                "interval_confidence_fraction,adjusted_p_value,evidence,verdict,reason\n");
}

template <typename Row>
void ExpectReadsBack(const Row& row) {
  const std::string csv = CsvFile<Row>(TheRun(), {&row, 1});
  const auto read = ParseReport<Row>(csv, "x.csv");
  ASSERT_TRUE(read) << read.error().ToString();
  ASSERT_EQ(read->rows.size(), 1u);
  EXPECT_EQ(CsvFile<Row>(read->run, {&read->rows[0], 1}), csv);
}

TEST(ComparisonSchemaTest, RowsReadBack) {
  BaselineRow baseline;
  ExpectReadsBack(baseline);
  baseline.cell = {
      "0/00.0", "gpu", Relation::kSameSwitch,   Operation::kWrite, Direction::kFromMemory,
      Bytes{1}, 32,    RegistrationWay::kDmabuf};
  baseline.queue_pairs = 4;
  baseline.throughput_low = BytesPerSecond{1.5};
  baseline.interval_source = "runs";
  ExpectReadsBack(baseline);
  ComparisonRow row;
  ExpectReadsBack(row);
  for (const CompareVerdict verdict :
       {CompareVerdict::kSame, CompareVerdict::kSlower, CompareVerdict::kFaster,
        CompareVerdict::kNoisy, CompareVerdict::kMissing, CompareVerdict::kNew}) {
    row.cell = baseline.cell;
    row.nic = NicKey{{0, 0x4f, 0, 0}, "rdmap79s0"};
    row.place = MemoryPlace::NumaNode(1);
    row.ratio = 0.5;
    row.verdict = verdict;
    row.reason = "a, \"b\"";
    ExpectReadsBack(row);
  }
}

TEST(ComparisonSchemaTest, AnotherVerdictIsAnError) {
  const ComparisonRow row;
  std::string csv = CsvFile<ComparisonRow>(TheRun(), {&row, 1});
  csv.replace(csv.find("NOISY"), 5, "WORSE");
  const auto read = ParseReport<ComparisonRow>(csv, "x.csv");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().ToString().find("'WORSE' is no value of column verdict"),
            std::string::npos);
}

}  // namespace
}  // namespace railgauge
