#include "lib/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "lib/base/unique_fd.h"

namespace railgauge {
namespace {

std::string TempPath(const std::string& name) { return ::testing::TempDir() + "/" + name; }

TEST(FileTest, WritesAndReads) {
  const std::string path = TempPath("file_test_round_trip");
  ASSERT_TRUE(WriteFileAtomically(path, "old"));
  ASSERT_TRUE(WriteFileAtomically(path, "  new \n"));
  EXPECT_EQ(*ReadFile(path), "  new \n");
  EXPECT_EQ(*ReadAttribute(path), "new");
}

TEST(FileTest, MissingFileNamesPathAndErrno) {
  const auto result = ReadFile("/nowhere/at/all");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_number, ENOENT);
  EXPECT_EQ(result.error().ToString(),
            "open /nowhere/at/all: ENOENT (No such file or directory). Check how the path is "
            "spelled.");
}

TEST(FileTest, DirectoryIsNoFile) { EXPECT_EQ(ReadFile("/tmp").error().error_number, EISDIR); }

TEST(FileTest, LimitHolds) {
  const std::string path = TempPath("file_test_limit");
  ASSERT_TRUE(WriteFileAtomically(path, "12345"));
  EXPECT_FALSE(ReadFile(path, 4));
  EXPECT_TRUE(ReadFile(path, 5));
}

TEST(FileTest, FailedWriteLeavesNothingBehind) {
  const std::string directory = TempPath("file_test_directory");
  std::filesystem::create_directories(directory + "/target/inside");
  EXPECT_FALSE(WriteFileAtomically(directory + "/target", "x"));
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) {
    ++entries;
  }
  EXPECT_EQ(entries, 1u);
}

TEST(FileTest, FollowsASymbolicLink) {
  const std::string target = TempPath("file_test_target");
  const std::string link = TempPath("file_test_link");
  std::filesystem::remove(link);
  ASSERT_TRUE(WriteFileAtomically(target, "old"));
  std::filesystem::create_symlink(target, link);
  ASSERT_TRUE(WriteFileAtomically(link, "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(*ReadFile(target), "new");
}

TEST(FileTest, ADeviceIsWrittenToAndNotReplaced) {
  ASSERT_TRUE(WriteFileAtomically("/dev/null", "x"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(WriteFileAtomically("/dev/full", "x").error().error_number, ENOSPC);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(FileTest, ReadsAPipeToItsEnd) {
  const std::string pipe = TempPath("file_test_read_pipe");
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream out(pipe);
    out << "first" << std::flush << std::string(100'000, 'x');
  });
  const auto content = ReadFile(pipe);
  writer.join();
  ASSERT_TRUE(content) << content.error().ToString();
  EXPECT_EQ(content->size(), 100'005u);
}

TEST(FileTest, APipeThatNobodyReadsIsAnErrorAndNoHang) {
  const std::string pipe = TempPath("file_test_pipe");
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(WriteFileAtomically(pipe, "x").error().error_number, ENXIO);
}

TEST(FileTest, WhatWasRecordedIsNoPipeAndNoDevice) {
  const std::string pipe = TempPath("file_test_regular_pipe");
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::pair<std::string, std::string> kinds[] = {
      {pipe, "a pipe"}, {"/dev/zero", "a device"}, {"/tmp", "a folder"}};
  for (const auto& [path, kind] : kinds) {
    const auto content = ReadRegularFile(path);
    ASSERT_FALSE(content) << path;
    EXPECT_NE(content.error().reason.find(kind), std::string::npos) << content.error().ToString();
    EXPECT_FALSE(CheckRegularFile(path)) << path;
  }
  EXPECT_TRUE(CheckRegularFile("/nowhere/at/all"));
  EXPECT_TRUE(CheckRegularFile("/dev/null/at/all"));
  for (const auto& [target, why] :
       {std::pair{"file_test_link", ELOOP}, std::pair{"file_test_nothing", ENOENT}}) {
    const std::string link = TempPath("file_test_link");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    const Status status = CheckRegularFile(link);
    ASSERT_FALSE(status) << target;
    EXPECT_EQ(status.error().error_number, why);
    if (why == ENOENT) {
      EXPECT_FALSE(WriteFileAtomically(link, "x"));
      EXPECT_TRUE(std::filesystem::is_symlink(link));
    }
  }
  EXPECT_EQ(ReadRegularFile("/nowhere/at/all").error().error_number, ENOENT);
}

TEST(FileTest, WhatThisProcessHasOpenIsNotReplaced) {
  const std::string path = TempPath("file_test_open");
  std::filesystem::remove(path);
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(fd.valid());
  ASSERT_EQ(::write(fd.get(), "before ", 7), 7);
  ASSERT_TRUE(WriteFileAtomically("/dev/fd/" + std::to_string(fd.get()), "now"));
  EXPECT_EQ(*ReadFile(path), "before now");
}

}  // namespace
}  // namespace railgauge
