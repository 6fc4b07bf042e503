#include "lib/base/output_path.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(OutputPathTest, WhatIsKept) {
  for (const char* path : {"run", "/tmp", "/tmp/a/b/c", "./x", "/dev/null", "/dev/full", "/system",
                           "/proc/self/fd/1", "/sys/../tmp/x"}) {
    EXPECT_TRUE(CheckOutputPath(path, "write")) << path;
  }
}

TEST(OutputPathTest, WhatIsNot) {
  for (const char* path : {"/sys", "/sys/", "/sys/run", "/sys/a/b/c", "/proc/x", "/tmp/../sys/x",
                           "/tmp/none/../../sys/x", "//sys//x", "/run/cloud-init/x"}) {
    const Status status = CheckOutputPath(path, "write --output");
    ASSERT_FALSE(status) << path;
    EXPECT_EQ(status.error().operation, "write --output");
    EXPECT_NE(status.error().reason.find("not kept"), std::string::npos);
  }
}

TEST(OutputPathTest, LinksAndTheWorkingFolderAreFollowed) {
  const std::string link = ::testing::TempDir() + "/output_path_test_link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/sys/class", link);
  EXPECT_FALSE(CheckOutputPath(link, "write"));
  EXPECT_FALSE(CheckOutputPath(link + "/new/run", "write"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path("/sys");
  EXPECT_FALSE(CheckOutputPath("run", "write"));
  std::filesystem::current_path(before);
}

class CanWriteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/file") << "x";
  }

  // The errno that a file at `name` would meet; 0 for none.
  int FileAt(const std::string& name) const {
    const Status status = CheckCanWrite(name.starts_with('/') ? name : folder_ + "/" + name, "w");
    return status ? 0 : status.error().error_number;
  }
  int FolderAt(const std::string& name) const {
    const Status status = CheckCanMakeFolder(folder_ + "/" + name, "w");
    return status ? 0 : status.error().error_number;
  }

  const std::string folder_ = ::testing::TempDir() + "/output_path_test_can_write";
};

TEST_F(CanWriteTest, Files) {
  for (const char* name : {"file", "new", "./new", "/dev/null", "/dev/stdout", "/dev/fd/1"}) {
    EXPECT_EQ(FileAt(name), 0) << name;
  }
  EXPECT_EQ(FileAt("none/new"), ENOENT);
  EXPECT_EQ(FileAt("file/new"), ENOTDIR);
  EXPECT_EQ(FileAt(folder_), EISDIR);
  EXPECT_EQ(FileAt("new/"), EISDIR);
  EXPECT_EQ(FileAt(std::string(255, 'n')), ENAMETOOLONG);
  EXPECT_EQ(FileAt(std::string(300, 'n')), ENAMETOOLONG);
  std::filesystem::create_symlink("circle", folder_ + "/circle");
  EXPECT_EQ(FileAt("circle"), ELOOP);
  EXPECT_FALSE(CheckCanWrite("/proc/x", "w"));
}

TEST_F(CanWriteTest, ByALinkTheFolderOfItsTargetCounts) {
  std::filesystem::create_symlink("file", folder_ + "/link");
  std::filesystem::create_symlink("none", folder_ + "/dangling");
  EXPECT_EQ(FileAt("link"), 0);
  const Status dangling = CheckCanWrite(folder_ + "/dangling", "write");
  ASSERT_FALSE(dangling);
  EXPECT_NE(dangling.error().reason.find("link to what is not there"), std::string::npos);
  EXPECT_FALSE(CheckCanMakeFolder(folder_ + "/dangling", "write"));
}

TEST_F(CanWriteTest, NothingIsMade) {
  EXPECT_EQ(FileAt("new"), 0);
  EXPECT_EQ(FolderAt("a/b"), 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/new"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/a"));
}

TEST_F(CanWriteTest, Folders) {
  for (const char* name : {"", "new", "new/", "a/b/c", "./a/../b"}) {
    EXPECT_EQ(FolderAt(name), 0) << name;
  }
  EXPECT_EQ(FolderAt("file"), ENOTDIR);
  EXPECT_EQ(FolderAt("file/new"), ENOTDIR);
  EXPECT_FALSE(CheckCanMakeFolder("/sys/x", "w"));
}

}  // namespace
}  // namespace railgauge
