#include "lib/report/run_index.h"

#include <fstream>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

RunIdentity RunOf(const std::string& id, const std::string& host) {
  return {id, host, "i-" + host, "p5.48xlarge", "emulated"};
}

Sample SampleOf(uint32_t round) {
  Sample sample;
  sample.cell.nic = {{0, 0xc6, 0, 0}, "rdmap198s0"};
  sample.round = round;
  sample.reason = "one, of \"many\"";
  return sample;
}

CensusRow CensusOf(const MemoryPlace& place) {
  CensusRow row;
  row.nic = {{0, 0xc6, 0, 0}, "rdmap198s0"};
  row.place = place;
  return row;
}

class RunIndexTest : public testing::Test {
 protected:
  RunIndexTest() {
    census_ = CsvHeader<CensusRow>();
    samples_ = CsvHeader<Sample>();
  }

  void AddSample(const RunIdentity& run, uint32_t round) {
    samples_ += CsvRow(run, SampleOf(round));
  }
  void AddCensus(const RunIdentity& run, uint32_t node) {
    census_ += CsvRow(run, CensusOf(MemoryPlace::NumaNode(node)));
  }

  Result<std::vector<IndexedRun>> Index(size_t max_pieces = kMaxPieces) {
    std::ofstream(census_path_, std::ios::trunc) << census_;
    std::ofstream(samples_path_, std::ios::trunc) << samples_;
    return IndexRuns(census_path_, samples_path_, max_pieces);
  }
  std::string IndexError(size_t max_pieces = kMaxPieces) {
    const auto index = Index(max_pieces);
    return index ? "no error" : index.error().ToString();
  }
  // The rounds of the samples of run `index`.
  std::vector<uint32_t> RoundsOf(const IndexedRun& run) {
    auto reader = RunReader::Open(census_path_, samples_path_);
    EXPECT_TRUE(reader);
    const auto recorded = reader->Read(run);
    EXPECT_TRUE(recorded) << recorded.error().ToString();
    std::vector<uint32_t> rounds;
    for (const auto& sample : recorded->samples) {
      EXPECT_EQ(sample.row.reason, SampleOf(0).reason);
      rounds.push_back(sample.row.round);
    }
    return rounds;
  }

  const std::string census_path_ = testing::TempDir() + "/census.csv";
  const std::string samples_path_ = testing::TempDir() + "/samples.csv";
  std::string census_;
  std::string samples_;
};

TEST_F(RunIndexTest, FindsTheRowsOfEachRun) {
  const RunIdentity a = RunOf("1", "a"), b = RunOf("1", "b"), c = RunOf("2", "a");
  for (const RunIdentity& run : {b, a}) AddCensus(run, 0);
  AddSample(a, 1);
  samples_ += CsvHeader<Sample>();  // as cat leaves it
  AddSample(b, 2);
  AddSample(c, 3);
  AddSample(a, 4);
  samples_ += "1,1,a,cut o";
  const auto index = Index();
  ASSERT_TRUE(index) << index.error().ToString();
  ASSERT_EQ(index->size(), 3u);
  EXPECT_EQ((*index)[0].run.host, "b");
  EXPECT_EQ(RoundsOf((*index)[0]), std::vector<uint32_t>{2});
  EXPECT_EQ(RoundsOf((*index)[1]), (std::vector<uint32_t>{1, 4}));
  EXPECT_EQ(RoundsOf((*index)[2]), std::vector<uint32_t>{3});
  EXPECT_TRUE((*index)[2].census.empty());
}

TEST_F(RunIndexTest, APartOfANewerVersionKeepsItsOwnHeader) {
  const RunIdentity a = RunOf("1", "a"), b = RunOf("2", "b");
  AddSample(a, 1);
  std::string header = CsvHeader<Sample>(), row = CsvRow(b, SampleOf(2));
  samples_ += header.insert(header.size() - 1, ",new") + row.insert(row.size() - 1, ",7");
  const auto index = Index();
  ASSERT_TRUE(index) << index.error().ToString();
  EXPECT_EQ(RoundsOf((*index)[1]), std::vector<uint32_t>{2});
  EXPECT_EQ(RoundsOf((*index)[0]), std::vector<uint32_t>{1});
}

