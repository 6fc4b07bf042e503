#include "lib/placement/id_siblings.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "lib/placement/id_world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr char kNic[] = "0000:4f:00.0";
constexpr char kOwnGpu[] = "gpu:0000:53:00.0";
constexpr char kNodeGpu[] = "gpu:0000:64:00.0";  // of the same NUMA node

using Strings = std::vector<std::string>;

std::vector<Finding> Find(const Machine& machine, const std::vector<CensusRow>& census) {
  return FindIdsUnlikeSiblings(machine, GatherIds(census));
}

Strings HeadsOf(const Machine& machine, const std::vector<CensusRow>& census) {
  return Heads(Find(machine, census));
}

TEST(IdSiblingsTest, WhatAllShowIsNoFinding) {
  const Machine machine = MakeP5();
  EXPECT_EQ(HeadsOf(machine, {}), Strings{});
  EXPECT_EQ(HeadsOf(machine, CensusByRule(machine, ByRelation)), Strings{});
  // One id for everything, none for anything, no two alike, and ways or fields that differ.
  const IdRule kRules[] = {
      [](const CensusRow&) {
        return InterconnectIds{0, 0, 0};
      },
      [](const CensusRow&) { return InterconnectIds{}; },
      [](const CensusRow& row) {
        const auto id = static_cast<uint16_t>(row.place.is_gpu() ? row.place.gpu.bus : 1);
        return InterconnectIds{{}, id, static_cast<uint16_t>(id + 1)};
      },
      [](const CensusRow& row) {
        InterconnectIds ids = ByRelation(row);
        if (row.way == RegistrationWay::kPeerMemory) ids.rdma_read = {};
        ids.recv = row.place.is_gpu() ? 1 : 2;
        return ids;
      },
  };
  for (const IdRule& rule : kRules)
    EXPECT_EQ(HeadsOf(machine, CensusByRule(machine, rule)), Strings{});
}

// The ids of two devices have nothing to do with each other.
TEST(IdSiblingsTest, OnlyThePatternCounts) {
  const Machine machine = MakeP5();
  const auto numbered_by_device = [](const CensusRow& row) {
    InterconnectIds ids = ByRelation(row);
    // Each device has the ids in another order.
    *ids.recv = static_cast<uint16_t>(*ids.recv ^ (row.nic.address.bus & 15u));
    *ids.rdma_read = static_cast<uint16_t>(200u - *ids.rdma_read - (row.nic.address.bus & 15u));
    return ids;
  };
  EXPECT_EQ(HeadsOf(machine, CensusByRule(machine, numbered_by_device)), Strings{});
}

TEST(IdSiblingsTest, ANicThatTellsNothingApart) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic)) row->ids = {7, 7, 7};
  const std::vector<Finding> findings = Find(machine, census);
  EXPECT_EQ(Heads(findings), Strings{"ids_joined_unlike_siblings 0000:4f:00.0 -"});
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[0].places.size(), 10u);
  EXPECT_NE(findings[0].sentence.find("recv, rdma_read, rdma_recv"), std::string::npos);
  EXPECT_NE(findings[0].evidence.find("31 of 31 siblings tell them apart"), std::string::npos)
      << findings[0].evidence;
}

TEST(IdSiblingsTest, OneRelationWithTwoIds) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic, kNodeGpu)) row->ids.rdma_read = 99;
  const std::vector<Finding> findings = Find(machine, census);
  EXPECT_EQ(Heads(findings), Strings{"ids_split_unlike_siblings 0000:4f:00.0 rdma_read"});
  EXPECT_EQ(findings[0].places.size(), 3u) << "all of the relation";
  EXPECT_EQ(findings[0].evidence,
            "rdma_read: same_numa_node GPUs by dmabuf: 99, 2, 2, same_numa_node GPUs by "
            "peer_memory: 99, 2, 2; 31 of 31 siblings name one id for all");
}

TEST(IdSiblingsTest, TwoRelationsWithOneId) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic, kOwnGpu)) row->ids.rdma_recv = 2;
  EXPECT_EQ(HeadsOf(machine, census), Strings{"ids_joined_unlike_siblings 0000:4f:00.0 rdma_recv"});
}

