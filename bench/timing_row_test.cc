#include "bench/timing_row.h"

#include "gtest/gtest.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

using std::chrono::nanoseconds;

TEST(TimingRowTest, Percentiles) {
  std::vector<Nanoseconds> latencies;
  for (int i = 200; i >= 1; --i) latencies.emplace_back(i);
  TimingRow row;
  SetLatencies(latencies, &row);
  EXPECT_EQ(row.count, 200u);
  EXPECT_EQ(row.latency_min, nanoseconds{1});
  EXPECT_EQ(row.latency_p50, nanoseconds{100});
  EXPECT_EQ(row.latency_p99, nanoseconds{198});
  EXPECT_EQ(row.latency_max, nanoseconds{200});
}

TEST(TimingRowTest, OneOperationIsAllPercentilesAndNoneIsNone) {
  TimingRow row;
  SetLatencies({nanoseconds{7}}, &row);
  EXPECT_EQ(row.latency_p50, nanoseconds{7});
  EXPECT_EQ(row.latency_p99, nanoseconds{7});
  TimingRow none;
  SetLatencies({}, &none);
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.latency_p50, std::nullopt);
}

// Columns are only ever appended.
TEST(TimingRowTest, Header) {
  EXPECT_EQ(TimingHeader(),
            "schema_version,run_id,host,instance_id,instance_type,platform,operation,"
            "nic_pci_address,nic_name,place,way,size_bytes,round,count,latency_min_ns,"
            "latency_p50_ns,latency_p99_ns,latency_max_ns,status,reason\n");
}

TEST(TimingRowTest, ReadsBack) {
  TimingRow row;
  row.operation = "register";
  row.nic = {*PciAddress::Parse("0000:4f:00.0"), "rdmap79s0"};
  row.place = MemoryPlace::NumaNode(1);
  row.way = RegistrationWay::kHost;
  row.size = Bytes{4096};
  SetLatencies({nanoseconds{5}, nanoseconds{6}}, &row);
  row.status = SampleStatus::kOk;
  const LoggedRow logged = RowOf(row);
  EXPECT_EQ(logged.outcome, LoggedRow::Outcome::kMeasured);
  const std::string text = TimingHeader() + logged.csv({}, 3);
  const auto recorded = ParseReport<TimingRow>(text, "rows.csv");
  ASSERT_TRUE(recorded) << recorded.error().ToString();
  ASSERT_EQ(recorded->rows.size(), 1u);
  EXPECT_EQ(recorded->rows[0].place, row.place);
  EXPECT_EQ(recorded->rows[0].size, row.size);
  EXPECT_EQ(recorded->rows[0].latency_p99, nanoseconds{6});
  EXPECT_EQ(recorded->rows[0].round, 3u);
}

// A whole census is of no single NIC, place or size: empty, not zero.
TEST(TimingRowTest, WhatAnOperationDoesNotHaveIsEmpty) {
  TimingRow row;
  row.operation = "census";
  row.status = SampleStatus::kFailed;
  EXPECT_EQ(RowOf(row).outcome, LoggedRow::Outcome::kWrong);
  EXPECT_EQ(RowOf(row).csv({}, 0), "1,,,,,,census,,,,,,0,0,,,,,failed,\n");
}

}  // namespace
}  // namespace railgauge
