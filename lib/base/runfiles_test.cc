#include "lib/base/runfiles.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace railgauge {
namespace {

void MakeFile(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0755);
  }
  std::ofstream(path) << "x";
}

class Runfiles : public testing::Test {
 protected:
  Runfiles() : folder_(testing::TempDir() + "/runfiles_test") {
    for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR", "RUNFILES_MANIFEST_FILE"}) {
      unsetenv(variable);
    }
  }
  const std::string folder_;
};

TEST_F(Runfiles, FindsByEnvironment) {
  MakeFile(folder_ + "/a/railgauge/some/file");
  setenv("RUNFILES_DIR", (folder_ + "/a").c_str(), 1);
  EXPECT_EQ(*FindDataFile("some/file"), folder_ + "/a/railgauge/some/file");
  EXPECT_EQ(*FindDataFile("some"), folder_ + "/a/railgauge/some");
}

TEST_F(Runfiles, FindsBesideAndAroundTheBinaryThatWasNamed) {
  MakeFile(folder_ + "/b/tool.runfiles/railgauge/lib/data");
  const std::string expected = folder_ + "/b/tool.runfiles/railgauge/lib/data";
  EXPECT_EQ(*FindDataFile("lib/data", folder_ + "/b/tool"), expected);
  EXPECT_EQ(*FindDataFile("lib/data", folder_ + "/b/tool.runfiles/railgauge/lib/other"), expected);
}

TEST_F(Runfiles, FindsByManifest) {
  MakeFile(folder_ + "/c/MANIFEST");
  std::ofstream(folder_ + "/c/MANIFEST") << "railgauge/lib/data.so.1 /x/data.so.1\n"
                                         << "railgauge/lib/data /x/real data\n";
  setenv("RUNFILES_MANIFEST_FILE", (folder_ + "/c/MANIFEST").c_str(), 1);
  EXPECT_EQ(*FindDataFile("lib/data"), "/x/real data");
}

TEST_F(Runfiles, SaysWhatIsMissing) {
  const auto found = FindDataFile("no/such/file");
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().ToString().find("no/such/file"), std::string::npos);
}

}  // namespace
}  // namespace railgauge
