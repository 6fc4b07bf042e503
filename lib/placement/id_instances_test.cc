// The id findings on every instance type of scenarios/: none on the machines as they are, and on
// those with a fault of their ids the ones that stand here.
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/all_findings.h"
#include "lib/placement/id_world_testutil.h"
#include "lib/scenario/load.h"
#include "lib/scenario/seen_machine_testutil.h"

namespace railgauge {
namespace {

// The census that the machine's devices would answer, without registering anything.
std::vector<CensusRow> CensusOf(const EmulatedMachine& emulated, const Machine& machine) {
  std::vector<CensusRow> census = CensusByRule(machine, [&](const CensusRow& row) {
    return emulated.IdsOf(row.nic.address, row.place, row.way);
  });
  for (CensusRow& row : census) {
    const bool registers =
        row.way != RegistrationWay::kPeerMemory || emulated.p2p_provider != "none";
    const bool tells = emulated.FindNic(row.nic.address)->model.can_query_mr;
    if (registers && tells) continue;
    row.status = registers ? CensusStatus::kCannotTell : CensusStatus::kRegistrationFailed;
    row.ids = {};
  }
  return census;
}

// Of the ids alone: what the machine itself shows is another family's.
bool OfIds(const Finding& finding) {
  const std::set<std::string> kinds = {"nic_cannot_tell",       "siblings_disagree",
                                       "ways_disagree",         "fields_disagree",
                                       "relation_with_two_ids", "census_contradicts_itself"};
  return kinds.contains(finding.kind) || finding.kind.starts_with("id_") ||
         finding.kind.starts_with("ids_");
}

// "kind nic field", '-' for none; ',' between.
std::string FindingsOf(const Machine& seen, const std::vector<CensusRow>& census) {
  EXPECT_FALSE(census.empty());
  std::string text;
  for (const Finding& finding : AllFindings(seen, census, {}, nullptr)) {
    if (!OfIds(finding)) continue;
    text += (text.empty() ? "" : ", ") + finding.kind + " " +
            (finding.nic ? finding.nic->name : "-") + " " +
            (finding.field ? std::string(ToString(*finding.field)) : "-");
  }
  return text;
}

std::string FindingsOf(const EmulatedMachine& emulated, const Machine& seen) {
  return FindingsOf(seen, CensusOf(emulated, seen));
}

std::string FindingsOf(const std::string& spec) {
  const SeenMachine& machine = SeeMachine(spec);
  return FindingsOf(machine.emulated, machine.seen);
}

// A fault that changes nothing of what topology is read from.
std::string FindingsOfIdFault(const std::string& type, const std::string& fault) {
  const auto emulated = LoadSpec(type + "," + fault, "scenarios");
  EXPECT_TRUE(emulated) << emulated.error().ToString();
  return emulated ? FindingsOf(*emulated, SeeMachine(type).seen) : "";
}

constexpr const char* kTypes[] = {
    "c5n.18xlarge",       "g5.48xlarge",   "g6.48xlarge",    "p3dn.24xlarge",    "p4d.24xlarge",
    "p4de.24xlarge",      "p5.48xlarge",   "p5en.48xlarge",  "p6-b200.48xlarge", "p6-b300.48xlarge",
    "p6e-gb200.36xlarge", "trn1.32xlarge", "trn1n.32xlarge", "trn2.48xlarge"};

class HealthyTest : public testing::TestWithParam<const char*> {};

TEST_P(HealthyTest, HasNoFinding) { EXPECT_EQ(FindingsOf(GetParam()), ""); }

// All NICs alike: a stack without the query, devices without ids, a field that none has.
TEST_P(HealthyTest, WhatAllNicsShareIsNoFinding) {
  const std::string type = GetParam();
  for (const char* fault : {"ids-none", "ids-unsupported", "ids-partial=recv",
                            "ids-partial=rdma_read", "ids-partial=rdma_recv"}) {
    EXPECT_EQ(FindingsOfIdFault(type, fault), "") << fault;
  }
}

// A NIC that was not asked about its own GPU is no sibling of those that have none.
TEST_P(HealthyTest, WhicheverPlacesAreAskedThereIsNone) {
  const SeenMachine& machine = SeeMachine(GetParam());
  const std::vector<CensusRow> whole = CensusOf(machine.emulated, machine.seen);
  for (const MemoryPlace& place : machine.seen.Places()) {
    std::vector<CensusRow> without = whole, only = whole;
    std::erase_if(without, [&](const CensusRow& row) { return row.place == place; });
    std::erase_if(only, [&](const CensusRow& row) { return row.place != place; });
    if (!without.empty()) {
      EXPECT_EQ(FindingsOf(machine.seen, without), "") << "without " << place.ToString();
    }
    EXPECT_EQ(FindingsOf(machine.seen, only), "") << "only " << place.ToString();
  }
}

TEST(HealthyIdsTest, NeitherNamesNorOrderNorWhatIsNotShown) {
  for (const char* spec :
       {"p5.48xlarge,numa-unknown", "p5.48xlarge,reversed-enumeration", "p5.48xlarge,renamed-nics",
        "p5.48xlarge,missing-gpu:gpu3", "p5.48xlarge,missing-nic:rdmap79s0",
        "p4d.24xlarge,flat-tree", "p4d.24xlarge,visible-gpus=3+2+1+0"}) {
    EXPECT_EQ(FindingsOf(spec), "") << spec;
  }
}

INSTANTIATE_TEST_SUITE_P(InstanceTypes, HealthyTest, testing::ValuesIn(kTypes),
                         [](const auto& one) { return TestNameOf(one.param); });

struct Faulty {
  const char* type;
  const char* fault;
  const char* findings;
};
void PrintTo(const Faulty& row, std::ostream* out) { *out << row.type << "," << row.fault; }

class FaultyTest : public testing::TestWithParam<Faulty> {};

TEST_P(FaultyTest, HasThese) {
  EXPECT_EQ(FindingsOfIdFault(GetParam().type, GetParam().fault), GetParam().findings);
}

constexpr Faulty kFaulty[] = {
    // What one NIC cannot or does not tell is a note.
    {"p5.48xlarge", "ids-unsupported:rdmap79s0", "nic_cannot_tell rdmap79s0 -"},
    {"p4d.24xlarge", "ids-unsupported:rdmap16s27", "nic_cannot_tell rdmap16s27 -"},
    {"trn2.48xlarge", "ids-unsupported:rdmap201s0", "nic_cannot_tell rdmap201s0 -"},
    {"p5.48xlarge", "ids-none:rdmap79s0", "ids_told_unlike_siblings rdmap79s0 -"},
    {"p6-b200.48xlarge", "ids-none:rdmap113s0", "ids_told_unlike_siblings rdmap113s0 -"},
    {"trn1n.32xlarge", "ids-none:rdmap160s23", "ids_told_unlike_siblings rdmap160s23 rdma_read"},
    {"p5.48xlarge", "ids-partial:rdmap79s0=rdma_recv",
     "ids_told_unlike_siblings rdmap79s0 rdma_recv"},
    {"p5en.48xlarge", "ids-partial:rdmap138s0=rdma_read",
     "ids_told_unlike_siblings rdmap138s0 rdma_read"},
    // Its siblings have no such id either.
    {"p4d.24xlarge", "ids-partial:rdmap16s27=rdma_recv", ""},
    {"p6-b200.48xlarge", "ids-partial:rdmap113s0=recv", ""},
    // One id for everything, where siblings tell places apart and, in some field, name none.
    {"p5.48xlarge", "ids-one:rdmap79s0",
     "ids_joined_unlike_siblings rdmap79s0 -, ids_told_unlike_siblings rdmap79s0 recv"},
    {"p4d.24xlarge", "ids-one:rdmap16s27",
     "ids_joined_unlike_siblings rdmap16s27 -, ids_told_unlike_siblings rdmap16s27 -"},
    {"p6-b200.48xlarge", "ids-one:rdmap113s0",
     "ids_joined_unlike_siblings rdmap113s0 -, ids_told_unlike_siblings rdmap113s0 recv"},
    // All of this type have one id for everything.
    {"trn1.32xlarge", "ids-one:rdmap16s26", ""},
    // A NIC without siblings is like itself.
    {"g6.48xlarge", "ids-one:rdmap150s0", ""},
    {"c5n.18xlarge", "ids-none", ""},
};

INSTANTIATE_TEST_SUITE_P(Faults, FaultyTest, testing::ValuesIn(kFaulty), [](const auto& one) {
  return TestNameOf(std::string(one.param.type) + " " + one.param.fault);
});

}  // namespace
}  // namespace railgauge
