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

  static Sample Window(bool disturbed) {
    Sample sample;
    sample.status = SampleStatus::kOk;
    sample.disturbed = disturbed;
    return sample;
  }

  void WriteRun(const std::string& folder, const std::vector<Sample>& samples, bool ended = true) {
    fs::create_directories(folder);
    ASSERT_TRUE(WriteFileAtomically(folder + "/samples.csv",
                                    CsvFile<Sample>({"r", "h", "", "t", "hardware"}, samples)));
    ASSERT_TRUE(WriteFileAtomically(folder + "/run.json",
                                    ended ? R"({"run_id": "r", "end": "2026-01-01T00:00:00Z"})"
                                          : R"({"run_id": "r", "end": null})"));
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
  WriteRun(run, {Window(false), Window(true)});
  EXPECT_EQ(WhyNotWhole(run), "");
  WriteRun(run, {Window(false), Window(true), Window(true)});
  EXPECT_EQ(WhyNotWhole(run), kDisturbed);
  WriteRun(run, {Window(false)}, false);
  EXPECT_EQ(WhyNotWhole(run), "the run did not end");
  Sample skipped;
  skipped.skip_cause = SkipCause::kInterrupted;
  WriteRun(run, {Window(false), skipped});
  EXPECT_EQ(WhyNotWhole(run), "the run was interrupted");
  skipped.skip_cause = SkipCause::kNoTime;
  WriteRun(run, {Window(false), skipped});
  EXPECT_EQ(WhyNotWhole(run), "");
  EXPECT_EQ(tree_.RunsThere(plan_), (std::vector<PlannedPair>{{0, 1}}));
}

TEST_F(FleetTreeTest, NothingThatWasMeasuredIsOverwritten) {
  ASSERT_TRUE(tree_.Prepare());
  const std::string run = tree_.RunPath("a", "b");
  EXPECT_TRUE(tree_.PutAside(run));
  for (const char* attempt : {"1", "2"}) {
    WriteRun(run, {Window(true)});
    ASSERT_TRUE(tree_.PutAside(run));
    EXPECT_FALSE(fs::exists(run));
    EXPECT_TRUE(fs::exists(tree_.root() + "/failed/runs/a/with-b." + attempt + "/samples.csv"));
  }
}

}  // namespace
}  // namespace railgauge