// More than a buffer of rows, of which most are told apart by their first bytes alone: all are
// read, each with its line, and a broken one costs its own run only.
TEST_F(RunIndexTest, PassesOverRowsOfARun) {
  constexpr uint32_t kRows = 4000, kBroken = 5000;
  const RunIdentity runs[] = {RunOf("1", "a"), RunOf("1", "ab")};
  for (uint32_t i = 0; i < 2 * kRows; ++i) {
    Sample sample = SampleOf(i);
    if (i % 7 != 0) sample.reason = "plain";
    std::string row = CsvRow(runs[i / kRows], sample);
    if (i == kBroken) row.insert(row.size() - 1, ",7");
    samples_ += row;
  }
  const auto index = Index();
  ASSERT_TRUE(index) << index.error().ToString();
  ASSERT_EQ(index->size(), 2u);
  auto reader = RunReader::Open(census_path_, samples_path_);
  ASSERT_TRUE(reader);
  const auto whole = reader->Read((*index)[0]);
  ASSERT_TRUE(whole) << whole.error().ToString();
  ASSERT_EQ(whole->samples.size(), kRows);
  for (uint32_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(whole->samples[i].row.round, i);
    ASSERT_EQ(whole->samples[i].line, i + 2);
  }
  const auto broken = reader->Read((*index)[1]);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().ToString().find(fmt::format("samples.csv:{}: the row has", kBroken + 2)),
            std::string::npos)
      << broken.error().ToString();
}

TEST_F(RunIndexTest, AFileThatIsNotThere) {
  AddCensus(RunOf("1", "a"), 0);
  ASSERT_TRUE(Index());
  const std::string none = testing::TempDir() + "/none.csv";
  const auto refused = IndexRuns(census_path_, none);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().ToString().find("ENOENT"), std::string::npos);
  const auto index = IndexRuns(census_path_, none, kMaxPieces, Absent::kIsEmpty);
  ASSERT_TRUE(index) << index.error().ToString();
  ASSERT_EQ(index->size(), 1u);
  auto reader = RunReader::Open(census_path_, none, Absent::kIsEmpty);
  ASSERT_TRUE(reader);
  const auto run = reader->Read(index->front());
  ASSERT_TRUE(run) << run.error().ToString();
  EXPECT_EQ(run->census.size(), 1u);
  EXPECT_TRUE(run->samples.empty());
}

TEST_F(RunIndexTest, OneRunIsOfOneMachine) {
  AddSample(RunOf("1", "a"), 1);
  RunIdentity other = RunOf("1", "a");
  other.platform = "hardware";
  AddSample(other, 2);
  EXPECT_EQ(IndexError(),
            "read " + samples_path_ +
                ":3: platform is 'hardware', and 'emulated' in other rows of the same "
                "run '1' of host 'a'. Give the files as they were written: rows of "
                "different machines were mixed.");
}

TEST_F(RunIndexTest, RowsInTurnAreRefusedWithWhatSortsThem) {
  for (uint32_t i = 0; i < 10; ++i) AddSample(RunOf(i % 2 == 0 ? "1" : "2", "a"), i);
  EXPECT_EQ(IndexError(10), "no error");
  EXPECT_EQ(IndexError(9),
            "read " + samples_path_ +
                ":11: rows of 2 runs take turns, more than 9 times. Sort its rows by "
                "run: (head -n 1 " +
                samples_path_ + "; tail -n +2 " + samples_path_ +
                " | sort -s -t, -k2,3) >sorted.csv.");
}

TEST_F(RunIndexTest, ACensusComesWhole) {
  AddCensus(RunOf("1", "a"), 0);
  census_ += "1,1,a,i-a,p5";
  EXPECT_EQ(IndexError(), "read " + census_path_ +
                              ": it ends inside a line, so it was cut off. Copy the run directory "
                              "again.");
}

TEST_F(RunIndexTest, FilesThatAreNone) {
  census_.clear();
  EXPECT_EQ(IndexError(),
            "read " + census_path_ +
                ":1: there is no header line. Give a report file of railgauge as it was "
                "written.");
  std::swap(census_ = CsvHeader<CensusRow>(), samples_);
  EXPECT_NE(IndexError().find("census.csv:1: column 10 is"), std::string::npos) << IndexError();
}

}  // namespace
}  // namespace railgauge
