#include "lib/scenario/spec.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(MachineSpecTest, ATypeAlone) {
  const auto spec = ParseMachineSpec("p5.48xlarge");
  ASSERT_TRUE(spec) << spec.error().ToString();
  EXPECT_EQ(spec->base, "p5.48xlarge");
  EXPECT_EQ(spec->divisor, 1u);
  EXPECT_TRUE(spec->faults.empty());
}

TEST(MachineSpecTest, DivisorAndFaultsInOrder) {
  const auto spec = ParseMachineSpec("p5.48xlarge/16,missing-gpu:gpu3,slow-nic:0000:4f:00.0=0.6");
  ASSERT_TRUE(spec) << spec.error().ToString();
  EXPECT_EQ(spec->base, "p5.48xlarge");
  EXPECT_EQ(spec->divisor, 16u);
  ASSERT_EQ(spec->faults.size(), 2u);
  EXPECT_EQ(spec->faults[0].name, "missing-gpu");
  EXPECT_EQ(spec->faults[0].target, "gpu3");
  EXPECT_EQ(spec->faults[0].value, "");
  EXPECT_EQ(spec->faults[1].text, "slow-nic:0000:4f:00.0=0.6");
  EXPECT_EQ(spec->faults[1].name, "slow-nic");
  EXPECT_EQ(spec->faults[1].target, "0000:4f:00.0");
  EXPECT_EQ(spec->faults[1].value, "0.6");
  EXPECT_FALSE(spec->faults[1].has_start);
}

TEST(MachineSpecTest, APathIsNoDivisor) {
  EXPECT_EQ(ParseMachineSpec("./mine.yaml")->base, "./mine.yaml");
  EXPECT_EQ(ParseMachineSpec("/a/b.yaml/4")->base, "/a/b.yaml");
  EXPECT_EQ(ParseMachineSpec("/a/b.yaml/4")->divisor, 4u);
  EXPECT_EQ(ParseMachineSpec("dir/")->base, "dir/");
  EXPECT_EQ(ParseMachineSpec("dir/file")->base, "dir/file");
  EXPECT_EQ(ParseMachineSpec("a.b/c.yaml")->base, "a.b/c.yaml");
}

TEST(MachineSpecTest, AFaultMayStartLater) {
  const auto fault = ParseFaultSpec("foreign-traffic:rdmap79s0=3GB/s@1500ms");
  ASSERT_TRUE(fault) << fault.error().ToString();
  EXPECT_EQ(fault->value, "3GB/s");
  EXPECT_EQ(fault->target, "rdmap79s0");
  EXPECT_TRUE(fault->has_start);
  EXPECT_EQ(fault->start, Nanoseconds(1'500'000'000));
  EXPECT_EQ(ParseFaultSpec("numa-unknown")->name, "numa-unknown");
}

TEST(MachineSpecTest, WhatIsNoSpecIsOneLine) {
  struct {
    const char* spec;
    const char* error;
  } const kCases[] = {
      {"", "read machine: it names no machine. Begin with an instance type or a .yaml file."},
      {",slow-nic",
       "read machine ,slow-nic: it names no machine. Begin with an instance type or a .yaml file."},
      {"p5.48xlarge/0",
       "read machine p5.48xlarge/0: '0' is no divisor. Write a whole number from 1 to 1000 after "
       "'/'."},
      {"p5.48xlarge/1001",
       "read machine p5.48xlarge/1001: '1001' is no divisor. Write a whole number from 1 to 1000 "
       "after '/'."},
      {"p5.48xlarge/fast",
       "read machine p5.48xlarge/fast: 'fast' is no divisor. Write a whole number from 1 to 1000 "
       "after '/'."},
      {"p5.48xlarge/-2",
       "read machine p5.48xlarge/-2: '-2' is no divisor. Write a whole number from 1 to 1000 after "
       "'/'."},
      {"p5.48xlarge/1.5",
       "read machine p5.48xlarge/1.5: '1.5' is no divisor. Write a whole number from 1 to 1000 "
       "after '/'."},
      {"p5.48xlarge/",
       "read machine p5.48xlarge/: '' is no divisor. Write a whole number from 1 to 1000 after "
       "'/'."},
      {"./mine.yaml/2x",
       "read machine ./mine.yaml/2x: '2x' is no divisor. Write a whole number from 1 to 1000 after "
       "'/'."},
      {"p5.48xlarge/99999999999",
       "read machine p5.48xlarge/99999999999: '99999999999' is no divisor. Write a whole number "
       "from 1 to 1000 after '/'."},
      {"p5,",
       "read machine: '' is no name of a fault. Write a fault as "
       "NAME[:TARGET][=VALUE][@START]."},
      {"p5,Slow",
       "read machine Slow: 'Slow' is no name of a fault. Write a fault as "
       "NAME[:TARGET][=VALUE][@START]."},
      {"p5,slow-nic:",
       "read machine slow-nic:: no target follows ':'. Write one, or leave ':' "
       "out."},
      {"p5,slow-nic=",
       "read machine slow-nic=: no value follows '='. Write one, or leave '=' "
       "out."},
      {"p5,removed@soon",
       "read machine removed@soon: 'soon' is no time. Write the start after '@' "
       "like 500ms or 2s."},
  };
  for (const auto& c : kCases) {
    const auto spec = ParseMachineSpec(c.spec);
    ASSERT_FALSE(spec) << c.spec;
    EXPECT_EQ(spec.error().ToString(), c.error);
  }
}

}  // namespace
}  // namespace railgauge
