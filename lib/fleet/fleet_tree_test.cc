#include "lib/fleet/fleet_tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/file.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class FleetTreeTest : public testing::Test {
 protected:
  FleetTreeTest()
      : tree_(*FleetTree::At(
            testing::TempDir() + "/" +
            testing::UnitTest::GetInstance()->current_test_info()->name() + "/../" +
            testing::UnitTest::GetInstance()->current_test_info()->name() + "/fleet/")),
        plan_(*MakePlan({{"a", "a"}, {"b", "b"}, {"c", "c"}}, {"--time-budget=1s"})) {
    fs::remove_all(tree_.root());
  }

  // One window each; that a run is whole is fleet_table_test's.
  static void WriteRun(const std::string& folder, bool ended = true) {
    fs::create_directories(folder);
    const RunIdentity run{"r", "h", "", "t", "hardware"};
    CensusRow census;
    census.status = CensusStatus::kNoId;
    Sample sample;
    sample.cell.size = Bytes{1000};
    sample.cell.depth = 1;
    sample.peer = "b";
    sample.partner.address = census.nic.address = sample.cell.nic.address = {0, 0x4f, 0, 0};
    sample.duration = std::chrono::seconds(1);
    sample.completions = 1000;
    sample.payload_bytes = 1'000'000;
    sample.posted_bytes = sample.counter_bytes = sample.payload_bytes;
    sample.throughput = BytesPerSecond{1e6};
    sample.messages_per_second = 1000;
    sample.status = SampleStatus::kOk;
    const auto write = [&](const std::string& name, const std::string& content) {
      ASSERT_TRUE(WriteFileAtomically(folder + "/" + name, content));
    };
    write("census.csv", CsvFile<CensusRow>(run, {&census, 1}));
    write("samples.csv", CsvFile<Sample>(run, {&sample, 1}));
    write("run.json", ended ? R"({"run_id": "r", "end": "2026-01-01T00:00:00Z"})"
                            : R"({"run_id": "r", "end": null})");
  }

  const FleetTree tree_;
  const FleetPlan plan_;
};

TEST_F(FleetTreeTest, APlanIsWrittenOnce) {
  EXPECT_FALSE(tree_.ReadPlan());
  ASSERT_TRUE(tree_.WritePlan(plan_));
  EXPECT_EQ(*tree_.ReadPlan(), plan_);
  EXPECT_FALSE(tree_.WritePlan(plan_));
  EXPECT_TRUE(fs::path(tree_.root()).is_absolute());
  EXPECT_EQ(tree_.root().find(".."), std::string::npos);
}

TEST_F(FleetTreeTest, APlanThatCannotBeWrittenLeavesNoFolder) {
  // The folder can be made, and the name of the plan in it is longer than a path may be.
  const std::string first = tree_.root() + "/kept";
  fs::create_directories(first);
  std::string path = first;
  while (path.size() < 3850) path += "/" + std::string(200, 'd');
  path += "/" + std::string(4085 - path.size(), 'd');
  const auto tree = FleetTree::At(path);
  ASSERT_TRUE(tree);
  const Status written = tree->WritePlan(plan_);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().error_number, ENAMETOOLONG) << written.error().ToString();
  EXPECT_TRUE(fs::is_empty(first));  // and what was there stays
}

TEST_F(FleetTreeTest, TheTokenIsPrivateAndStays) {
  ASSERT_TRUE(tree_.Prepare());
  const std::string token = *ReadFile(tree_.TokenPath());
  struct stat status = {};
  ASSERT_EQ(::stat(tree_.TokenPath().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_TRUE(tree_.Prepare());
  EXPECT_EQ(*ReadFile(tree_.TokenPath()), token);
  ASSERT_EQ(::chmod(tree_.TokenPath().c_str(), 0644), 0);
  EXPECT_FALSE(tree_.Prepare());
}

TEST_F(FleetTreeTest, WhatOfARunIsThere) {
  ASSERT_TRUE(tree_.Prepare());
  const std::string run = tree_.RunPath("a", "b");
  EXPECT_EQ(WhyNotWhole(run), kNotMeasured);
  WriteRun(run);
  EXPECT_EQ(WhyNotWhole(run), "");
  std::map<size_t, std::string> unreadable;
  EXPECT_EQ(tree_.RunsThere(plan_, unreadable), (std::vector<PlannedPair>{{0, 1}}));
  EXPECT_TRUE(unreadable.empty());
  WriteRun(run, false);
  EXPECT_EQ(WhyNotWhole(run), "the run did not end");
  // What fleet report does not believe is to be measured again.
  WriteRun(run);
  const std::string samples = *ReadFile(run + "/samples.csv");
  ASSERT_TRUE(WriteFileAtomically(run + "/samples.csv", samples + "\n"));
  EXPECT_NE(WhyNotWhole(run).find("samples.csv:3"), std::string::npos) << WhyNotWhole(run);
  EXPECT_FALSE(WhyNotWhole(run).ends_with('.')) << WhyNotWhole(run);
  ASSERT_TRUE(WriteFileAtomically(run + "/samples.csv", samples.substr(0, samples.find('\n') + 1)));
  EXPECT_NE(WhyNotWhole(run).find("none of its windows"), std::string::npos) << WhyNotWhole(run);
  ASSERT_TRUE(WriteFileAtomically(run + "/samples.csv", samples));
  ASSERT_TRUE(WriteFileAtomically(run + "/census.csv", ""));
  EXPECT_NE(WhyNotWhole(run).find("no header"), std::string::npos) << WhyNotWhole(run);
}

TEST_F(FleetTreeTest, NothingIsWrittenAmongRuns) {
  ASSERT_TRUE(tree_.WritePlan(plan_));
  ASSERT_TRUE(tree_.Prepare());
  WriteRun(tree_.RunPath("a", "b"));
  const std::string& root = tree_.root();
  for (const std::string& path :
       {tree_.RunPath("a", "b"), tree_.RunPath("a", "b") + "/new/er", root + "/runs/a/with-c",
        root + "/runs", root + "/confirm/x.csv", root + "/failed/../failed/y", root + "/logs/z"}) {
    const Status status = CheckOutsideRuns(path, "write --output");
    ASSERT_FALSE(status) << path;
    EXPECT_EQ(status.error().ToString().find("write --output"), 0u) << status.error().ToString();
  }
  for (const std::string& path : {root, root + "/fleet.csv", root + "/new/runs/x"}) {
    EXPECT_TRUE(CheckOutsideRuns(path, "write --output")) << path;
  }
}

TEST_F(FleetTreeTest, NothingThatWasMeasuredIsOverwritten) {
  ASSERT_TRUE(tree_.Prepare());
  const std::string run = tree_.RunPath("a", "b");
  EXPECT_TRUE(tree_.PutAside(run));
  for (const char* attempt : {"1", "3"}) {
    WriteRun(run);
    ASSERT_TRUE(tree_.PutAside(run));
    EXPECT_FALSE(fs::exists(run));
    fs::create_symlink("nowhere", run);
    ASSERT_TRUE(tree_.PutAside(run));
    EXPECT_FALSE(fs::is_symlink(run));
    EXPECT_TRUE(fs::exists(tree_.root() + "/failed/runs/a/with-b." + attempt + "/samples.csv"));
  }
}

}  // namespace
}  // namespace railgauge
