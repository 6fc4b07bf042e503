#include "lib/base/file_id.h"

#include <fcntl.h>

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"
#include "lib/base/unique_fd.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class FileIdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/below");
    std::ofstream(folder_ + "/file") << "x";
  }

  const std::string folder_ = ::testing::TempDir() + "/file_id_test";
};

TEST_F(FileIdTest, OneFileByManyNames) {
  fs::create_symlink("file", folder_ + "/symbolic");
  fs::create_hard_link(folder_ + "/file", folder_ + "/hard");
  fs::create_directory_symlink("below", folder_ + "/other");
  const auto id = FileIdOf(folder_ + "/file");
  ASSERT_TRUE(id);
  for (const char* name : {"/./file", "/below/../file", "/symbolic", "/hard", "/other/../file"}) {
    EXPECT_EQ(FileIdOf(folder_ + name), id) << name;
  }
  const UniqueFd fd(::open((folder_ + "/hard").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(FileIdOf(fd.get()), id);
}

TEST_F(FileIdTest, OneFileThatIsNotThereByManyNames) {
  fs::create_directory_symlink("below", folder_ + "/other");
  const auto id = FileIdOf(folder_ + "/below/new");
  ASSERT_TRUE(id);
  for (const char* name : {"/below/./new", "/other/new", "/below/none/../new"}) {
    EXPECT_EQ(FileIdOf(folder_ + name), id) << name;
  }
  EXPECT_NE(FileIdOf(folder_ + "/new"), id);
  EXPECT_NE(FileIdOf(folder_ + "/file"), id);
  const fs::path before = fs::current_path();
  fs::current_path(folder_ + "/below");
  EXPECT_EQ(FileIdOf("new"), id);
  fs::current_path(before);
}

TEST_F(FileIdTest, WhatIsNoFileHasNone) {
  for (const char* path : {"/dev/null", "/tmp", "/dev/stdout", "/proc/self/fd/0", "/dev/fd/99"}) {
    EXPECT_EQ(FileIdOf(std::string(path)), std::nullopt) << path;
  }
}

}  // namespace
}  // namespace railgauge
