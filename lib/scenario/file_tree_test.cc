#include "lib/scenario/file_tree.h"

#include <filesystem>

#include "gtest/gtest.h"
#include "lib/base/file.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

TEST(FileTreeTest, RelativeTargetsClimbOnlyAsFarAsNeeded) {
  EXPECT_EQ(RelativeTarget("a/b/link", "a/c"), "../c");
  EXPECT_EQ(RelativeTarget("a/link", "a/c"), "c");
  EXPECT_EQ(RelativeTarget("a/b/link", "a/b/c/d"), "c/d");
  EXPECT_EQ(RelativeTarget("link", "a/c"), "a/c");
  EXPECT_EQ(RelativeTarget("ab/link", "a/c"), "../a/c");
  EXPECT_EQ(RelativeTarget("a/b/c/link", "a"), "../../../a");
}

TEST(FileTreeTest, WritesFilesFoldersAndLinks) {
  const fs::path root = fs::path(testing::TempDir()) / "files";
  fs::remove_all(root);
  fs::create_directories(root);
  FileTree tree(root.string());
  tree.Attribute("a/b/value", "7");
  tree.File("a/raw", std::string_view("x\0y", 3));
  tree.Folder("a/empty");
  tree.Link("c/link", "a/b");
  ASSERT_TRUE(tree.status());
  EXPECT_EQ(ReadFile((root / "c/link/value").string()).value(), "7\n");
  EXPECT_EQ(ReadFile((root / "a/raw").string()).value(), std::string("x\0y", 3));
  EXPECT_TRUE(fs::is_empty(root / "a/empty"));
}

TEST(FileTreeTest, KeepsTheFirstErrorAndStops) {
  const fs::path root = fs::path(testing::TempDir()) / "first_error";
  fs::remove_all(root);
  fs::create_directories(root);
  FileTree tree(root.string());
  tree.Attribute("file", "1");
  tree.Attribute("file/below", "2");
  tree.Link("file", "other");
  tree.Attribute("later", "3");
  ASSERT_FALSE(tree.status());
  EXPECT_EQ(tree.status().error().object, root.string() + "/file/below (open)");
  EXPECT_EQ(tree.status().error().reason, "ENOTDIR (Not a directory)");
  EXPECT_FALSE(fs::exists(root / "later"));
}

}  // namespace
}  // namespace railgauge
