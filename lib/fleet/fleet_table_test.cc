#include "lib/fleet/fleet_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lib/base/file.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

const NicKey kNic{*PciAddress::Parse("0000:4f:00.0"), "rdmap79s0"};
const NicKey kOther{*PciAddress::Parse("0000:50:00.0"), "rdmap80s0"};

Sample Window(const MemoryPlace& place, double gigabytes_per_second) {
  static int windows = 0;
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
  sample.messages_per_second = static_cast<double>(sample.completions);
  if (place.is_gpu()) sample.way = RegistrationWay::kDmabuf;
  sample.start_offset = std::chrono::seconds(++windows);
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
        row.way = place.is_host() ? RegistrationWay::kHost : RegistrationWay::kDmabuf;
        row.status = CensusStatus::kNoId;
        row.relation = place == Gpu(1) ? Relation::kSameSwitch : Relation::kSameNumaNode;
        census_.push_back(row);
      }
    }
  }

  RunGroups Read() {
    const RunIdentity run{"r", "host", "i-1", "p5.48xlarge", "hardware"};
    EXPECT_TRUE(WriteFileAtomically(folder_ + "/census.csv", CsvFile<CensusRow>(run, census_)));
    EXPECT_TRUE(WriteFileAtomically(folder_ + "/samples.csv", CsvFile<Sample>(run, samples_)));
    EXPECT_TRUE(WriteFileAtomically(folder_ + "/run.json", run_json_));
    const auto groups = ReadRunGroups(folder_);
    EXPECT_TRUE(groups) << groups.error().ToString();
    return groups.value_or(RunGroups{});
  }

  const std::string folder_;
  std::string run_json_ = R"({"run_id":"r","command_line":["railgauge"]})";
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
  for (const NicKey& nic : {kNic, kOther}) {
    Sample member = Window(Gpu(1), 10);
    member.cell.nic = member.partner = nic;
    member.cell.load = "numa0";
    samples_.push_back(member);
  }
  Sample sample = Window(Gpu(1), 10);
  sample.partner = kOther;
  samples_.push_back(sample);
  RunGroups groups = Read();
  EXPECT_TRUE(groups.medians.empty());
  EXPECT_EQ(groups.other_slot, 1u);
  EXPECT_EQ(groups.no_evidence.at(kNic.address).why, "The other node has no NIC in the same slot");
  EXPECT_EQ(groups.no_evidence.at(kNic.address).cause, NoEvidence::Cause::kPeer);
  EXPECT_EQ(groups.partners, (std::set<PciAddress>{kOther.address})) << "of single windows";
  EXPECT_EQ(groups.no_evidence.at(kOther.address).why,
            "It has no row in samples.csv: the run ended before it, or the file was cut");
  EXPECT_EQ(groups.no_evidence.at(kOther.address).cause, NoEvidence::Cause::kNoRow);

  // A window that tells of the scheduler.
  sample = Window(Gpu(1), 3);
  sample.disturbed = true;
  samples_.push_back(sample);
  groups = Read();
  EXPECT_TRUE(groups.medians.empty());
  EXPECT_EQ(groups.disturbed, 1u);
  EXPECT_EQ(groups.no_evidence.at(kNic.address).why,
            "The measuring thread was kept from its CPU in 1 of 2 windows");
  samples_.push_back(Window(Gpu(1), 12));
  groups = Read();
  EXPECT_EQ(groups.medians[0].second, 12e9);
  EXPECT_FALSE(groups.no_evidence.contains(kNic.address));
  EXPECT_TRUE(groups.invalid.empty());
}

TEST_F(FleetTableTest, WindowsThatAreNotValid) {
  samples_.push_back(Window(Gpu(1), 12));
  Sample sample = Window(Gpu(1), 10);
  sample.status = SampleStatus::kWrongData;
  sample.reason = "byte 0 differs";
  samples_.push_back(sample);
  EXPECT_EQ(Read().invalid.at(kNic.address),
            "1 of 2 windows is not valid: wrong_data: byte 0 differs");
  EXPECT_EQ(Read().wrong_data.at(kNic.address), "in 1 of 2 windows: byte 0 differs");
  sample = Window(Gpu(1), 10);
  sample.throughput->value *= 2;  // not what its own columns say
  samples_.back() = sample;
  const std::string why = Read().invalid.at(kNic.address);
  EXPECT_NE(why.find("the row contradicts itself"), std::string::npos) << why;
  EXPECT_NE(why.find("samples.csv:3"), std::string::npos) << why;
  EXPECT_TRUE(Read().wrong_data.empty());
}

// The error of reading what is there now.
std::string ErrorOf(const std::string& folder) {
  const auto groups = ReadRunGroups(folder);
  return groups ? "" : groups.error().ToString();
}

TEST_F(FleetTableTest, RunsThatCannotBeUsed) {
  samples_.push_back(Window(Gpu(1), 12));
  Read();
  const std::string census = *ReadFile(folder_ + "/census.csv");
  const auto write = [&](const std::string& name, const std::string& content) {
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/" + name, content));
  };
  for (const size_t size : {census.size() - 5, census.size() / 2, census.find('\n') + 1}) {
    write("census.csv", census.substr(0, size));
    EXPECT_NE(ErrorOf(folder_).find("census.csv"), std::string::npos) << size;
  }
  write("census.csv", "");
  EXPECT_NE(ErrorOf(folder_).find("no header"), std::string::npos);
  write("census.csv", census);
  for (const auto& [name, content] :
       {std::pair("run.json", ""), std::pair("run.json", R"({"run_id":"another"})"),
        std::pair("run.json", R"({"run_id":"r","machine":{"hostname":"another"}})"),
        std::pair("topology.xml", ""), std::pair("topology.xml", "<topology><object>")}) {
    write(name, content);
    EXPECT_NE(ErrorOf(folder_).find(name), std::string::npos) << name << content;
    std::filesystem::remove(folder_ + "/" + name);
  }
  write("topology.xml", "<topology></topology>\n");
  run_json_ = R"({"run_id":"r","end":null,"command_line":["x","--output=a/b"]})";
  write("run.json", run_json_);
  EXPECT_EQ(ErrorOf(folder_), "");
  EXPECT_EQ(Read().cut_short, "the run did not end");
  EXPECT_EQ(Read().output, "a/b");
}

