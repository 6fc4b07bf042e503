#include "lib/base/output_path.h"

#include <unistd.h>

#include <filesystem>

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

}  // namespace
}  // namespace railgauge
