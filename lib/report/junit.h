// JUnit XML: verdicts as test cases, which every CI system shows.
//
// There is no one standard; this is what the schemas of Jenkins (xunit's junit-10.xsd), of Maven
// Surefire and of Apache Ant's JUnitReport agree on: <testsuites> holds <testsuite> with the counts
// that its cases add up to; properties come first, then cases; a case is empty when passed, or
// holds one <failure> or <skipped>. What cannot be told is skipped, as a test that was not run.
#ifndef RAILGAUGE_LIB_REPORT_JUNIT_H_
#define RAILGAUGE_LIB_REPORT_JUNIT_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/record/records.h"

namespace railgauge {

enum class JunitOutcome { kPassed, kFailed, kSkipped };

struct JunitCase {
  std::string name;
  std::string class_name;  // by which viewers group
  JunitOutcome outcome = JunitOutcome::kPassed;
  std::string type;     // of what is not passed: "SLOW"
  std::string message;  // likewise, one sentence
};

struct JunitSuite {
  std::string name;
  std::string host;       // empty: unknown
  std::string timestamp;  // "2025-01-02T03:04:05"; empty: unknown
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<JunitCase> cases;
};

// The whole document.
std::string JunitXml(std::span<const JunitSuite> suites);

// A suite of the run, with its identity as properties and no case yet. The time is that of its id.
JunitSuite SuiteOf(const RunIdentity& run, const std::string& what);

// The verdicts of a placement as the cases of a suite: SLOW, WRONG, OVERSUBSCRIBED and IDLE fail;
// NOISY, INVALID and UNDECIDED are skipped.
JunitSuite PlacementSuite(const RunIdentity& run, const std::string& decision,
                          std::span<const PlacementRow> placement);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_JUNIT_H_
