#include "lib/placement/id_partitions.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "lib/placement/id_world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

using Strings = std::vector<std::string>;

std::vector<Finding> Find(const Machine& machine, const IdRule& rule) {
  return FindIdPartitions(machine, GatherIds(CensusByRule(machine, rule)));
}

// Of the GPUs of the other NUMA node: one read id each, a number per switch, and the like.
IdRule WithReadIds(uint16_t (*id_of)(const CensusRow&)) {
  return [id_of](const CensusRow& row) {
    InterconnectIds ids = ByRelation(row);
    if (row.place.is_gpu()) ids.rdma_read = id_of(row);
    return ids;
  };
}

TEST(IdPartitionsTest, WhatTheTopologyExplainsIsNoFinding) {
  const Machine machine = MakeP5();
  EXPECT_TRUE(FindIdPartitions(machine, {}).empty());
  EXPECT_TRUE(Find(machine, ByRelation).empty());
  EXPECT_TRUE(Find(machine, [](const CensusRow&) { return InterconnectIds{}; }).empty());
  // Each GPU its own.
  EXPECT_TRUE(
      Find(machine, WithReadIds([](const CensusRow& row) -> uint16_t { return row.place.gpu.bus; }))
          .empty());
  // p4d has two GPUs to a host bridge: an id for those of each.
  EXPECT_TRUE(Find(MakeP4d(),
                   WithReadIds([](const CensusRow& row) -> uint16_t { return row.place.gpu.bus; }))
                  .empty());
}

TEST(IdPartitionsTest, OneRelationWithTwoIdsAtEveryNic) {
  const Machine machine = MakeP5();
  const std::vector<Finding> findings =
      Find(machine, WithReadIds([](const CensusRow& row) -> uint16_t {
             const bool last = row.place.gpu.bus == 0xca || row.place.gpu.bus == 0x86;
             return last && row.relation == Relation::kOtherNumaNode
                        ? uint16_t{77}
                        : static_cast<uint16_t>(row.relation);
           }));
  EXPECT_EQ(Heads(findings), Strings{"relation_with_two_ids - rdma_read"});
  EXPECT_EQ(findings[0].severity, Severity::kNote);
  EXPECT_EQ(findings[0].places.size(), 8u);
  EXPECT_NE(findings[0].sentence.find("and 28 more"), std::string::npos) << findings[0].sentence;
  EXPECT_EQ(findings[0].evidence,
            "0000:4f:00.0 (rdmap79s0): other_numa_node GPUs by dmabuf: gpu:0000:97:00.0 3, "
            "gpu:0000:a8:00.0 3, gpu:0000:b9:00.0 3, gpu:0000:ca:00.0 77");
}

TEST(IdPartitionsTest, SomeHaveNone) {
  // A machine with one NIC, which has no siblings.
  const std::vector<Finding> findings = Find(MakeG6(), [](const CensusRow& row) {
    InterconnectIds ids = ByRelation(row);
    if (row.place == MakeG6().Places().back()) ids.recv.reset();
    return ids;
  });
  EXPECT_EQ(Heads(findings), Strings{"relation_with_two_ids " +
                                     MakeG6().nics[0].position.address.ToString() + " recv"});
}

TEST(IdPartitionsTest, WaysThatDisagreeAtSomePlaces) {
  const std::vector<Finding> findings = Find(MakeP5(), [](const CensusRow& row) {
    InterconnectIds ids = ByRelation(row);
    // Each GPU has its own read id, and one has another by peer memory.
    if (row.place.is_gpu()) ids.rdma_read = row.place.gpu.bus;
    if (row.place.gpu.bus == 0xca && row.way == RegistrationWay::kPeerMemory) ids.rdma_read = 7;
    return ids;
  });
  EXPECT_EQ(Heads(findings), Strings{"ways_disagree - rdma_read"});
  EXPECT_EQ(findings[0].places, std::vector{MemoryPlace::Gpu(Pci("0000:ca:00.0"))});
}

TEST(IdPartitionsTest, FieldsThatDivideCrosswise) {
  // Read pairs two GPUs that write tells apart, and the other way about.
  const std::vector<Finding> findings = Find(MakeP4d(), [](const CensusRow& row) {
    InterconnectIds ids = ByRelation(row);
    if (!row.place.is_gpu()) return ids;
    ids.rdma_read = row.place.gpu.bus;
    ids.rdma_recv = static_cast<uint16_t>(row.place.gpu.device + 200);
    return ids;
  });
  const Strings heads = Heads(findings);
  EXPECT_NE(std::find(heads.begin(), heads.end(), "fields_disagree - -"), heads.end());
  // Two places suffice for one half, and a field that only tells more apart is none.
  EXPECT_TRUE(Find(MakeP4d(), [](const CensusRow& row) {
                InterconnectIds ids = ByRelation(row);
                ids.rdma_read = 1;
                ids.recv.reset();
                return ids;
              }).empty());
}

TEST(IdPartitionsTest, ANicUnlikeItsSiblingsIsTheirFinding) {
  const Machine machine = MakeP5();
  std::vector<CensusRow> census = CensusByRule(machine, ByRelation);
  for (CensusRow* row : RowsOf(census, "0000:4f:00.0", "gpu:0000:64:00.0")) row->ids.rdma_read = 99;
  EXPECT_TRUE(FindIdPartitions(machine, GatherIds(census)).empty());
}

}  // namespace
}  // namespace railgauge
