#include "lib/placement/cell_table.h"

#include <cmath>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

const NicKey kNic = {{0, 0x50, 0, 0}, "rdmap80s0"};
const NicKey kOther = {{0, 0x51, 0, 0}, "rdmap81s0"};
const MemoryPlace kPlace = MemoryPlace::NumaNode(0);
const Dimension kRead = {Operation::kRead, Direction::kToMemory};

Sample SampleOf(uint64_t size, double throughput) {
  Sample sample;
  sample.cell.nic = kNic;
  sample.cell.place = kPlace;
  sample.cell.size = Bytes{size};
  sample.throughput = BytesPerSecond{throughput};
  sample.status = SampleStatus::kOk;
  return sample;
}

TEST(CellTableTest, NoSamplesNoCells) {
  const CellTable table({});
  EXPECT_TRUE(table.cells().empty());
  EXPECT_EQ(table.Find(kNic.address, kPlace, kRead), nullptr);
  EXPECT_EQ(table.Throughput(kNic.address, kPlace, kRead), std::nullopt);
}

TEST(CellTableTest, GathersTheWindowsOfACell) {
  const std::vector<Sample> samples = {SampleOf(4096, 3), SampleOf(4096, 1), SampleOf(4096, 2)};
  const CellTable table(samples);
  ASSERT_EQ(table.cells().size(), 1u);
  EXPECT_EQ(table.cells()[0].median, 2);
  EXPECT_EQ(table.cells()[0].Values(), (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(table.Find(kNic.address, kPlace, kRead), &table.cells()[0]);
  EXPECT_EQ(table.Find(kOther.address, kPlace, kRead), nullptr);
  EXPECT_EQ(table.Find(kNic.address, kPlace, {Operation::kWrite, Direction::kToMemory}), nullptr);
}

TEST(CellTableTest, JudgesAtTheLargestMeasuredSize) {
  std::vector<Sample> samples = {SampleOf(4096, 9), SampleOf(65536, 5), SampleOf(1 << 20, 7)};
  samples[2].status = SampleStatus::kFailed;
  EXPECT_EQ(CellTable(samples).Throughput(kNic.address, kPlace, kRead), 5);
  // Another NIC was measured at the largest size; what this one did at smaller ones says nothing.
  Sample other = SampleOf(1 << 20, 8);
  other.cell.nic = kOther;
  samples.push_back(other);
  const CellTable table(samples);
  EXPECT_EQ(table.Throughput(kNic.address, kPlace, kRead), std::nullopt);
  EXPECT_EQ(table.Find(kNic.address, kPlace, kRead)->failed, 1u);
  EXPECT_EQ(table.Throughput(kOther.address, kPlace, kRead), 8);
}

TEST(CellTableTest, OnlyCellsMeasuredAloneAreJudged) {
  std::vector<Sample> samples = {SampleOf(4096, 9)};
  samples[0].cell.load = "switch 0000:44:00.0";
  const CellTable table(samples);
  EXPECT_EQ(table.cells().size(), 1u);
  EXPECT_EQ(table.Find(kNic.address, kPlace, kRead), nullptr);
}

TEST(CellTableTest, TheFastestDepthAndWaySpeaks) {
  std::vector<Sample> samples = {SampleOf(4096, 5), SampleOf(4096, 6), SampleOf(4096, 7)};
  samples[1].cell.depth = 64;
  samples[2].way = RegistrationWay::kPeerMemory;
  const CellTable table(samples);
  EXPECT_EQ(table.cells().size(), 3u);
  EXPECT_EQ(table.Throughput(kNic.address, kPlace, kRead), 7);
}

TEST(CellTableTest, CountsWhatIsNoThroughput) {
  std::vector<Sample> samples = {SampleOf(4096, std::nan("")), SampleOf(4096, -1),
                                 SampleOf(4096, 1), SampleOf(4096, 1), SampleOf(4096, 0)};
  samples[2].throughput.reset();
  samples[3].status = SampleStatus::kSkipped;
  const CellTable table(samples);
  ASSERT_EQ(table.cells().size(), 1u);
  EXPECT_EQ(table.cells()[0].invalid, 3u);
  EXPECT_EQ(table.cells()[0].skipped, 1u);
  EXPECT_EQ(table.cells()[0].reason, "the sample has no throughput");
  EXPECT_EQ(table.cells()[0].median, 0) << "zero is a throughput";
}

TEST(CellTableTest, NamesADimension) {
  EXPECT_EQ(ToString(Dimension{Operation::kWrite, Direction::kFromMemory}), "WRITE from_memory");
}

}  // namespace
}  // namespace railgauge
