// Every check of scenarios/checks, judged from its recording: exactly the verdicts and findings
// that it expects. And that the checks are complete: every field case that is known, every instance
// type without a fault, every policy on it.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/policy.h"
#include "lib/scenario/check/check.h"
#include "lib/scenario/check/compare.h"
#include "lib/scenario/check/recorded.h"
#include "lib/scenario/load.h"
#include "lib/scenario/spec.h"

namespace railgauge {
namespace {

constexpr char kScenarios[] = "scenarios";
constexpr char kChecks[] = "scenarios/checks";

// What is known to go wrong in the field. A check says in these words what it stands for.
constexpr const char* kFieldCases[] = {
    "GPU index used instead of PCI address after CUDA_VISIBLE_DEVICES",
    "NIC of another PCIe root or socket chosen for a GPU",
    "two GPUs assigned the same NICs while others idle",
    "equal hop count across a socket boundary taken as equal cost",
    "one slow NIC although the port says ACTIVE",
    "one NIC missing (31 of 32), or a GPU subset in a container",
    "container hides PCI sysfs; VM shows a flat tree; NUMA -1",
    "ACS redirect on the shared switch sends peer traffic through the root",
    "peer memory module loaded but registration fails; dma-buf works",
    "driver reports 100 Gb/s on a 200 Gb/s NIC",
    "ConnectX devices counted as EFA",
    "a run silently fell back, or the wrong operation ran",
    "a result above the physical ceiling",
    "one stream hides a shared uplink",
    "variance itself (21 to 124 GB/s across sockets)",
    "two NICs at the same PCIe distance from one GPU differ (171.5 and 132.2 Gb/s)",
};

constexpr char kHealthy[] = "nothing: the machine as it should be";

const std::vector<Check>& AllChecks() {
  static const auto* const checks = [] {
    auto loaded = LoadChecks(kScenarios);
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    return new std::vector<Check>(loaded ? *std::move(loaded) : std::vector<Check>());
  }();
  return *checks;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Check& check : AllChecks()) names.push_back(check.name);
  return names;
}

const Check& Named(const std::string& name) {
  const auto check = std::find_if(AllChecks().begin(), AllChecks().end(),
                                  [&](const Check& one) { return one.name == name; });
  return *check;
}

std::string FileOf(const Check& check) { return std::string(kChecks) + "/" + check.name + ".yaml"; }
std::string RecordingOf(const Check& check) {
  return std::string(kChecks) + "/recorded/" + check.name;
}

class RecordedCheckTest : public testing::TestWithParam<std::string> {};

TEST_P(RecordedCheckTest, IsJudgedAsExpected) {
  const Check& check = Named(GetParam());
  if (!check.error.empty()) {
    EXPECT_THAT(ErrorOf(check, RecordingOf(check), kChecks), testing::HasSubstr(check.error));
    return;
  }
  const auto recorded = ReadRecorded(RecordingOf(check));
  ASSERT_TRUE(recorded) << recorded.error().ToString();
  if (check.run.command == CheckRun::Command::kLoad) {
    EXPECT_THAT(Differences(check, JudgeRecordedGroups(*recorded), FileOf(check)),
                testing::IsEmpty());
    return;
  }
  const auto decision = DecisionOf(check, *recorded, kChecks);
  ASSERT_TRUE(decision) << decision.error().ToString();
  EXPECT_THAT(Differences(check, JudgeRecorded(*recorded, *decision), FileOf(check)),
              testing::IsEmpty());
}

// The same machine and records, whatever rule decides: who is right is not blamed, and who is not
// right is not cleared.
TEST_P(RecordedCheckTest, EveryPolicyThatIsRightIsOkAndNoOther) {
  const Check& check = Named(GetParam());
  if (check.right.empty() && check.not_right.empty()) return;  // it is about one decision
  const auto recorded = ReadRecorded(RecordingOf(check));
  ASSERT_TRUE(recorded) << recorded.error().ToString();
  for (const auto& [policy, why] : check.right) {
    const auto decision = DecideByPolicy(policy, recorded->machine);
    ASSERT_TRUE(decision) << policy << ": " << decision.error().ToString();
    EXPECT_THAT(Differences(check, JudgeRecorded(*recorded, *decision), FileOf(check)),
                testing::IsEmpty())
        << policy << " is right here: " << why;
  }
  for (const auto& [policy, why] : check.not_right) {
    const auto decision = DecideByPolicy(policy, recorded->machine);
    if (!decision) continue;  // its rule says nothing about such a machine
    EXPECT_NE(JudgeRecorded(*recorded, *decision).exit_status, 0)
        << policy << " is not right here: " << why;
  }
}

// What the recorder promises: emulated, and of windows that had their CPU.
TEST_P(RecordedCheckTest, RecordingIsValid) {
  const Check& check = Named(GetParam());
  if (!check.error.empty()) return;  // there are no rows
  const auto recorded = ReadRecorded(RecordingOf(check));
  ASSERT_TRUE(recorded) << recorded.error().ToString();
  EXPECT_FALSE(recorded->census.empty());
  size_t measured = 0, disturbed = 0;
  for (const Sample& sample : recorded->samples) {
    measured += IsMeasured(sample.status) ? 1 : 0;
    disturbed += IsMeasured(sample.status) && sample.disturbed == true ? 1 : 0;
  }
  EXPECT_LE(50 * disturbed, measured) << "of " << measured;
}

INSTANTIATE_TEST_SUITE_P(Checks, RecordedCheckTest, testing::ValuesIn(Names()),
                         [](const auto& name) {
                           std::string text = name.param;
                           for (char& c : text) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return text;
                         });

TEST(ChecksTest, EveryFieldCaseHasOne) {
  std::set<std::string> cases(std::begin(kFieldCases), std::end(kFieldCases));
  std::set<std::string> covered;
  for (const Check& check : AllChecks()) {
    EXPECT_TRUE(cases.contains(check.stands_for) || check.stands_for == kHealthy)
        << FileOf(check) << ": " << check.stands_for;
    covered.insert(check.stands_for);
  }
  for (const std::string& one : cases) EXPECT_TRUE(covered.contains(one)) << one;
}

// A scaled machine is its type with slower paths.
std::string TypeOf(const Check& check) { return ParseMachineSpec(check.machine)->base; }

// Of each type, so also of each that a check makes sick.
TEST(ChecksTest, EveryMachineIsJudgedWithoutItsFaults) {
  std::map<std::string, const Check*> healthy;
  for (const Check& check : AllChecks()) {
    if (check.stands_for != kHealthy) continue;
    EXPECT_TRUE(check.faults.empty() && check.findings.empty()) << FileOf(check);
    EXPECT_TRUE(healthy.emplace(TypeOf(check), &check).second) << FileOf(check);
    std::set<std::string> policies;
    for (const auto& [policy, why] : check.right) policies.insert(policy);
    for (const auto& [policy, why] : check.not_right) {
      EXPECT_TRUE(policies.insert(policy).second) << FileOf(check) << ": twice: " << policy;
    }
    for (const Policy& policy : Policies()) {
      EXPECT_EQ(policies.erase(std::string(policy.name)), 1u)
          << FileOf(check) << " does not say whether " << policy.name << " is right";
    }
    EXPECT_THAT(policies, testing::IsEmpty()) << FileOf(check);
  }
  const auto types = ListInstanceTypes(kScenarios);
  ASSERT_TRUE(types) << types.error().ToString();
  for (const std::string& type : *types) EXPECT_TRUE(healthy.contains(type)) << type;
  for (const Check& check : AllChecks()) {
    EXPECT_TRUE(healthy.contains(TypeOf(check))) << FileOf(check) << ": " << check.machine;
  }
}

TEST(ChecksTest, TenRunEndToEnd) {
  const auto count = std::count_if(AllChecks().begin(), AllChecks().end(),
                                   [](const Check& check) { return check.end_to_end; });
  EXPECT_GE(count, 10);
}

TEST(ChecksTest, FindingsAreOfKnownKinds) {
  for (const Check& check : AllChecks()) {
    for (const ExpectedFinding& expected : check.findings) {
      const bool known =
          std::any_of(std::begin(kFindingKinds), std::end(kFindingKinds),
                      [&](const FindingKind& kind) { return kind.name == expected.kind; });
      EXPECT_TRUE(known) << FileOf(check) << ":" << expected.line << ": " << expected.kind;
    }
  }
}

}  // namespace
}  // namespace railgauge
