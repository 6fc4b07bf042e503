// Everything that differs from a check is told, and nothing else.
#include "lib/scenario/check/compare.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kGpu0[] = "gpu:0000:53:00.0";
constexpr char kGpu1[] = "gpu:0000:64:00.0";

MemoryPlace Place(std::string_view text) { return MemoryPlace::Parse(text).value(); }
NicKey Nic(std::string_view address, const std::string& name) {
  return {PciAddress::Parse(address).value(), name};
}
const NicKey kNic = Nic("0000:4f:00.0", "rdmap79s0");
const NicKey kSister = Nic("0000:50:00.0", "rdmap80s0");

PlacementRow Row(std::string_view consumer, Verdict verdict, std::vector<NicKey> best = {}) {
  PlacementRow row;
  row.consumer = Place(consumer);
  row.verdict = verdict;
  row.best = std::move(best);
  row.reason = "because of it";
  return row;
}

Finding Found(const std::string& kind, std::optional<NicKey> nic = {}) {
  Finding finding;
  finding.kind = kind;
  finding.nic = std::move(nic);
  finding.places = {MemoryPlace::NumaNode(1), MemoryPlace::NumaNode(0)};
  finding.sentence = "It is odd.";
  finding.evidence = "3 of 4";
  return finding;
}

CensusRow Asked(const NicKey& nic, RegistrationWay way, CensusStatus status, Relation relation) {
  CensusRow row;
  row.nic = nic;
  row.way = way;
  row.status = status;
  row.relation = relation;
  return row;
}

// GPU 0 is WRONG and GPU 1 OK; one NIC has a finding.
Check Expected() {
  Check check;
  check.verdicts = {{Place(kGpu0), Verdict::kWrong, {"rdmap79s0", "0000:50:00.0"}, "of it", 7}};
  check.others = Verdict::kOk;
  check.findings = {{"odd", {"rdmap79s0"}, {Place("numa0"), Place("numa1")}, {}, "3 of 4", 9}};
  check.census.nics = 2;
  check.census.relations = {Relation::kSameSwitch, Relation::kUnknown};
  check.census.status = {{RegistrationWay::kDmabuf, CensusStatus::kOk}};
  check.census.line = 11;
  check.exit_status = 1;
  return check;
}

CheckOutcome Outcome() {
  CheckOutcome outcome;
  outcome.placement = {Row(kGpu0, Verdict::kWrong, {kSister, kNic}), Row(kGpu1, Verdict::kOk)};
  outcome.findings = {Found("odd", kNic)};
  outcome.census = {
      Asked(kNic, RegistrationWay::kDmabuf, CensusStatus::kOk, Relation::kSameSwitch),
      Asked(kSister, RegistrationWay::kPeerMemory, CensusStatus::kNoId, Relation::kUnknown)};
  outcome.exit_status = 1;
  return outcome;
}

std::vector<std::string> Of(const Check& check, const CheckOutcome& outcome) {
  return Differences(check, outcome, "c.yaml");
}

TEST(CompareTest, AsExpected) { EXPECT_THAT(Of(Expected(), Outcome()), IsEmpty()); }

TEST(CompareTest, AnotherVerdict) {
  CheckOutcome outcome = Outcome();
  outcome.placement[0].verdict = Verdict::kOk;
  EXPECT_THAT(Of(Expected(), outcome),
              ElementsAre("c.yaml:7: there is no WRONG of gpu:0000:53:00.0",
                          "c.yaml: not expected: gpu:0000:53:00.0 OK, best rdmap80s0, rdmap79s0: "
                          "because of it"));
  outcome = Outcome();
  outcome.placement[1].verdict = Verdict::kNoisy;
  EXPECT_THAT(
      Of(Expected(), outcome),
      ElementsAre("c.yaml: not expected: gpu:0000:64:00.0 NOISY, best none: because of it"));
}

TEST(CompareTest, OtherNicsAndAnotherReason) {
  CheckOutcome outcome = Outcome();
  outcome.placement[0].best = {kNic};
  outcome.placement[0].reason = "it is so";
  EXPECT_THAT(Of(Expected(), outcome), ElementsAre("c.yaml:7: the best NICs are rdmap79s0",
                                                   "c.yaml:7: the reason is: it is so"));
}

