// What a check file says, and every way in which it can be wrong.
#include "lib/scenario/check/check.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace railgauge {
namespace {

using testing::ElementsAre;

constexpr char kCheck[] = R"(schema: 1
check: other-socket
stands_for: NIC of another socket
says: it is slow
machine: p5.48xlarge/16
faults: ["slow-nic:rdmap79s0=0.5", reversed-enumeration]
run: {command: check, nics: [rdmap79s0, rdmap80s0], places: gpu0, time_budget: 5s}
placement:
  - {consumer: gpu0, nics: [rdmap79s0, rdmap80s0]}
verdicts:
  - {consumer: "gpu:0000:53:00.0", verdict: WRONG, best: [rdmap81s0], reason: idle}
others: OK
findings:
  - {kind: slow_something, nics: [rdmap79s0], places: numa0, field: recv, text: slow}
census: {nics: 2, relations: [same_switch], status: {peer_memory: registration_failed}}
exit_status: 1
)";

constexpr char kLoad[] = R"(schema: 1
check: shared
stands_for: an uplink
says: it is shared
machine: p5.48xlarge
run: {command: load, groups: switch, sizes: 256KiB, time_budget: 20s}
groups:
  - {load: "switch:0000:44:00.0", sharing: slowed, resource: its uplink}
findings: none
exit_status: 0
)";

std::string ErrorWith(const std::string& from, const std::string& to, std::string yaml = kCheck) {
  const size_t at = yaml.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  yaml.replace(at, from.size(), to);
  const auto check = ParseCheck(yaml, "c.yaml");
  if (check) return "it loads";
  const std::string line = check.error().ToString();
  const std::string prefix = "read scenario c.yaml:";
  return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
}

TEST(CheckTest, IsRead) {
  const auto check = ParseCheck(kCheck, "c.yaml");
  ASSERT_TRUE(check) << check.error().ToString();
  EXPECT_EQ(check->Spec(), "p5.48xlarge/16,slow-nic:rdmap79s0=0.5,reversed-enumeration");
  EXPECT_EQ(check->DecisionCsv(), "consumer,nic\ngpu0,rdmap79s0\ngpu0,rdmap80s0\n");
  ASSERT_EQ(check->verdicts.size(), 1u);
  EXPECT_EQ(check->verdicts[0].consumer, *MemoryPlace::Parse("gpu:0000:53:00.0"));
  EXPECT_EQ(check->verdicts[0].verdict, Verdict::kWrong);
  EXPECT_THAT(check->verdicts[0].best, ElementsAre("rdmap81s0"));
  EXPECT_EQ(check->verdicts[0].line, 11);
  EXPECT_EQ(check->others, Verdict::kOk);
  ASSERT_EQ(check->findings.size(), 1u);
  EXPECT_EQ(check->findings[0].kind, "slow_something");
  EXPECT_THAT(check->findings[0].places, ElementsAre(MemoryPlace::NumaNode(0)));
  EXPECT_EQ(check->findings[0].field, IcField::kRecv);
  EXPECT_EQ(check->census.nics, 2u);
  EXPECT_THAT(check->census.relations, ElementsAre(Relation::kSameSwitch));
  EXPECT_EQ(check->census.status.at(RegistrationWay::kPeerMemory),
            CensusStatus::kRegistrationFailed);
  EXPECT_EQ(check->exit_status, 1);
}

TEST(CheckTest, IsRunByARailgaugeCommand) {
  EXPECT_THAT(
      RunArguments(*ParseCheck(kCheck, "c.yaml"), "d.csv", "run"),
      ElementsAre("check", "--emulate=p5.48xlarge/16,slow-nic:rdmap79s0=0.5,reversed-enumeration",
                  "--time-budget=5s", "--output=run", "--placement=d.csv",
                  "--nics=rdmap79s0,rdmap80s0", "--places=gpu0"));
  const auto load = ParseCheck(kLoad, "c.yaml");
  ASSERT_TRUE(load) << load.error().ToString();
  EXPECT_THAT(RunArguments(*load, "", "run"),
              ElementsAre("load", "--emulate=p5.48xlarge", "--time-budget=20s", "--output=run",
                          "--groups=switch", "--sizes=256KiB"));
  ASSERT_EQ(load->groups.size(), 1u);
  EXPECT_EQ(load->groups[0].sharing, Sharing::kSlowed);
  EXPECT_EQ(load->groups[0].resource, "its uplink");
}

