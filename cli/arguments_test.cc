#include "cli/arguments.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

class ArgumentsTest : public ::testing::Test {
 protected:
  ArgumentsTest() {
    app_.require_subcommand(1);
    CLI::App* judge = app_.add_subcommand("judge", "");
    judge->add_option("RUNDIR", directory_, "");
    judge->add_option("--csv_out", csv_out_, "")->type_name("FILE");
    judge->add_option("--junit", junit_, "")->type_name("FILE");
    judge->add_flag("--dry-run", dry_run_, "");
    CLI::App* fleet = app_.add_subcommand("fleet", "");
    fleet->require_subcommand(1);
    fleet->add_subcommand("plan", "")->add_option("--hosts", csv_out_, "");
    fleet->add_subcommand("report", "");
  }

  // What CheckArguments says; empty for nothing.
  std::string Said(std::vector<std::string> arguments) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    name_ = NameOfCommand(app_, pointers);
    const Status status = CheckArguments(app_, pointers);
    return status ? "" : status.error().ToString();
  }

  CLI::App app_{"", "railgauge"};
  std::string name_;  // of the command of the last line
  std::string directory_, csv_out_, junit_;
  bool dry_run_ = false;
};

TEST_F(ArgumentsTest, WhatIsRight) {
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {},
           {"--help"},
           {"judge", "run", "--csv_out=x=", "--dry-run"},
           {"judge", "--csv_out", "-", "run"},
           {"judge", "--csv_out", "judge", "run", "--junit", "-x"},
           {"judge", "--", "--csv_out="},
           {"judge", "--unknown=", "--unknown", "--junit=x"},  // the parser says what it is
           {"fleet", "plan", "--hosts=a,b"},
           {"fleet"},
           {"fleet", "--help"}}) {
    EXPECT_EQ(Said(line), "");
  }
}

TEST_F(ArgumentsTest, AnEmptyValueDoesNotTakeTheNextFlag) {
  const std::string said =
      "--csv_out has an empty value. Write --csv_out=FILE, or leave the flag "
      "out.";
  EXPECT_EQ(Said({"judge", "run", "--csv_out=", "--junit=x"}), said);
  EXPECT_EQ(Said({"judge", "run", "--csv_out="}), said);
  EXPECT_EQ(Said({"judge", "run", "--csv_out", ""}), said);
  EXPECT_EQ(Said({"fleet", "plan", "--hosts="}).substr(0, 26), "--hosts has an empty value");
  EXPECT_EQ(name_, "railgauge fleet plan");
  EXPECT_NE(Said({"judge", ""}).find("an argument is empty"), std::string::npos);
}

TEST_F(ArgumentsTest, AMissingValueDoesNotTakeTheNextFlag) {
  EXPECT_EQ(Said({"judge", "run", "--csv_out", "--junit=x"}),
            "--csv_out has no value: '--junit=x' behind it is a flag. Write --csv_out=FILE.");
  EXPECT_EQ(Said({"judge", "run", "--dry-run", "--junit=x"}), "");
}

TEST_F(ArgumentsTest, AMisspeltCommandOnEveryLevel) {
  EXPECT_EQ(Said({"jugde", "run"}), "there is no command 'jugde'. Write 'judge'.");
  EXPECT_EQ(name_, "railgauge");
  EXPECT_EQ(Said({"fleet", "reprot", "x"}), "there is no command 'reprot'. Write 'report'.");
  EXPECT_EQ(name_, "railgauge fleet");
  EXPECT_EQ(Said({"fleet", "bogus"}),
            "there is no command 'bogus'. The commands are plan, report.");
  EXPECT_LT(Said({std::string(70'000, 'x')}).size(), 300U);
}

}  // namespace
}  // namespace railgauge
