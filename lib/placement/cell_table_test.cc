#include "lib/placement/cell_table.h"

#include <algorithm>
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
  EXPECT_EQ(table.cells()[0].Values(), (std::vector<double>{1, 2, 3})) << "equally early ones";
  EXPECT_EQ(table.Find(kNic.address, kPlace, kRead), &table.cells()[0]);
  EXPECT_EQ(table.Find(kOther.address, kPlace, kRead), nullptr);
  EXPECT_EQ(table.Find(kNic.address, kPlace, {Operation::kWrite, Direction::kToMemory}), nullptr);
}

TEST(CellTableTest, TheOrderOfSamplesDoesNotMatter) {
  std::vector<Sample> samples;
  for (const int i : {0, 1, 2, 3}) {
    samples.push_back(SampleOf(4096, 1 + i % 2));
    samples.back().start_offset = Nanoseconds(i);
    samples.back().interconnect_id = static_cast<uint16_t>(7 + i);
  }
  samples[2].status = SampleStatus::kSkipped;
  samples[2].reason = "the first";
  samples[2].skip_cause = SkipCause::kNoTime;
  samples[3].status = SampleStatus::kSkipped;
  samples[3].reason = "a later one";
  samples[3].skip_cause = SkipCause::kNotPossible;
  for (const int turn : {0, 1}) {
    const CellTable table(samples);
    const MeasuredCell& cell = table.cells().at(0);
    EXPECT_EQ(cell.windows.at(0).start, Nanoseconds(0)) << turn;
    EXPECT_EQ(cell.interconnect_id, 7) << turn;
    EXPECT_EQ(cell.reason, "the first") << turn;
    EXPECT_EQ(cell.skip_cause, SkipCause::kNoTime) << turn;
    std::reverse(samples.begin(), samples.end());
  }
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

TEST(CellTableTest, DisturbedWindowsCountOnlyWhereThereIsNoOther) {
  std::vector<Sample> samples = {SampleOf(4096, 2), SampleOf(4096, 4)};
  for (Sample& sample : samples) sample.disturbed = true;
  EXPECT_EQ(CellTable(samples).cells()[0].median, 3);
  EXPECT_EQ(CellTable(samples).cells()[0].disturbed, 2u);
  samples.push_back(SampleOf(4096, 9));
  samples.back().disturbed = false;
  const CellTable table(samples);
  EXPECT_EQ(table.cells()[0].Values(), std::vector<double>{9});
  EXPECT_EQ(table.cells()[0].median, 9);
  EXPECT_EQ(table.cells()[0].windows.size(), 3u);
  EXPECT_EQ(table.cells()[0].disturbed, 2u);
}

TEST(CellTableTest, WhatWasNotReachedIsMissedAndWhatCannotBeIsNot) {
  std::vector<Sample> samples = {SampleOf(4096, 5), SampleOf(1 << 20, 0)};
  samples[1].status = SampleStatus::kSkipped;
  samples[1].throughput.reset();
  for (const SkipCause cause :
       {SkipCause::kNoTime, SkipCause::kInterrupted, SkipCause::kPeerGone}) {
    samples[1].skip_cause = cause;
    // The largest size is what is judged; that there was no time for it does not make it another.
    const CellTable table(samples);
    const MeasuredCell* cell = table.Find(kNic.address, kPlace, kRead);
    EXPECT_TRUE(cell->missed()) << ToString(cause);
    EXPECT_FALSE(cell->not_possible()) << ToString(cause);
    EXPECT_EQ(cell->cell.size, Bytes{1 << 20}) << ToString(cause);
  }
  samples[1].skip_cause = SkipCause::kNotPossible;
  EXPECT_EQ(CellTable(samples).Throughput(kNic.address, kPlace, kRead), 5);
  samples.erase(samples.begin());
  const CellTable alone(samples);
  EXPECT_TRUE(alone.Find(kNic.address, kPlace, kRead)->not_possible());
  EXPECT_FALSE(alone.Find(kNic.address, kPlace, kRead)->missed());
}

TEST(CellTableTest, NamesADimension) {
  EXPECT_EQ(ToString(Dimension{Operation::kWrite, Direction::kFromMemory}), "WRITE from_memory");
}

}  // namespace
}  // namespace railgauge
