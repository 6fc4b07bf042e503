#include "lib/fleet/child_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "lib/base/file.h"

namespace railgauge {
namespace {

std::string LogPath(const std::string& name) { return testing::TempDir() + "/" + name; }

// Waits for what must happen soon; the test's own time limit bounds it.
template <typename Condition>
void Await(Condition condition) {
  while (!condition()) ::usleep(1000);
}

int EndOf(ChildProcess& process) {
  Await([&] { return process.Poll().has_value(); });
  return *process.Poll();
}

TEST(ChildProcessTest, OutputAndStatus) {
  const std::string log = LogPath("output");
  auto process = ChildProcess::Start({"sh", "-c", "cat; echo out; echo error >&2; exit 7"}, log);
  ASSERT_TRUE(process) << process.error().ToString();
  EXPECT_EQ(EndOf(*process), 7);
  EXPECT_EQ(*ReadFile(log), "out\nerror\n");
  struct stat status = {};
  ASSERT_EQ(::stat(log.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(ChildProcessTest, WhatIsNotThere) {
  const auto process = ChildProcess::Start({"no-such-launcher"}, LogPath("none"));
  ASSERT_FALSE(process);
  EXPECT_NE(process.error().ToString().find("no-such-launcher: ENOENT"), std::string::npos)
      << process.error().ToString();
}

TEST(ChildProcessTest, EndsWhenAsked) {
  const std::string log = LogPath("asked");
  auto process = ChildProcess::Start(
      {"sh", "-c", "trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.01; done"},
      log);
  ASSERT_TRUE(process);
  Await([&] { return ReadFile(log).value_or("") == "ready\n"; });
  EXPECT_FALSE(process->Poll());
  process->Terminate();
  EXPECT_EQ(EndOf(*process), 3);
  EXPECT_EQ(*ReadFile(log), "ready\nasked\n");
}

TEST(ChildProcessTest, NothingOutlivesIt) {
  const std::string log = LogPath("group");
  pid_t grandchild = 0;
  {
    auto process = ChildProcess::Start({"sh", "-c", "sleep 1000 & echo $!; wait"}, log);
    ASSERT_TRUE(process);
    Await([&] { return ReadFile(log).value_or("").ends_with("\n"); });
    grandchild = static_cast<pid_t>(std::stol(*ReadFile(log)));
    ASSERT_EQ(::kill(grandchild, 0), 0);
  }
  // It is killed at once; who reaps it decides when its number is free.
  Await([&] {
    const auto stat = ReadFile("/proc/" + std::to_string(grandchild) + "/stat");
    return !stat || stat->find(") Z ") != std::string::npos;
  });
}

}  // namespace
}  // namespace railgauge
