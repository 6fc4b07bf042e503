#include "bench/preferred_way.h"

#include <vector>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

const PciAddress kNic = *PciAddress::Parse("0000:4f:00.0");
const PciAddress kOtherNic = *PciAddress::Parse("0000:50:00.0");
const MemoryPlace kGpu = MemoryPlace::Gpu(*PciAddress::Parse("0000:53:00.0"));

CensusRow Row(const PciAddress& nic, RegistrationWay way, CensusStatus status) {
  CensusRow row;
  row.nic.address = nic;
  row.place = kGpu;
  row.way = way;
  row.status = status;
  return row;
}

TEST(PreferredWayTest, TheFirstThatWorks) {
  const std::vector<CensusRow> both = {
      Row(kNic, RegistrationWay::kDmabuf, CensusStatus::kOk),
      Row(kNic, RegistrationWay::kPeerMemory, CensusStatus::kOk),
  };
  EXPECT_EQ(PreferredWay(both, kNic, kGpu), RegistrationWay::kDmabuf);
  for (const CensusStatus works :
       {CensusStatus::kOk, CensusStatus::kNoId, CensusStatus::kCannotTell}) {
    const std::vector<CensusRow> second = {
        Row(kNic, RegistrationWay::kDmabuf, CensusStatus::kRegistrationFailed),
        Row(kNic, RegistrationWay::kPeerMemory, works),
        Row(kOtherNic, RegistrationWay::kDmabuf, CensusStatus::kOk),
    };
    EXPECT_EQ(PreferredWay(second, kNic, kGpu), RegistrationWay::kPeerMemory);
    EXPECT_EQ(PreferredWay(second, kOtherNic, kGpu), RegistrationWay::kDmabuf);
  }
}

TEST(PreferredWayTest, WhereNoneWorksTheOneToPrefer) {
  const std::vector<CensusRow> none = {
      Row(kNic, RegistrationWay::kDmabuf, CensusStatus::kRegistrationFailed),
      Row(kNic, RegistrationWay::kPeerMemory, CensusStatus::kSkipped),
  };
  EXPECT_EQ(PreferredWay(none, kNic, kGpu), RegistrationWay::kDmabuf);
  EXPECT_EQ(PreferredWay({}, kNic, MemoryPlace::NumaNode(0)), RegistrationWay::kHost);
}

}  // namespace
}  // namespace railgauge
