#include "lib/fleet/launch_template.h"

#include <gtest/gtest.h>

#include <map>

namespace railgauge {
namespace {

using Words = std::vector<std::string>;

const FleetNode kNode{"node-b", "10.0.0.7"};

Words Expanded(const std::string& text, const Words& command) {
  const auto launch = LaunchTemplate::Parse(text);
  EXPECT_TRUE(launch) << launch.error().ToString();
  return launch ? launch->Expand(kNode, 3, command) : Words();
}

TEST(LaunchTemplateTest, WordsForWhatStartsPrograms) {
  EXPECT_EQ(Expanded("emulate --node={index} {argv} {host}:{address}", {"a b", "c"}),
            (Words{"emulate", "--node=3", "a b", "c", "node-b:10.0.0.7"}));
}

TEST(LaunchTemplateTest, OneWordForWhatStartsAShell) {
  EXPECT_EQ(Expanded("ssh  {host}\t{command}", {"check", "it's", "$HOME;ls"}),
            (Words{"ssh", "node-b", "'check' 'it'\\''s' '$HOME;ls'"}));
  EXPECT_EQ(Expanded("bash -c 'cd /x && exec {command}'", {"a"}),
            (Words{"bash", "-c", "cd /x && exec 'a'"}));
}

TEST(LaunchTemplateTest, NamesOfTemplates) {
  for (const char* name : {"srun", "ssh", "mpirun"}) {
    const Words words = Expanded(name, {"railgauge", "serve"});
    ASSERT_FALSE(words.empty());
    EXPECT_EQ(words.front(), name);
    EXPECT_EQ(Expanded(std::string(PresetOf(name)), {"railgauge", "serve"}), words);
  }
}

TEST(LaunchTemplateTest, WhatIsNoTemplate) {
  for (const auto& [text, reason] :
       std::map<std::string, std::string>{{"ssh {host}", "not one of"},
                                          {"", "not one of"},
                                          {"ssh {command} {argv}", "not one of"},
                                          {"ssh '{host} {command}", "does not close"},
                                          {"ssh {hots} {command}", "there is no {hots}"},
                                          {"sh -c x{argv}", "no part of one"}}) {
    const auto launch = LaunchTemplate::Parse(text);
    ASSERT_FALSE(launch) << text;
    EXPECT_NE(launch.error().ToString().find(reason), std::string::npos)
        << launch.error().ToString();
  }
}

}  // namespace
}  // namespace railgauge
