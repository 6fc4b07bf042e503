#include "lib/base/file.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "gtest/gtest.h"

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
  EXPECT_EQ(result.error().ToString(), "open /nowhere/at/all: ENOENT (No such file or directory)");
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

}  // namespace
}  // namespace railgauge
