#include "lib/report/run_directory.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

RunIdentity TheRun() { return {"20250102T030405Z-00ff", "host", "", "p5.48xlarge", "emulated"}; }

// A fresh directory name for each test.
std::string NewPath(const std::string& name) {
  const fs::path path = fs::path(testing::TempDir()) /
                        (std::string("run_directory_") +
                         testing::UnitTest::GetInstance()->current_test_info()->name());
  fs::remove_all(path);
  fs::create_directories(path);
  return (path / name).string();
}

Sample SampleOfRound(uint32_t round) {
  Sample sample;
  sample.cell.nic = {{0, 0x50, 0, 0}, "rdmap80s0"};
  sample.round = round;
  sample.status = SampleStatus::kOk;
  return sample;
}

std::vector<Sample> SamplesIn(const std::string& directory) {
  const auto content = ReadFile(directory + "/samples.csv");
  EXPECT_TRUE(content);
  const auto recorded = ParseReport<Sample>(content.value_or(""), "samples.csv");
  EXPECT_TRUE(recorded) << (recorded ? "" : recorded.error().ToString());
  return recorded ? recorded->rows : std::vector<Sample>();
}

TEST(RunDirectoryTest, RunIdsSortByTime) {
  using Clock = std::chrono::system_clock;
  EXPECT_EQ(MakeRunId(Clock::time_point(std::chrono::seconds(1735787045)), 0xabc00ff),
            "20250102T030405Z-00ff");
}

TEST(RunDirectoryTest, SamplesAreThereAsSoonAsAppended) {
  const std::string path = NewPath("deep/er/run/");
  auto directory = RunDirectory::Create(TheRun(), path);
  ASSERT_TRUE(directory) << directory.error().ToString();
  EXPECT_FALSE(directory->path().ends_with('/'));
  EXPECT_TRUE(SamplesIn(directory->path()).empty());
  for (uint32_t round = 1; round <= 3; ++round) {
    ASSERT_TRUE(directory->Append(SampleOfRound(round)));
    ASSERT_EQ(SamplesIn(directory->path()).size(), round);
    EXPECT_EQ(SamplesIn(directory->path()).back().round, round);
  }
}

TEST(RunDirectoryTest, WritesTheOtherFilesWhole) {
  auto directory = RunDirectory::Create(TheRun(), NewPath("run"));
  ASSERT_TRUE(directory);
  const std::vector<CensusRow> rows(2);
  ASSERT_TRUE(directory->Write<CensusRow>(rows));
  ASSERT_TRUE(directory->Write<CensusRow>({}));
  EXPECT_EQ(ReadFile(directory->path() + "/census.csv"), CsvHeader<CensusRow>());
  ASSERT_TRUE(directory->Write<InterconnectRow>({}));
  ASSERT_TRUE(directory->Write<SummaryRow>({}));
  ASSERT_TRUE(directory->Write<PlacementRow>({}));
  ASSERT_TRUE(directory->WriteFile("run.json", "{}\n"));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory->path())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"census.csv", "interconnects.csv", "placement.csv",
                                             "run.json", "samples.csv", "summary.csv"}));
}

TEST(RunDirectoryTest, DefaultsToResultsByRunId) {
  const fs::path before = fs::current_path();
  fs::current_path(fs::path(NewPath("x")).parent_path());
  const auto directory = RunDirectory::Create(TheRun());
  fs::current_path(before);
  ASSERT_TRUE(directory) << directory.error().ToString();
  EXPECT_EQ(directory->path(), "results/run-20250102T030405Z-00ff");
}

TEST(RunDirectoryTest, TakesAnEmptyDirectoryButOverwritesNothing) {
  const std::string path = NewPath("run");
  fs::create_directory(path);
  ASSERT_TRUE(RunDirectory::Create(TheRun(), path));
  const auto again = RunDirectory::Create(TheRun(), path);
  ASSERT_FALSE(again);
  EXPECT_EQ(
      again.error().ToString(),
      "create run directory " + path +
          ": it exists and is not empty. Choose another directory with --output=DIR; a run is "
          "never overwritten.");
}

TEST(RunDirectoryTest, AFileInTheWay) {
  const std::string path = NewPath("file");
  ASSERT_TRUE(WriteFileAtomically(path, ""));
  for (const std::string& tried : {path, path + "/run"}) {
    const auto directory = RunDirectory::Create(TheRun(), tried);
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().ToString(),
              "create run directory " + tried +
                  ": ENOTDIR (Not a directory). Choose another directory with --output=DIR.");
  }
}

// Runs `body` in a child process, because it gives up rights or takes on limits; its return value
// is the child's exit status.
template <typename Body>
int InChild(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(RunDirectoryTest, NotWritable) {
  const std::string path = NewPath("locked");
  fs::create_directory(path);
  ASSERT_EQ(::chmod(path.c_str(), 0555), 0);
  const auto outcome = InChild([&] {
    // Root may write anywhere by its capabilities; without them it may not.
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    if (::syscall(SYS_capset, &header, none) != 0) return 2;
    const auto directory = RunDirectory::Create(TheRun(), path + "/run");
    if (directory) return 3;
    const std::string expected = "create run directory " + path +
                                 "/run: EACCES (Permission denied). Choose a directory that you "
                                 "may write with --output=DIR.";
    return directory.error().ToString() == expected ? 0 : 4;
  });
  EXPECT_EQ(outcome, 0);
}

TEST(RunDirectoryTest, AFullDiskLeavesWholeRows) {
  auto directory = RunDirectory::Create(TheRun(), NewPath("run"));
  ASSERT_TRUE(directory);
  ASSERT_TRUE(directory->Append(SampleOfRound(1)));
  // A file size limit is the full disk that needs no disk: the write stops in the middle of a row.
  const auto size = fs::file_size(directory->path() + "/samples.csv");
  const auto outcome = InChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size + 20, size + 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    const Status status = directory->Append(SampleOfRound(2));
    return status ? 3 : status.error().error_number == EFBIG ? 0 : 4;
  });
  EXPECT_EQ(outcome, 0);
  EXPECT_EQ(fs::file_size(directory->path() + "/samples.csv"), size);
  ASSERT_TRUE(directory->Append(SampleOfRound(3)));
  ASSERT_EQ(SamplesIn(directory->path()).size(), 2u);
  EXPECT_EQ(SamplesIn(directory->path())[1].round, 3u);
}

}  // namespace
}  // namespace railgauge
