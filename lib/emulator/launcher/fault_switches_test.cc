#include "lib/emulator/launcher/fault_switches.h"

#include <string>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

const PciAddress kNic = PciAddress::Parse("0000:10:1b.0").value();  // rdmap16s27

FaultSwitches Make(const std::string& spec) {
  auto switches = FaultSwitches::Create(spec, "scenarios");
  EXPECT_TRUE(switches) << switches.error().ToString();
  return *std::move(switches);
}

double Carries(const FaultSwitches& switches) {
  return switches.machine()
             .PathOf(kNic, MemoryPlace::NumaNode(0), Direction::kToMemory)
             .capacity.value /
         1e9;
}

TEST(FaultSwitchesTest, SwitchesCapacitiesAndDeviceFaults) {
  FaultSwitches switches = Make("p4d.24xlarge");
  EXPECT_DOUBLE_EQ(Carries(switches), 12.2);
  const auto slow = switches.Tell("slow-nic:rdmap16s27=0.6");
  EXPECT_TRUE(slow.ok && slow.changed) << slow.line;
  EXPECT_EQ(slow.line, "ok: slow-nic:rdmap16s27=0.6");
  EXPECT_DOUBLE_EQ(Carries(switches), 7.5);
  // The same fault again takes the place of the first.
  EXPECT_TRUE(switches.Tell("slow-nic:rdmap16s27=0.5").ok);
  EXPECT_DOUBLE_EQ(Carries(switches), 6.25);
  EXPECT_TRUE(switches.Tell("slow-path:rdmap16s27/numa0=0.5").ok);
  EXPECT_DOUBLE_EQ(Carries(switches), 3.125);
  EXPECT_TRUE(switches.Tell("stop-completing:rdmap16s27@2s").ok);
  EXPECT_EQ(switches.machine().FindNic(kNic)->faults.size(), 1u);
  EXPECT_EQ(switches.Tell("status").line,
            "ok: slow-nic:rdmap16s27=0.5,slow-path:rdmap16s27/numa0=0.5,"
            "stop-completing:rdmap16s27@2s");
  EXPECT_FALSE(switches.Tell("status").changed);
  EXPECT_TRUE(switches.Tell("clear:slow-nic:rdmap16s27").ok);
  EXPECT_DOUBLE_EQ(Carries(switches), 6.1);
  EXPECT_EQ(switches.Tell("clear:all").line, "ok: healthy");
  EXPECT_DOUBLE_EQ(Carries(switches), 12.2);
  EXPECT_TRUE(switches.machine().FindNic(kNic)->faults.empty());
}

TEST(FaultSwitchesTest, FaultsFromTheBeginningCanBeCleared) {
  FaultSwitches switches = Make("p4d.24xlarge,slow-nic:rdmap16s27=0.6,missing-gpu:gpu3");
  EXPECT_DOUBLE_EQ(Carries(switches), 7.5);
  EXPECT_EQ(switches.Tell("clear:slow-nic:rdmap16s27").line, "ok: missing-gpu:gpu3");
  EXPECT_DOUBLE_EQ(Carries(switches), 12.2);
}

TEST(FaultSwitchesTest, WhatCannotBeSwitchedIsRefusedAndNothingChanges) {
  FaultSwitches switches = Make("p4d.24xlarge,missing-gpu:gpu3");
  const char* const kFixed = "it changes what a running machine shows; restart the machine with it";
  for (const char* fault : {"missing-nic:rdmap16s27", "numa-unknown", "flat-tree", "ids-none",
                            "wrong-rate", "registration-fails:dmabuf", "access-refused", "memlock",
                            "clear:missing-gpu:gpu3", "clear:all"}) {
    const auto answer = switches.Tell(fault);
    EXPECT_FALSE(answer.ok || answer.changed) << fault;
    EXPECT_EQ(answer.line, kFixed) << fault;
  }
  EXPECT_EQ(switches.Tell("status").line, "ok: missing-gpu:gpu3");
  EXPECT_EQ(switches.machine().gpus.size(), 7u);
}

TEST(FaultSwitchesTest, BadCommandsAreOneLine) {
  FaultSwitches switches = Make("p4d.24xlarge");
  EXPECT_EQ(switches.Tell("").line,
            "read machine: '' is no name of a fault. Write a fault as "
            "NAME[:TARGET][=VALUE][@START].");
  EXPECT_EQ(switches.Tell("slow-nick:rdmap16s27").line,
            "apply fault slow-nick:rdmap16s27: there is no fault 'slow-nick'. Write 'slow-nic'.");
  EXPECT_EQ(switches.Tell("clear:slow-nic:rdmap16s27").line,
            "'slow-nic:rdmap16s27' is no fault that the machine has now; it has none");
  ASSERT_TRUE(switches.Tell("slow-nic:rdmap16s27=0.5").ok);
  EXPECT_EQ(switches.Tell("clear:bogus").line,
            "'bogus' is no fault that the machine has now; it has slow-nic:rdmap16s27=0.5");
  for (const std::string& garbage : {std::string(5000, 'x'), std::string("\x01\xff\n"),
                                     std::string("clear:"), std::string("a:b:c=d=e@@")}) {
    const auto answer = switches.Tell(garbage);
    EXPECT_FALSE(answer.ok);
    EXPECT_EQ(answer.line.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace railgauge
