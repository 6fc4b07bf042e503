#include "lib/placement/id_contradictions.h"

#include "gtest/gtest.h"
#include "lib/placement/all_findings.h"

namespace railgauge {
namespace {

const NicKey kNic = {{0, 0x4f, 0, 0}, "rdmap79s0"};
const NicKey kOther = {{0, 0x50, 0, 0}, "rdmap80s0"};
const MemoryPlace kNode = MemoryPlace::NumaNode(0);
const MemoryPlace kGpu = MemoryPlace::Gpu({0, 0x53, 0, 0});

CensusRow Row(const NicKey& nic, const MemoryPlace& place, InterconnectIds ids,
              CensusStatus status = CensusStatus::kOk) {
  CensusRow row;
  row.nic = nic;
  row.place = place;
  row.way = place.is_gpu() ? RegistrationWay::kDmabuf : RegistrationWay::kHost;
  row.status = status;
  row.ids = ids;
  return row;
}

std::vector<Finding> Find(const std::vector<CensusRow>& census) {
  return FindIdContradictions(GatherIds(census));
}

TEST(IdContradictionsTest, WhatIsNormalIsNoFinding) {
  EXPECT_TRUE(Find({}).empty());
  const std::vector<CensusRow> census = {
      Row(kNic, kNode, {0, 255, {}}),
      Row(kNic, kGpu, {}, CensusStatus::kNoId),
      Row(kOther, kNode, {}, CensusStatus::kCannotTell),
      Row(kOther, kGpu, {}, CensusStatus::kRegistrationFailed),
      Row(kOther, kGpu, {}, CensusStatus::kSkipped),
  };
  EXPECT_TRUE(Find(census).empty());
}

TEST(IdContradictionsTest, AnIdAboveTheFormat) {
  const std::vector<Finding> findings =
      Find(std::vector{Row(kOther, kNode, {1, 2, 3}), Row(kNic, kGpu, {1, 65535, 256}),
                       Row(kNic, kNode, {1, 2, 3})});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "id_above_format");
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_EQ(findings[0].nic, kNic);
  EXPECT_EQ(findings[0].places, std::vector{kGpu});
  EXPECT_EQ(findings[0].evidence,
            "gpu:0000:53:00.0 by dmabuf: rdma_read 65535; gpu:0000:53:00.0 by dmabuf: rdma_recv "
            "256");
}

TEST(IdContradictionsTest, TwoAnswersOfOneRegistration) {
  const std::vector<CensusRow> same = {Row(kNic, kGpu, {1, 2, 3}), Row(kNic, kGpu, {1, 2, 3})};
  EXPECT_TRUE(Find(same).empty()) << "twice the same is once";
  std::vector<CensusRow> census = {Row(kNic, kGpu, {1, 2, 3}), Row(kNic, kGpu, {1, {}, 3})};
  const std::vector<Finding> findings = Find(census);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "census_contradicts_itself");
  EXPECT_EQ(findings[0].evidence,
            "gpu:0000:53:00.0 by dmabuf: recv 1, rdma_read none, rdma_recv 3 / recv 1, rdma_read "
            "2, rdma_recv 3");
  std::swap(census[0], census[1]);
  EXPECT_EQ(Find(census), findings);
}

TEST(AllFindingsTest, TheWorstFirst) {
  const std::vector<CensusRow> census = {Row(kNic, kGpu, {1, 2, 3}), Row(kNic, kGpu, {1, 4, 3}),
                                         Row(kOther, kGpu, {1, 300, 3}),
                                         Row(kNic, kNode, {1, 300, 3})};
  const std::vector<Finding> findings = AllFindings({}, census, {}, nullptr);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].kind, "census_contradicts_itself");
  EXPECT_EQ(findings[1].nic, kNic);
  EXPECT_EQ(findings[2].nic, kOther);
}

}  // namespace
}  // namespace railgauge
