#include "lib/record/place.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

TEST(MemoryPlaceTest, RoundTrips) {
  for (const char* text : {"numa0", "numa33", "gpu:0000:53:00.0", "accelerator:0000:10:1c.0"}) {
    const auto place = MemoryPlace::Parse(text);
    ASSERT_TRUE(place) << text;
    EXPECT_EQ(place->ToString(), text);
  }
}

TEST(MemoryPlaceTest, RefusesOtherSpellings) {
  for (const char* text :
       {"", "numa", "numa-1", "numa00", "numa 0", "NUMA0", "gpu0", "gpu:53:00.0",
        "gpu:", "numa4294967296", "accelerator:", "accelerator:10:1c.0", "accelerator0"}) {
    EXPECT_FALSE(MemoryPlace::Parse(text)) << text;
  }
}

TEST(MemoryPlaceTest, AnAcceleratorIsNeitherHostNorGpu) {
  const PciAddress address{0, 0x10, 0x1c, 0};
  const MemoryPlace place = MemoryPlace::Accelerator(address);
  EXPECT_FALSE(place.is_host());
  EXPECT_FALSE(place.is_gpu());
  EXPECT_NE(place, MemoryPlace::Gpu(address));
  EXPECT_TRUE(MemoryPlace::NumaNode(0).is_host());
}

TEST(PlaceTest, EverySpellingParsesBack) {
  for (auto way : {RegistrationWay::kHost, RegistrationWay::kDmabuf, RegistrationWay::kPeerMemory})
    EXPECT_EQ(ParseRegistrationWay(ToString(way)), way);
  for (auto operation : {Operation::kRead, Operation::kWrite})
    EXPECT_EQ(ParseOperation(ToString(operation)), operation);
  for (auto direction : {Direction::kToMemory, Direction::kFromMemory})
    EXPECT_EQ(ParseDirection(ToString(direction)), direction);
  for (auto field : {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv})
    EXPECT_EQ(ParseIcField(ToString(field)), field);
  for (auto relation : {Relation::kSameSwitch, Relation::kSameHostBridge, Relation::kSameNumaNode,
                        Relation::kOtherNumaNode, Relation::kUnknown})
    EXPECT_EQ(ParseRelation(ToString(relation)), relation);
}

TEST(PlaceTest, OnlyTransfersToMemoryAreAttributed) {
  EXPECT_EQ(AttributingField(Operation::kRead, Direction::kToMemory), IcField::kRdmaRead);
  EXPECT_EQ(AttributingField(Operation::kWrite, Direction::kToMemory), IcField::kRdmaRecv);
  EXPECT_EQ(AttributingField(Operation::kRead, Direction::kFromMemory), std::nullopt);
  EXPECT_EQ(AttributingField(Operation::kWrite, Direction::kFromMemory), std::nullopt);
}

}  // namespace
}  // namespace railgauge
