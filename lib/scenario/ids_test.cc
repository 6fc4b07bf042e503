#include "lib/scenario/ids.h"

#include "gtest/gtest.h"
#include "lib/scenario/load.h"
#include "lib/scenario/small_scenario_testutil.h"

namespace railgauge {
namespace {

InterconnectIds Ids(std::optional<uint16_t> recv, std::optional<uint16_t> rdma_read,
                    std::optional<uint16_t> rdma_recv) {
  InterconnectIds ids;
  ids.recv = recv;
  ids.rdma_read = rdma_read;
  ids.rdma_recv = rdma_recv;
  return ids;
}

const InterconnectIds& IdsOf(const EmulatedMachine& machine, const char* nic,
                             const MemoryPlace& place, RegistrationWay way) {
  return machine.IdsOf(Address(nic), place, way);
}

constexpr auto kNone = std::nullopt;

TEST(InterconnectIdsTest, RulesMeetFieldByFieldAndLaterOnesWin) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  const MemoryPlace near = GpuAt("0000:13:00.0");
  EXPECT_EQ(IdsOf(machine, "0000:12:00.0", near, RegistrationWay::kDmabuf), Ids(7, 0, kNone));
  EXPECT_EQ(IdsOf(machine, "0000:12:00.0", near, RegistrationWay::kPeerMemory), Ids(kNone, 0, 255));
  EXPECT_EQ(IdsOf(machine, "0000:22:00.0", GpuAt("0000:23:00.0"), RegistrationWay::kDmabuf),
            Ids(7, 1, kNone))
      << "nic_index is added";
  EXPECT_EQ(IdsOf(machine, "0000:12:00.0", MemoryPlace::NumaNode(1), RegistrationWay::kHost),
            Ids(1, 2, kNone));
}

TEST(InterconnectIdsTest, WhatNoRuleNamesHasNoId) {
  const EmulatedMachine machine = LoadText(kSmallScenario);
  EXPECT_EQ(IdsOf(machine, "0000:12:00.0", GpuAt("0000:23:00.0"), RegistrationWay::kDmabuf),
            Ids(kNone, kNone, kNone));
}

TEST(InterconnectIdsTest, OneCellIsChangedByOneRule) {
  const EmulatedMachine before = LoadText(kSmallScenario);
  const EmulatedMachine after =
      LoadText(std::string(kSmallScenario) +
               "  - {nics: rdmap48s1, places: gpu0, way: dmabuf, rdma_read: 77}\n");
  const EmulatedMachine::NicPlace cell = {Address("0000:30:01.0"), GpuAt("0000:13:00.0")};
  for (const auto& [pair, ids] : before.host_and_dmabuf_ids) {
    InterconnectIds expected = ids;
    if (pair == cell) expected.rdma_read = 77;
    EXPECT_EQ(after.host_and_dmabuf_ids.at(pair), expected);
  }
  EXPECT_EQ(after.peer_memory_ids, before.peer_memory_ids);
}

// What the instance file promises: places of different speed have different ids, validity is
// partial, and no number means the same on two devices.
TEST(InterconnectIdsTest, P5TellsItsPlacesApart) {
  const auto p5 = LoadSpec("p5.48xlarge", "scenarios");
  ASSERT_TRUE(p5);
  const char* nic = "0000:4f:00.0";
  const auto dmabuf = [&](const char* gpu) {
    return IdsOf(*p5, nic, GpuAt(gpu), RegistrationWay::kDmabuf);
  };
  EXPECT_EQ(dmabuf("0000:53:00.0"), Ids(60, 0, 103)) << "0 is a legal id";
  EXPECT_EQ(dmabuf("0000:64:00.0"), Ids(60, 1, 101));
  EXPECT_EQ(dmabuf("0000:97:00.0"), Ids(60, 2, 104));
  const auto host = [&](uint32_t node) {
    return IdsOf(*p5, nic, MemoryPlace::NumaNode(node), RegistrationWay::kHost);
  };
  EXPECT_EQ(host(0), Ids(61, 3, 100));
  EXPECT_EQ(host(1), Ids(61, 4, 102));
  EXPECT_EQ(IdsOf(*p5, nic, GpuAt("0000:53:00.0"), RegistrationWay::kPeerMemory),
            Ids(kNone, 0, 103));
  EXPECT_EQ(IdsOf(*p5, "0000:50:00.0", GpuAt("0000:53:00.0"), RegistrationWay::kDmabuf),
            Ids(61, 1, 104))
      << "its number for the same place is another";
}

}  // namespace
}  // namespace railgauge
