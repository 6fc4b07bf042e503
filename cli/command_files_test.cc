#include "cli/command_files.h"

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "fmt/core.h"
#include "gtest/gtest.h"
#include "lib/base/unique_fd.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class CommandFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/tree/run-1");
    fs::create_directories(folder_ + "/tree/run-2");
    for (const char* name : {"/tree/run-1/census.csv", "/tree/run-1/samples.csv",
                             "/tree/run-2/samples.csv", "/tree/run-2/notes.txt", "/decision.csv"}) {
      std::ofstream(folder_ + name) << "x";
    }
    fs::create_symlink(folder_ + "/decision.csv", folder_ + "/symbolic");
    fs::create_hard_link(folder_ + "/tree/run-2/samples.csv", folder_ + "/hard");
    before_ = fs::current_path();
    fs::current_path(folder_);
  }
  void TearDown() override { fs::current_path(before_); }

  static std::string Said(const CommandFiles& files) {
    const Status status = files.Check();
    return status ? "" : status.error().ToString();
  }
  // What is said where runs, a decision and two outputs are named.
  static std::string SaidOf(const std::string& csv, const std::string& junit = "") {
    CommandFiles files;
    files.ReadsRuns("RUNDIR", "tree");
    files.ReadsPlacement("decision.csv");
    files.Writes("--csv_out", csv, "placement.csv");
    files.WritesBeside("--junit", junit);
    return Said(files);
  }
  static void ExpectPart(const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << "said: " << said;
  }

  const std::string folder_ = fs::canonical(::testing::TempDir()).string() + "/command_files_test";
  fs::path before_;
};

TEST_F(CommandFilesTest, WhatIsAllowed) {
  for (const char* path :
       {"", "-", "new.csv", "tree/run-1/placement-2.csv", "tree/run-2/notes.txt",
        "tree/placement.csv", "tree/run-1/placement.csv", "/dev/null", "/dev/stdout"}) {
    EXPECT_EQ(SaidOf(path), "") << path;
  }
  EXPECT_EQ(SaidOf("/dev/null", "/dev/null"), "");
  EXPECT_EQ(SaidOf("a.csv", "a.xml"), "");
}

TEST_F(CommandFilesTest, StandardOutputHasOneOutput) {
  ExpectPart(SaidOf("-", "/dev/stdout"), "--csv_out goes to standard output, too");
  ExpectPart(SaidOf("/dev/fd/1", "/dev/stdout"), "--csv_out goes to standard output, too");
}

