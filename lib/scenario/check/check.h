// Check: a scenario with its answer. A machine and its faults, a decision, and what the judge must
// say of it: every verdict, every finding, the exit status, and nothing else.
//
// One file of scenarios/checks each; the head of wrong-socket.yaml there says how to write one. The
// machine is recorded once from the emulator (scripts/record_checks) and judged from its files ever
// after, so a verdict that changes is a change of the judge.
#ifndef RAILGAUGE_LIB_SCENARIO_CHECK_CHECK_H_
#define RAILGAUGE_LIB_SCENARIO_CHECK_CHECK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/record/load_group.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

// Every expectation keeps its line, for messages.

struct ExpectedVerdict {
  MemoryPlace consumer;
  Verdict verdict = Verdict::kOk;
  std::vector<std::string>
      best;            // NICs, by name or address, in any order; none: the row names none
  std::string reason;  // a part of the row's sentence; empty: any
  int line = 0;
};

// A finding of each of the NICs; of none where there are none.
struct ExpectedFinding {
  std::string kind;
  std::vector<std::string> nics;
  std::vector<MemoryPlace> places;  // in any order
  std::optional<IcField> field;
  std::string text;  // a part of its sentence or evidence; empty: any
  int line = 0;
};

// Of all groups of that name, in every operation and direction.
struct ExpectedGroup {
  std::string load;
  Sharing sharing = Sharing::kIndependent;
  std::string resource;
  int line = 0;
};

// What the census must show; what is left empty is not looked at.
struct ExpectedCensus {
  std::optional<uint32_t> nics;
  std::vector<Relation> relations;                 // exactly these occur
  std::map<RegistrationWay, CensusStatus> status;  // of every row of the way
  int line = 0;
};

// A pair of a decision; the consumer may be an ordinal ("gpu3"), as CUDA counts on that machine.
struct DecidedPair {
  std::string consumer;
  std::string nic;
};

// How the machine is recorded.
struct CheckRun {
  enum class Command { kCheck, kLoad };
  Command command = Command::kCheck;
  std::vector<std::string> nics;
  std::vector<std::string> places;
  std::string groups;  // of load
  std::string sizes;
  std::string time_budget;
};

struct Check {
  std::string name;
  std::string stands_for;  // the field case, in the words of whoever met it
  std::string says;
  std::string machine;  // instance type, with its divisor where it is a scaled one
  std::vector<std::string> faults;
  CheckRun run;
  std::string placement;           // a policy or what else --placement takes; or
  std::vector<DecidedPair> pairs;  // a decision of its own
  bool end_to_end = false;         // also run in CI, not only judged from its recording
  // The machine cannot be judged at all, and this is a part of the one line that says why.
  std::string error;
  std::vector<ExpectedVerdict> verdicts;
  std::optional<Verdict> others;  // of all consumers that `verdicts` does not name
  std::vector<ExpectedGroup> groups;
  std::vector<ExpectedFinding> findings;
  ExpectedCensus census;
  int exit_status = 0;
  // Of a machine without a fault: the policies that are right there, which must get the same
  // answer, and those that are not, which must not be OK. Each with the reason.
  std::map<std::string, std::string> right, not_right;

  // What --emulate takes.
  std::string Spec() const;
  // The decision as a CSV file; empty where `placement` names it.
  std::string DecisionCsv() const;
};

// The errors begin with "read scenario file:line".
Result<Check> ParseCheck(std::string_view yaml, const std::string& file);
// The name must be the file's.
Result<Check> LoadCheck(const std::string& path);
// All of `scenarios_dir`/checks, by name.
Result<std::vector<Check>> LoadChecks(const std::string& scenarios_dir);

// What --placement takes, of a check without pairs: a file beside the checks is named with its
// folder.
std::string PlacementOf(const Check& check, const std::string& checks_dir);

// What `railgauge` is called with to record the machine into `directory`; `placement` is
// PlacementOf(), or where DecisionCsv() was written.
std::vector<std::string> RunArguments(const Check& check, const std::string& placement,
                                      const std::string& directory);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_CHECK_CHECK_H_