TEST(CompareTest, ARowMoreOrNone) {
  CheckOutcome outcome = Outcome();
  outcome.placement.push_back(Row(kGpu0, Verdict::kIdle, {kNic}));
  EXPECT_THAT(Of(Expected(), outcome),
              ElementsAre("c.yaml: not expected: gpu:0000:53:00.0 IDLE, best rdmap79s0: because of "
                          "it"));
  outcome.placement.clear();
  EXPECT_THAT(Of(Expected(), outcome),
              ElementsAre("c.yaml: there is no verdict at all",
                          "c.yaml:7: there is no WRONG of gpu:0000:53:00.0"));
}

TEST(CompareTest, Findings) {
  CheckOutcome outcome = Outcome();
  outcome.findings[0].nic = kSister;
  EXPECT_THAT(Of(Expected(), outcome),
              ElementsAre("c.yaml:9: there is no finding odd of rdmap79s0",
                          "c.yaml: not expected: odd of rdmap80s0 at [numa1, numa0]: It is odd. (3 "
                          "of 4)"));
  outcome = Outcome();
  outcome.findings.push_back(outcome.findings[0]);
  EXPECT_EQ(Of(Expected(), outcome).size(), 1u) << "one was expected, and two are there";
  outcome = Outcome();
  outcome.findings[0].places.pop_back();
  EXPECT_EQ(Of(Expected(), outcome).size(), 2u);
  outcome = Outcome();
  outcome.findings[0].evidence = "2 of 4";
  EXPECT_EQ(Of(Expected(), outcome).size(), 2u);
  Check of_the_machine = Expected();
  of_the_machine.findings[0].nics.clear();
  outcome = Outcome();
  EXPECT_EQ(Of(of_the_machine, outcome).size(), 2u);
  outcome.findings[0].nic.reset();
  EXPECT_THAT(Of(of_the_machine, outcome), IsEmpty());
}

TEST(CompareTest, Census) {
  CheckOutcome outcome = Outcome();
  outcome.census[0].relation = Relation::kUnknown;
  outcome.census[0].status = CensusStatus::kRegistrationFailed;
  outcome.census[0].nic = kSister;
  const auto differences = Of(Expected(), outcome);
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[1], "c.yaml:11: the census has 1 NICs");
  EXPECT_EQ(differences[2], "c.yaml:11: the census has the relations unknown");
}

TEST(CompareTest, ExitStatus) {
  CheckOutcome outcome = Outcome();
  outcome.exit_status = 0;
  EXPECT_THAT(Of(Expected(), outcome), ElementsAre("c.yaml: the exit status is 0 and not 1"));
}

TEST(CompareTest, Groups) {
  Check check;
  check.run.command = CheckRun::Command::kLoad;
  check.groups = {{"switch:0000:44:00.0", Sharing::kSlowed, "its uplink", 5},
                  {"numa0", Sharing::kIndependent, "", 6}};
  CheckOutcome outcome;
  GroupRow row;
  row.load = "switch:0000:44:00.0";
  row.sharing = Sharing::kSlowed;
  row.resource = "its uplink";
  row.direction = Direction::kToMemory;
  outcome.groups = {row};
  EXPECT_THAT(Of(check, outcome), ElementsAre("c.yaml:6: there is no group numa0"));
  row.load = "numa0";
  outcome.groups.push_back(row);
  EXPECT_THAT(Of(check, outcome),
              ElementsAre("c.yaml:6: numa0 read to_memory: slowed by 'its uplink' ()"));
  outcome.groups[1].sharing = Sharing::kIndependent;
  outcome.groups[1].resource.clear();
  EXPECT_THAT(Of(check, outcome), IsEmpty());
  row.load = "all";
  outcome.groups.push_back(row);
  EXPECT_EQ(Of(check, outcome).size(), 1u);
}

}  // namespace
}  // namespace railgauge