TEST_F(CommandFilesTest, WhatIsReadHasDescriptorsToo) {
  const UniqueFd fd(::open("tree/run-1/samples.csv", O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd.valid());
  ExpectPart(SaidOf(fmt::format("/dev/fd/{}", fd.get())), "it is samples.csv of the run");
}

TEST_F(CommandFilesTest, WhatIsReadIsNotWritten) {
  EXPECT_EQ(SaidOf("tree/run-1/samples.csv"),
            "write --csv_out tree/run-1/samples.csv: it is samples.csv of the run that RUNDIR "
            "names, which is read. Choose another file: what is read is never written over.");
  // Also what the run does not have, which would pass for recorded.
  ExpectPart(SaidOf("tree/run-2/../run-1/run.json"), "it is run.json of the run");
  ExpectPart(SaidOf("hard"), "it is samples.csv of the run");
  ExpectPart(SaidOf("", "tree/run-1/census.csv"), "write --junit tree/run-1/census.csv: it is");
  for (const char* path : {"decision.csv", "./decision.csv", "tree/../decision.csv", "symbolic"}) {
    ExpectPart(SaidOf(path), "it is what --placement names, which is read");
  }
}

// What would pass for recorded, and is something else.
TEST_F(CommandFilesTest, WhatARunLacksIsWrittenByItsLikeAlone) {
  EXPECT_EQ(SaidOf("tree/run-1/placement.csv"), "");
  ExpectPart(SaidOf("tree/run-1/findings.csv"), "it is findings.csv of the run that RUNDIR names");
  ExpectPart(SaidOf("", "tree/run-1/placement.csv"),
             "write --junit tree/run-1/placement.csv: it is");
  std::ofstream(folder_ + "/tree/run-1/placement.csv") << "x";
  ExpectPart(SaidOf("tree/run-1/placement.csv"), "it is placement.csv of the run");
}

TEST_F(CommandFilesTest, TwoOutputsAreTwoFiles) {
  EXPECT_EQ(SaidOf("new", "new"),
            "write --junit new: --csv_out writes the same file. Give each of them a file of its "
            "own.");
  ExpectPart(SaidOf("new", "./tree/../new"), "--csv_out writes the same file");
  ExpectPart(SaidOf("tree/run-2/notes.txt", folder_ + "/tree/run-2/notes.txt"), "same file");
}

TEST_F(CommandFilesTest, StandardOutputIsForOne) {
  ExpectPart(SaidOf("", "-"), "write --junit -: standard output has what the command prints");
  CommandFiles files;
  files.Writes("--csv_out", "-");
  files.Writes("--publish", "-");
  ExpectPart(Said(files), "write --publish -: --csv_out goes to standard output, too");
  CommandFiles folder;
  folder.Makes("--output", "-");
  ExpectPart(Said(folder), "write --output -: it stands for standard output");
  CommandFiles input;
  input.ReadsPlacement("-");
  ExpectPart(Said(input), "read --placement -: it stands for standard input");
}

TEST_F(CommandFilesTest, WhatCannotBeWrittenIsToldBefore) {
  ExpectPart(SaidOf("none/new.csv"), "write --csv_out none/new.csv: ENOENT");
  ExpectPart(SaidOf("tree"), "EISDIR");
  ExpectPart(SaidOf("", "decision.csv/new"), "write --junit decision.csv/new: ENOTDIR");
  ExpectPart(SaidOf("/proc/x"), "not kept");
}

TEST_F(CommandFilesTest, InAFolderThatIsMade) {
  const auto said = [](const std::string& folder, const std::string& junit) {
    CommandFiles files;
    files.Makes("--output", folder);
    files.WritesBeside("--junit", junit);
    return Said(files);
  };
  EXPECT_EQ(said("a/run", "a/run/junit.xml"), "");
  EXPECT_EQ(said("a/run/", "./a/junit.xml"), "");
  ExpectPart(said("a/run", "a/run/samples.csv"), "--output writes the same file");
  ExpectPart(said("a/run", "a/run"), "--output writes the same file");
  ExpectPart(said("a/run", "a/run-2/junit.xml"), "ENOENT");
  ExpectPart(said("decision.csv/run", ""), "write --output decision.csv/run: ENOTDIR");
}

TEST_F(CommandFilesTest, ThePlacementMayBeAPolicyOrNameItsFormat) {
  std::ofstream(folder_ + "/nearest") << "x";
  const auto said = [](const std::string& placement, const std::string& output) {
    CommandFiles files;
    files.ReadsPlacement(placement);
    files.Writes("--output", output);
    return Said(files);
  };
  EXPECT_EQ(said("nearest", "nearest"), "");
  ExpectPart(said("./nearest", "nearest"), "--placement names");
  ExpectPart(said("csv:decision.csv", "decision.csv"), "--placement names");
  ExpectPart(said("nccl-graph:a.xml,decision.csv", "decision.csv"), "--placement names");
}

TEST_F(CommandFilesTest, ABaselineMayBeAFile) {
  CommandFiles files;
  files.ReadsRuns("BASELINE", "decision.csv");
  files.Writes("--csv_out", "symbolic");
  ExpectPart(Said(files), "it is what BASELINE names, which is read");
}

}  // namespace
}  // namespace railgauge
