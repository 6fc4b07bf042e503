#include "lib/interconnect/classes.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

const NicKey kNicA{*PciAddress::Parse("0000:4f:00.0"), "rdmap79s0"};
const NicKey kNicB{*PciAddress::Parse("0000:50:00.0"), "rdmap80s0"};
const MemoryPlace kNode0 = MemoryPlace::NumaNode(0);
const MemoryPlace kNode1 = MemoryPlace::NumaNode(1);
const MemoryPlace kGpu = MemoryPlace::Gpu(*PciAddress::Parse("0000:53:00.0"));

CensusRow Row(const NicKey& nic, const MemoryPlace& place, RegistrationWay way, CensusStatus status,
              InterconnectIds ids = {}) {
  CensusRow row;
  row.nic = nic;
  row.place = place;
  row.way = way;
  row.status = status;
  row.ids = ids;
  return row;
}

using Places = std::vector<MemoryPlace>;

TEST(ClassesTest, EqualIdsAreOneClassPerNicAndField) {
  const std::vector<CensusRow> rows = {
      Row(kNicB, kNode0, RegistrationWay::kHost, CensusStatus::kOk, {7, 7, 7}),
      Row(kNicA, kNode0, RegistrationWay::kHost, CensusStatus::kOk, {1, 0, {}}),
      Row(kNicA, kNode1, RegistrationWay::kHost, CensusStatus::kOk, {1, 2, {}}),
      Row(kNicA, kGpu, RegistrationWay::kDmabuf, CensusStatus::kOk, {{}, 2, {}}),
  };
  const auto classes = ClassifyIds(rows);
  ASSERT_EQ(classes.size(), 6u);
  EXPECT_EQ(classes[0].nic, kNicA);
  EXPECT_EQ(classes[0].field, IcField::kRecv);
  EXPECT_EQ(classes[0].by_id, (std::map<uint16_t, Places>{{1, {kNode0, kNode1}}}));
  EXPECT_EQ(classes[0].no_id, Places{kGpu});
  EXPECT_EQ(classes[1].field, IcField::kRdmaRead);
  // 0 is an id like any other.
  EXPECT_EQ(classes[1].by_id, (std::map<uint16_t, Places>{{0, {kNode0}}, {2, {kNode1, kGpu}}}));
  EXPECT_TRUE(classes[1].no_id.empty());
  EXPECT_EQ(classes[2].field, IcField::kRdmaRecv);
  EXPECT_TRUE(classes[2].by_id.empty());
  EXPECT_EQ(classes[2].no_id, (Places{kNode0, kNode1, kGpu}));
  EXPECT_EQ(classes[3].nic, kNicB);
  EXPECT_EQ(classes[3].by_id, (std::map<uint16_t, Places>{{7, {kNode0}}}));
}

TEST(ClassesTest, NoIdAndUnknownStayApart) {
  const std::vector<CensusRow> rows = {
      Row(kNicA, kNode0, RegistrationWay::kHost, CensusStatus::kNoId),
      Row(kNicA, kNode1, RegistrationWay::kHost, CensusStatus::kCannotTell),
      Row(kNicA, kGpu, RegistrationWay::kDmabuf, CensusStatus::kSkipped),
      Row(kNicA, kGpu, RegistrationWay::kPeerMemory, CensusStatus::kRegistrationFailed),
  };
  for (const IdClasses& classes : ClassifyIds(rows)) {
    EXPECT_TRUE(classes.by_id.empty());
    EXPECT_EQ(classes.no_id, Places{kNode0});
    EXPECT_EQ(classes.unknown, (Places{kNode1, kGpu}));
  }
}

TEST(ClassesTest, AFailedWayDoesNotHideTheOther) {
  const std::vector<CensusRow> rows = {
      Row(kNicA, kGpu, RegistrationWay::kDmabuf, CensusStatus::kRegistrationFailed),
      Row(kNicA, kGpu, RegistrationWay::kPeerMemory, CensusStatus::kOk, {4, 4, 4}),
  };
  const auto classes = ClassifyIds(rows);
  EXPECT_EQ(classes[0].by_id, (std::map<uint16_t, Places>{{4, {kGpu}}}));
  EXPECT_TRUE(classes[0].unknown.empty());
  EXPECT_TRUE(classes[0].disagreeing.empty());
}

TEST(ClassesTest, WaysThatDisagreeAreSaid) {
  const std::vector<CensusRow> rows = {
      Row(kNicA, kGpu, RegistrationWay::kDmabuf, CensusStatus::kOk, {1, 1, 1}),
      Row(kNicA, kGpu, RegistrationWay::kPeerMemory, CensusStatus::kOk, {1, 2, {}}),
  };
  const auto classes = ClassifyIds(rows);
  EXPECT_TRUE(classes[0].disagreeing.empty());
  EXPECT_EQ(classes[1].by_id, (std::map<uint16_t, Places>{{1, {kGpu}}, {2, {kGpu}}}));
  EXPECT_EQ(classes[1].disagreeing, Places{kGpu});
  EXPECT_EQ(classes[2].by_id, (std::map<uint16_t, Places>{{1, {kGpu}}}));
  EXPECT_EQ(classes[2].disagreeing, Places{kGpu});
  EXPECT_TRUE(classes[2].no_id.empty());
}

}  // namespace
}  // namespace railgauge
