#include "lib/report/openmetrics.h"

#include <cmath>
#include <limits>
#include <set>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(OpenMetricsTest, IsTypedGaugesAndAnEnd) {
  const MetricFamily families[] = {
      {"a_bytes", "bytes", "How many.", {{{{"x", "1"}, {"y", "a\\b\"c\nd"}}, 1.5}, {{}, 2}}},
      {"nothing", "", "Left out.", {}},
      {"odd", "", "Left out, too.", {{{}, std::nan("")}}}};
  EXPECT_EQ(OpenMetricsText(families),
            "# TYPE a_bytes gauge\n"
            "# UNIT a_bytes bytes\n"
            "# HELP a_bytes How many.\n"
            "a_bytes{x=\"1\",y=\"a\\\\b\\\"c\\nd\"} 1.5\n"
            "a_bytes 2\n"
            "# EOF\n");
  EXPECT_EQ(OpenMetricsText({}), "# EOF\n");
}

SummaryRow Summary(uint32_t depth) {
  SummaryRow row;
  row.cell.nic = {{0, 0x4f, 0, 0}, "rdmap79s0"};
  row.cell.depth = depth;
  row.throughput_median = BytesPerSecond{12.5e9};
  return row;
}

PlacementRow Placement(Verdict verdict, double regret) {
  PlacementRow row;
  row.consumer = MemoryPlace::Gpu({0, 0x53, 0, 0});
  row.verdict = verdict;
  row.regret = regret;
  return row;
}

// A series twice, and the collector refuses the file.
TEST(OpenMetricsTest, NoSeriesTwice) {
  const SummaryRow summary[] = {Summary(1), Summary(2)};
  const PlacementRow placement[] = {Placement(Verdict::kOk, 0.1), Placement(Verdict::kIdle, 0.2)};
  Finding finding;
  finding.kind = "nic_count";
  const Finding findings[] = {finding, finding};
  const auto families =
      PlacementMetrics({"r", "h", "", "p5", "emulated"}, "check", 1, summary, placement, findings);
  std::set<std::string> names;
  for (const MetricFamily& family : families) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_TRUE(family.unit.empty() || family.name.ends_with("_" + family.unit)) << family.name;
    std::set<MetricLabels> labels;
    for (const MetricPoint& point : family.points) {
      EXPECT_TRUE(labels.insert(point.labels).second) << family.name;
    }
  }
  const std::string text = OpenMetricsText(families);
  EXPECT_NE(text.find("railgauge_placement_regret_ratio{consumer=\"gpu:0000:53:00.0\"} 0.2\n"),
            std::string::npos);
  EXPECT_NE(text.find("verdict=\"IDLE\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("verdict=\"WRONG\"} 0\n"), std::string::npos);
  EXPECT_NE(text.find("railgauge_findings{kind=\"nic_count\",severity=\"note\"} 2\n"),
            std::string::npos);
  EXPECT_NE(text.find("railgauge_exit_status{command=\"check\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("depth=\"2\",way=\"host\"} 12500000000\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace railgauge
