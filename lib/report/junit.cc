#include "lib/report/junit.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "fmt/core.h"
#include "lib/report/plain_text.h"

namespace railgauge {
namespace {

// As the value of an attribute: line ends too, which would be read as blanks.
std::string Quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : PlainUtf8(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\r':
        result += "&#13;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        result += c;
    }
  }
  return result + "\"";
}

struct Counts {
  size_t tests = 0, failures = 0, skipped = 0;
};

Counts CountsOf(const JunitSuite& suite) {
  const auto count = [&](JunitOutcome outcome) {
    return static_cast<size_t>(
        std::count_if(suite.cases.begin(), suite.cases.end(),
                      [&](const JunitCase& one) { return one.outcome == outcome; }));
  };
  return {suite.cases.size(), count(JunitOutcome::kFailed), count(JunitOutcome::kSkipped)};
}

std::string CaseXml(const JunitCase& one) {
  const std::string head = fmt::format("    <testcase name={} classname={} time=\"0\"",
                                       Quoted(one.name), Quoted(one.class_name));
  if (one.outcome == JunitOutcome::kPassed) return head + "/>\n";
  const std::string message = Quoted(one.type + ": " + one.message);
  if (one.outcome == JunitOutcome::kSkipped) {
    return fmt::format("{}>\n      <skipped message={}/>\n    </testcase>\n", head, message);
  }
  return fmt::format("{}>\n      <failure type={} message={}/>\n    </testcase>\n", head,
                     Quoted(one.type), message);
}

std::string SuiteXml(const JunitSuite& suite) {
  const Counts counts = CountsOf(suite);
  std::string xml = fmt::format(
      "  <testsuite name={} tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\"",
      Quoted(suite.name), counts.tests, counts.failures, counts.skipped);
  if (!suite.timestamp.empty()) xml += " timestamp=" + Quoted(suite.timestamp);
  if (!suite.host.empty()) xml += " hostname=" + Quoted(suite.host);
  xml += ">\n";
  if (!suite.properties.empty()) {
    xml += "    <properties>\n";
    for (const auto& [name, value] : suite.properties) {
      xml += fmt::format("      <property name={} value={}/>\n", Quoted(name), Quoted(value));
    }
    xml += "    </properties>\n";
  }
  for (const JunitCase& one : suite.cases) xml += CaseXml(one);
  return xml + "  </testsuite>\n";
}

JunitOutcome OutcomeOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return JunitOutcome::kPassed;
    case Verdict::kSlow:
    case Verdict::kWrong:
    case Verdict::kOversubscribed:
    case Verdict::kIdle:
      return JunitOutcome::kFailed;
    default:
      return JunitOutcome::kSkipped;
  }
}

// "20250102T030405Z-00ff" begins with when; empty for an id of another form.
std::string TimeOf(std::string_view run_id) {
  if (run_id.size() < 16 || run_id[8] != 'T' || run_id[15] != 'Z') return "";
  for (size_t i = 0; i < 15; ++i) {
    if (i != 8 && (run_id[i] < '0' || run_id[i] > '9')) return "";
  }
  const auto part = [&](size_t at, size_t size) { return run_id.substr(at, size); };
  return fmt::format("{}-{}-{}T{}:{}:{}", part(0, 4), part(4, 2), part(6, 2), part(9, 2),
                     part(11, 2), part(13, 2));
}

}  // namespace

std::string JunitXml(std::span<const JunitSuite> suites) {
  Counts all;
  for (const JunitSuite& suite : suites) {
    const Counts counts = CountsOf(suite);
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.skipped += counts.skipped;
  }
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"railgauge\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
      "time=\"0\">\n",
      all.tests, all.failures, all.skipped);
  for (const JunitSuite& suite : suites) xml += SuiteXml(suite);
  return xml + "</testsuites>\n";
}

JunitSuite SuiteOf(const RunIdentity& run, const std::string& what) {
  JunitSuite suite;
  suite.name = what;
  suite.host = run.host;
  suite.timestamp = TimeOf(run.run_id);
  suite.properties = {{"run_id", run.run_id},
                      {"instance_id", run.instance_id},
                      {"instance_type", run.instance_type},
                      {"platform", run.platform}};
  return suite;
}

JunitSuite PlacementSuite(const RunIdentity& run, const std::string& decision,
                          std::span<const PlacementRow> placement) {
  JunitSuite suite = SuiteOf(run, "placement " + decision);
  suite.properties.emplace_back("placement", decision);
  const std::string class_name =
      "railgauge.placement." + (run.instance_type.empty() ? "unknown" : run.instance_type);
  std::map<std::string, size_t> names;
  for (const PlacementRow& row : placement) {
    // A consumer may have a second row, of what is idle; a case is known by its name.
    std::string name = row.consumer.ToString();
    if (row.verdict == Verdict::kIdle) name += " idle";
    if (const size_t before = names[name]++; before > 0) name += fmt::format(" {}", before + 1);
    suite.cases.push_back(
        {name, class_name, OutcomeOf(row.verdict), std::string(ToString(row.verdict)), row.reason});
  }
  return suite;
}

}  // namespace railgauge
