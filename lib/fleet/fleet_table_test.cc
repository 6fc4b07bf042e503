#include "lib/fleet/fleet_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "lib/base/file.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

const NicKey kNic{*PciAddress::Parse("0000:4f:00.0"), "rdmap79s0"};
const NicKey kOther{*PciAddress::Parse("0000:50:00.0"), "rdmap80s0"};

Sample Window(const MemoryPlace& place, double gigabytes_per_second) {
  Sample sample;
  sample.cell = {kNic, place,  Operation::kRead, Direction::kToMemory, Bytes{1'000'000},
                 32,   "alone"};
  sample.partner = kNic;
  sample.peer = "other";
  sample.duration = std::chrono::seconds(1);
  sample.completions = static_cast<uint64_t>(1000 * gigabytes_per_second);
  sample.payload_bytes = sample.completions * 1'000'000;
  sample.posted_bytes = sample.counter_bytes = sample.payload_bytes;
  sample.throughput = BytesPerSecond{static_cast<double>(sample.payload_bytes)};
  sample.status = SampleStatus::kOk;
  return sample;
}

MemoryPlace Gpu(uint8_t bus) {
  PciAddress address;
  address.bus = bus;
  return MemoryPlace::Gpu(address);
}

class FleetTableTest : public testing::Test {
 protected:
  FleetTableTest()
      : folder_(testing::TempDir() + "/" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
    for (const NicKey& nic : {kNic, kOther}) {
      for (const MemoryPlace& place : {MemoryPlace::NumaNode(0), Gpu(1), Gpu(2), Gpu(3)}) {
        CensusRow row;
        row.nic = nic;
        row.place = place;
        row.relation = place == Gpu(1) ? Relation::kSameSwitch : Relation::kSameNumaNode;
        census_.push_back(row);
      }
    }
  }

  RunGroups Read() {
    const RunIdentity run{"r", "host", "i-1", "p5.48xlarge", "hardware"};
    EXPECT_TRUE(WriteFileAtomically(folder_ + "/census.csv", CsvFile<CensusRow>(run, census_)));
    EXPECT_TRUE(WriteFileAtomically(folder_ + "/samples.csv", CsvFile<Sample>(run, samples_)));
    const auto groups = ReadRunGroups(folder_);
    EXPECT_TRUE(groups) << groups.error().ToString();
    return groups.value_or(RunGroups{});
  }

  const std::string folder_;
  std::vector<CensusRow> census_;
  std::vector<Sample> samples_;
};

TEST_F(FleetTableTest, AGroupIsTheMedianOfItsPlacesMedians) {
  // One place has many windows, which must not outvote the others.
  for (const double rate : {5.0, 5.0, 5.0, 5.0, 5.0}) samples_.push_back(Window(Gpu(2), rate));
  samples_.push_back(Window(Gpu(3), 9));
  samples_.push_back(Window(Gpu(1), 12));
  samples_.push_back(Window(MemoryPlace::NumaNode(0), 11));
  const RunGroups groups = Read();
  EXPECT_EQ(groups.run.instance_type, "p5.48xlarge");
  EXPECT_EQ(groups.rows, 8u);
  EXPECT_EQ(groups.nics, (std::vector<NicKey>{kNic, kOther}));
  ASSERT_EQ(groups.medians.size(), 3u);
  std::vector<std::pair<std::string, double>> found;
  for (const auto& [group, median] : groups.medians) found.emplace_back(PlaceClass(group), median);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{{"gpu same_numa_node", 7e9},
                                                                {"gpu same_switch", 12e9},
                                                                {"host same_numa_node", 11e9}}));
}

TEST_F(FleetTableTest, WhatIsNoEvidenceDoesNotCount) {
  Sample sample = Window(Gpu(1), 10);
  sample.status = SampleStatus::kWrongBytes;
  samples_.push_back(sample);
  sample = Window(Gpu(1), 10);
  sample.cell.load = "numa0";
  samples_.push_back(sample);
  sample = Window(Gpu(1), 10);
  sample.throughput->value *= 2;  // not what its own columns say
  samples_.push_back(sample);
  sample = Window(Gpu(1), 10);
  sample.partner = kOther;
  samples_.push_back(sample);
  RunGroups groups = Read();
  EXPECT_TRUE(groups.medians.empty());
  EXPECT_EQ(groups.other_slot, 1u);

  // A window that tells of the scheduler.
  sample = Window(Gpu(1), 3);
  sample.disturbed = true;
  samples_.push_back(sample);
  groups = Read();
  EXPECT_TRUE(groups.medians.empty());
  EXPECT_EQ(groups.disturbed, 1u);
  samples_.push_back(Window(Gpu(1), 12));
  EXPECT_EQ(Read().medians[0].second, 12e9);
}

TEST_F(FleetTableTest, ARunThatWasCutShortSaysSo) {
  samples_.push_back(Window(Gpu(1), 10));
  EXPECT_EQ(Read().cut_short, "");
  Sample skipped = Window(Gpu(2), 10);
  skipped.status = SampleStatus::kSkipped;
  skipped.throughput.reset();
  skipped.skip_cause = SkipCause::kPeerGone;
  skipped.reason = "the peer is gone: it said nothing";
  samples_.push_back(skipped);
  EXPECT_EQ(Read().cut_short, "the run lost its peer");
}

TEST_F(FleetTableTest, RunsShareGroups) {
  samples_.push_back(Window(Gpu(1), 10));
  FleetTable table;
  table.Add({0, 1}, Read());
  samples_.push_back(Window(Gpu(2), 10));
  table.Add({1, 2}, Read());
  EXPECT_EQ(table.groups().size(), 2u);
  ASSERT_EQ(table.runs().size(), 2u);
  EXPECT_EQ(table.runs()[0].values.size(), 1u);
  EXPECT_EQ(table.runs()[1].values.size(), 2u);
  EXPECT_EQ(table.slots(), (std::vector<PciAddress>{kNic.address, kOther.address}));
  EXPECT_EQ(table.NameOf(1), "rdmap80s0");
}

}  // namespace
}  // namespace railgauge