TEST(IdSiblingsTest, AFieldThatOnlyOneNicHasOrLacks) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic)) row->ids.rdma_recv.reset();
  std::vector<Finding> findings = Find(machine, census);
  EXPECT_EQ(Heads(findings), Strings{"ids_told_unlike_siblings 0000:4f:00.0 rdma_recv"});
  EXPECT_EQ(findings[0].severity, Severity::kNote);
  EXPECT_NE(findings[0].sentence.find("names no interconnect id (rdma_recv)"), std::string::npos);

  census = CensusByRule(machine, [](const CensusRow&) { return InterconnectIds{1, 2, {}}; });
  for (CensusRow* row : RowsOf(census, kNic)) row->ids.rdma_recv = 0;
  findings = Find(machine, census);
  EXPECT_EQ(Heads(findings), Strings{"ids_told_unlike_siblings 0000:4f:00.0 rdma_recv"});
  EXPECT_NE(findings[0].sentence.find("where its siblings name none"), std::string::npos);
}

TEST(IdSiblingsTest, WaysThatDisagreeAtOneNic) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic)) {
    if (row->way == RegistrationWay::kPeerMemory) {
      row->ids.rdma_read = static_cast<uint16_t>(*row->ids.rdma_read + 50);
    }
  }
  EXPECT_EQ(HeadsOf(machine, census), Strings{"ways_disagree 0000:4f:00.0 rdma_read"});
}

TEST(IdSiblingsTest, CannotTellIsANoteOnlyWhereOthersCan) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic)) {
    row->status = CensusStatus::kCannotTell;
    row->ids = {};
  }
  const std::vector<Finding> findings = Find(machine, census);
  EXPECT_EQ(Heads(findings), Strings{"nic_cannot_tell 0000:4f:00.0 -"});
  EXPECT_EQ(findings[0].evidence, "31 of 32 NICs can tell");
  for (CensusRow& row : census) row.status = CensusStatus::kCannotTell;
  EXPECT_EQ(HeadsOf(machine, census), Strings{});
}

TEST(IdSiblingsTest, WhatWasNotRegisteredSaysNothing) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic)) {
    if (row->way != RegistrationWay::kPeerMemory) continue;
    row->status = CensusStatus::kRegistrationFailed;
    row->ids = {};
  }
  EXPECT_EQ(HeadsOf(machine, census), Strings{});
}

TEST(IdSiblingsTest, OfTooFewNobodyIsUnusual) {
  Machine machine = MakeP4d();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  const std::string last = machine.nics.back().position.address.ToString();
  for (CensusRow* row : RowsOf(census, last)) row->ids.recv.reset();
  EXPECT_EQ(HeadsOf(machine, census), Strings{"ids_told_unlike_siblings " + last + " recv"})
      << "one of four";
  const std::string third = machine.nics[2].position.address.ToString();
  for (CensusRow* row : RowsOf(census, third)) row->ids.recv.reset();
  const std::vector<Finding> findings = Find(machine, census);
  EXPECT_EQ(Heads(findings), Strings{"siblings_disagree - -"}) << "two of four";
  EXPECT_NE(findings[0].evidence.find("name none"), std::string::npos) << findings[0].evidence;
  EXPECT_NE(findings[0].evidence.find("name one for each"), std::string::npos);
  // A NIC without siblings is like itself.
  const Machine lone = MakeG6();
  census = CensusByRule(lone, ByRelation);
  census.front().ids = {};
  EXPECT_EQ(HeadsOf(lone, census), Strings{});
}

TEST(IdSiblingsTest, TheOrderOfRowsDoesNotMatter) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, kNic, kNodeGpu)) row->ids = {99, {}, 4};
  const std::vector<Finding> findings = Find(machine, census);
  EXPECT_EQ(findings.size(), 2u);
  std::reverse(census.begin(), census.end());
  EXPECT_EQ(Find(machine, census), findings);
}

}  // namespace
}  // namespace railgauge