// A run.json of a run with these NICs.
std::string RunJsonWith(const std::vector<NicKey>& nics, const std::string& flag) {
  std::string list;
  for (const NicKey& nic : nics) {
    list += (list.empty() ? "" : ",") + (R"({"pci_address":")" + nic.address.ToString() + R"("})");
  }
  return R"({"run_id":"r","machine":{"nics":[)" + list + R"(]},"command_line":["railgauge",")" +
         flag + R"("]})";
}

TEST_F(FleetTableTest, ACensusHasTheNicsOfRunJson) {
  for (const NicKey& nic : {kNic, kOther}) {
    samples_.push_back(Window(Gpu(1), 12));
    samples_.back().cell.nic = samples_.back().partner = nic;
  }
  run_json_ = RunJsonWith({kNic, kOther}, "check");
  EXPECT_TRUE(Read().knows_nics);
  EXPECT_EQ(WhyNotWhole(Read()), "");
  // Cut off at the end of a row, behind all rows of a NIC.
  const std::string census = *ReadFile(folder_ + "/census.csv");
  const std::string part = census.substr(0, census.find('\n', census.find("rdmap80s0")) + 1);
  const std::string cut = census.substr(0, census.rfind('\n', census.find("rdmap80s0")) + 1);
  ASSERT_LT(cut.size(), part.size());
  const auto write = [&](const std::string& name, const std::string& content) {
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/" + name, content));
  };
  samples_.pop_back();
  Read();
  write("census.csv", cut);
  EXPECT_NE(ErrorOf(folder_).find("no row of NIC 0000:50:00.0"), std::string::npos);
  write("run.json", RunJsonWith({kNic, kOther}, "--nics=rdmap79s0"));
  EXPECT_EQ(ErrorOf(folder_), "") << "what was not chosen has no row";
  write("census.csv", census);
  write("run.json", RunJsonWith({kNic}, "check"));
  EXPECT_NE(ErrorOf(folder_).find("has NIC 0000:50:00.0"), std::string::npos);
}

TEST_F(FleetTableTest, LoopbackTellsOfNoOtherNode) {
  samples_.push_back(Window(Gpu(1), 12));
  Read();
  samples_.back().peer = "loopback";
  samples_.back().partner = kOther;
  const RunIdentity run{"r", "host", "i-1", "p5.48xlarge", "hardware"};
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/samples.csv", CsvFile<Sample>(run, samples_)));
  EXPECT_NE(ErrorOf(folder_).find("in loopback"), std::string::npos) << ErrorOf(folder_);
}

TEST_F(FleetTableTest, WhatIsWorthAnotherAttempt) {
  EXPECT_EQ(WhyNotWhole(Read()),
            "none of its windows was measured: It has no row in samples.csv: the run ended before "
            "it, or the file was cut");
  for (const bool disturbed : {false, true}) {
    samples_.push_back(Window(Gpu(1), 10));
    samples_.back().disturbed = disturbed;
  }
  EXPECT_EQ(WhyNotWhole(Read()), "its samples.csv has no row of NIC 0000:50:00.0, so it was cut");
  std::erase_if(census_, [](const CensusRow& row) { return row.nic == kOther; });
  EXPECT_EQ(WhyNotWhole(Read()), "");
  samples_.push_back(samples_.back());
  samples_.back().start_offset += std::chrono::hours(1);
  EXPECT_EQ(WhyNotWhole(Read()), kDisturbed);
  samples_.pop_back();
  samples_.front().disturbed = true;
  samples_.push_back(Window(Gpu(1), 10));
  samples_.push_back(Window(Gpu(1), 10));
  EXPECT_EQ(WhyNotWhole(Read()), "") << "a NIC has windows that tell of it";
  samples_.pop_back();
  samples_.pop_back();
  samples_.front().disturbed = false;
  samples_.back().throughput->value *= 2;
  EXPECT_EQ(WhyNotWhole(Read()),
            "1 row of its samples.csv contradicts itself, so the file was changed");
  samples_.pop_back();
  EXPECT_EQ(WhyNotWhole(Read()), "");
  const std::string path = folder_ + "/samples.csv";
  const std::string samples = *ReadFile(path);
  ASSERT_TRUE(WriteFileAtomically(path, samples + samples.substr(samples.find('\n') + 1, 30)));
  const auto cut = ReadRunGroups(folder_);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->rows, 1u);
  EXPECT_EQ(WhyNotWhole(*cut),
            path + " ends inside a line, so it was cut off: that line is left out");
  ASSERT_TRUE(WriteFileAtomically(path, samples));
  std::filesystem::remove(folder_ + "/run.json");
  EXPECT_EQ(WhyNotWhole(*ReadRunGroups(folder_)), "it has no run.json, so it may not have ended");
}

TEST_F(FleetTableTest, ARunThatWasCutShortSaysSo) {
  samples_.push_back(Window(Gpu(1), 10));
  EXPECT_EQ(Read().cut_short, "");
  Sample skipped;
  skipped.cell = Window(Gpu(2), 10).cell;
  skipped.status = SampleStatus::kSkipped;
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