TEST(CheckTest, ErrorsHaveTheirLine) {
  EXPECT_EQ(ErrorWith("says:", "say:"), "4: unknown key 'say' in the check. Write 'says'.");
  EXPECT_EQ(ErrorWith("says: it is slow\n", ""), "1: the check has no 'says'. Add it.");
  EXPECT_EQ(ErrorWith("schema: 1", "schema: 2"),
            "1: schema is '2'. Write a whole number from 1 to 1.");
  EXPECT_EQ(ErrorWith("machine: p5.48xlarge/16", "machine: [p5]"),
            "5: machine is a list. Write one value.");
  EXPECT_EQ(
      ErrorWith("p5.48xlarge/16", "p5.48xlarge/none"),
      "1: p5.48xlarge/none,slow-nic:rdmap79s0=0.5,reversed-enumeration: 'none' is no divisor. "
      "Write a whole number from 1 to 1000 after '/'.");
  EXPECT_EQ(ErrorWith("command: check", "command: measure"),
            "7: command is 'measure'. Write check or load.");
  EXPECT_EQ(ErrorWith("time_budget: 5s", "time_budget: soon").substr(0, 26),
            "7: time_budget is 'soon': ");
  EXPECT_EQ(ErrorWith("nics: [rdmap79s0, rdmap80s0]}\nverdicts", "nic: rdmap79s0}\nverdicts"),
            "9: unknown key 'nic' in an item of placement. Write 'nics'.");
  EXPECT_EQ(ErrorWith("consumer: \"gpu:0000:53:00.0\"", "consumer: gpu0"),
            "11: consumer is 'gpu0'. Write it like numa0 or gpu:0000:53:00.0.");
  EXPECT_EQ(ErrorWith("verdict: WRONG", "verdict: BAD"),
            "11: verdict is 'BAD'. Write it like OK, WRONG or UNDECIDED.");
  EXPECT_EQ(ErrorWith("others: OK", "others: fine"),
            "12: others is 'fine'. Write it like OK, WRONG or UNDECIDED.");
  EXPECT_EQ(ErrorWith("field: recv", "field: write"),
            "14: field is 'write'. Write it like recv or rdma_read.");
  EXPECT_EQ(ErrorWith("kind: slow_something, ", ""),
            "14: an item of findings has no 'kind'. Add it.");
  EXPECT_EQ(ErrorWith("peer_memory: registration_failed", "peer: ok"),
            "15: unknown key 'peer' in status. Known are host, dmabuf, peer_memory.");
  EXPECT_EQ(ErrorWith("registration_failed", "failed"),
            "15: peer_memory is 'failed'. Write it like ok or registration_failed.");
  EXPECT_EQ(ErrorWith("exit_status: 1", "exit_status: 4"),
            "16: exit_status is '4'. Write a whole number from 0 to 3.");
}

TEST(CheckTest, AnExpectationIsNeverLeftOutByAccident) {
  EXPECT_EQ(ErrorWith("findings: none", "exits: none", kLoad).substr(0, 30),
            "9: unknown key 'exits' in the ");
  EXPECT_EQ(ErrorWith("findings: none\n", "", kLoad), "1: the check has no 'findings'. Add it.");
  EXPECT_EQ(ErrorWith("findings: none", "findings: 3", kLoad),
            "9: findings is '3'. Write none, or a list.");
  EXPECT_EQ(ErrorWith("findings: none", "placement: nearest\nfindings: none", kLoad),
            "9: load judges no placement. Remove it.");
  EXPECT_EQ(
      ErrorWith("exit_status: 1", "exit_status: 1\nerror: no NIC"),
      "11: nothing is judged after an error, so there is no 'verdicts'. Remove one of the two.");
  std::string neither = kCheck;
  neither.replace(neither.find("others: OK\n"), 11, "");
  const size_t verdicts = neither.find("verdicts:");
  neither.replace(verdicts, neither.find("findings:") - verdicts, "");
  EXPECT_EQ(ParseCheck(neither, "c.yaml").error().ToString(),
            "read scenario c.yaml:1: the check expects no verdict. Add 'verdicts' or 'others'.");
}

}  // namespace
}  // namespace railgauge
