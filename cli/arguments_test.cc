#include "cli/arguments.h"

#include <algorithm>
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
    judge->add_option("--when", when_, "")->check(CLI::IsMember({"auto", "always"}));
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
  std::string directory_, csv_out_, junit_, when_;
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
           {"judge", "run", "--", "--bogus"},
           {"judge", "-h"},
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

TEST_F(ArgumentsTest, AMisspeltFlagOnEveryLevel) {
  EXPECT_EQ(Said({"judge", "--csv-out=x"}), "there is no flag '--csv-out'. Write '--csv_out'.");
  EXPECT_EQ(name_, "railgauge judge");
  EXPECT_EQ(Said({"fleet", "plan", "--host", "a"}), "there is no flag '--host'. Write '--hosts'.");
  EXPECT_EQ(Said({"judge", "--dryrun"}), "there is no flag '--dryrun'. Write '--dry-run'.");
  // Of another command, or of none.
  EXPECT_EQ(Said({"judge", "--hosts=", "--junit=x"}), "there is no flag '--hosts'");
  EXPECT_EQ(Said({"--csv_out=x", "judge"}), "there is no flag '--csv_out'");
  EXPECT_EQ(Said({"judge", "-x"}), "there is no flag '-x'");
  EXPECT_LT(Said({"judge", "--" + std::string(70'000, 'x')}).size(), 300U);
  EXPECT_LT(Said({"judge", "-" + std::string(70'000, 'x') + "=y"}).size(), 300U);
}

TEST_F(ArgumentsTest, WhatTheParserSaysIsCut) {
  const auto parser_says = [&](std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      return WhatParserSays(app_, error);
    }
    return std::string();
  };
  EXPECT_EQ(parser_says({"judge", "run", "more", "still"}), "'more' is an argument too many");
  const std::string many = parser_says({"judge", "run", std::string(70'000, 'x')});
  EXPECT_LT(many.size(), 300U);
  EXPECT_NE(many.find("x…' is an argument too many"), std::string::npos);
  const std::string none = parser_says({"judge", "run", "--when=" + std::string(70'000, 'x')});
  EXPECT_LT(none.size(), 400U);
  EXPECT_NE(none.find("auto"), std::string::npos);
  EXPECT_NE(none.find("--when"), std::string::npos);
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
