#include "lib/placement/correlation.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

const NicKey kNic = {{0, 0x50, 0, 0}, "rdmap80s0"};
const MemoryPlace kNode0 = MemoryPlace::NumaNode(0);
const MemoryPlace kNode1 = MemoryPlace::NumaNode(1);
const MemoryPlace kGpu = MemoryPlace::Gpu({0, 0x53, 0, 0});

CensusRow Census(const MemoryPlace& place, std::optional<uint16_t> read,
                 std::optional<uint16_t> write, std::optional<uint16_t> recv = {}) {
  CensusRow row;
  row.nic = kNic;
  row.place = place;
  row.status = CensusStatus::kOk;
  row.ids = {recv, read, write};
  return row;
}

Sample Measured(const MemoryPlace& place, Operation operation, std::optional<uint16_t> id,
                double gigabytes, Direction direction = Direction::kToMemory) {
  Sample sample;
  sample.cell = {kNic, place, operation, direction, Bytes{1 << 20}, 16, "alone"};
  sample.interconnect_id = id;
  sample.throughput = BytesPerSecond{gigabytes * 1e9};
  sample.status = SampleStatus::kOk;
  return sample;
}

TEST(CorrelationTest, NothingIsNothing) {
  EXPECT_TRUE(Correlate({}, {}).empty());
  EXPECT_TRUE(Correlate(std::vector{Census(kNode0, {}, {})}, {}).empty()) << "no valid id";
}

TEST(CorrelationTest, ThroughputOfEachIdByItsOwnField) {
  const std::vector<CensusRow> census = {Census(kNode0, 1, 5, 9), Census(kNode1, 2, 5),
                                         Census(kGpu, 2, 6), Census(kGpu, 2, 6)};
  const std::vector<Sample> samples = {
      Measured(kNode0, Operation::kRead, 1, 12),
      Measured(kNode0, Operation::kRead, 1, 14),
      Measured(kNode1, Operation::kRead, 2, 6),
      Measured(kGpu, Operation::kRead, 2, 6.1),
      Measured(kNode0, Operation::kWrite, 5, 10),
      Measured(kNode1, Operation::kWrite, 5, 4),
      Measured(kNode0, Operation::kRead, {}, 99, Direction::kFromMemory)};
  const std::vector<InterconnectRow> rows = Correlate(census, samples);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].field, IcField::kRecv);
  EXPECT_EQ(rows[0].id, 9);
  EXPECT_FALSE(rows[0].throughput_median) << "no operation is attributed by recv";

  EXPECT_EQ(rows[1].field, IcField::kRdmaRead);
  EXPECT_EQ(rows[1].id, 1);
  EXPECT_EQ(rows[1].places, std::vector{kNode0});
  EXPECT_EQ(rows[1].throughput_median, BytesPerSecond{13e9});
  EXPECT_EQ(rows[1].sample_count, 2u);
  EXPECT_EQ(rows[1].findings, "");

  EXPECT_EQ(rows[2].id, 2);
  EXPECT_EQ(rows[2].places, (std::vector{kNode1, kGpu}));
  EXPECT_EQ(rows[2].throughput_min, BytesPerSecond{6e9});
  EXPECT_EQ(rows[2].throughput_max, BytesPerSecond{6.1e9});
  EXPECT_EQ(rows[2].findings, "");

  EXPECT_EQ(rows[3].field, IcField::kRdmaRecv);
  EXPECT_EQ(rows[3].id, 5);
  EXPECT_EQ(rows[3].throughput_median, BytesPerSecond{7e9});
  EXPECT_EQ(rows[3].findings, "same_id_different_speed");

  EXPECT_EQ(rows[4].id, 6);
  EXPECT_FALSE(rows[4].throughput_median) << "not measured";
  EXPECT_EQ(rows[4].sample_count, 0u);
}

TEST(CorrelationTest, TwoIdsOfOneSpeed) {
  const std::vector<CensusRow> census = {Census(kNode0, 0, {}), Census(kNode1, 1, {}),
                                         Census(kGpu, 2, {})};
  const std::vector<InterconnectRow> rows =
      Correlate(census, std::vector{Measured(kNode0, Operation::kRead, 0, 12.0),
                                    Measured(kNode1, Operation::kRead, 1, 12.2),
                                    Measured(kGpu, Operation::kRead, 2, 6.0)});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].findings, "different_id_same_speed");
  EXPECT_EQ(rows[1].findings, "different_id_same_speed");
  EXPECT_EQ(rows[2].findings, "");
}

// A sample that carries another id than the census says is not counted to either silently as fast.
TEST(CorrelationTest, SamplesOfAnotherIdDoNotCount) {
  const std::vector<InterconnectRow> rows = Correlate(
      std::vector{Census(kNode0, 1, {})}, std::vector{Measured(kNode0, Operation::kRead, 3, 12)});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].throughput_median);
}

TEST(CorrelationTest, ZeroThroughput) {
  const std::vector<InterconnectRow> rows =
      Correlate(std::vector{Census(kNode0, 1, {}), Census(kNode1, 1, {})},
                std::vector{Measured(kNode0, Operation::kRead, 1, 0),
                            Measured(kNode1, Operation::kRead, 1, 12)});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].throughput_min, BytesPerSecond{0});
  EXPECT_EQ(rows[0].findings, "same_id_different_speed");
}

}  // namespace
}  // namespace railgauge
