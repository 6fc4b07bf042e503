#include "lib/report/finding_list.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

Finding Make(std::string kind, Severity severity, std::string sentence) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.severity = severity;
  finding.sentence = std::move(sentence);
  return finding;
}

TEST(FindingListTest, NothingIsPrintedOfNothing) { EXPECT_EQ(FormatFindings({}), ""); }

TEST(FindingListTest, SentencesWithinTheWidthAndCounts) {
  MatrixOptions options;
  options.width = 24;
  const std::vector<Finding> findings = {
      Make("id_above_format", Severity::kError, "It names an id above 255."),
      Make("nic_odd", Severity::kWarning, "One."),
      Make("nic_odd", Severity::kWarning, "Two."),
      Make("node_odd", Severity::kNote, "Bad \x1b byte."),
  };
  EXPECT_EQ(FormatFindings(findings, options),
            "findings:\n"
            "error          id_above_format\n"
            "    It names an id above\n"
            "    255.\n"
            "warning        nic_odd\n"
            "    One.\n"
            "warning        nic_odd\n"
            "    Two.\n"
            "note           node_odd\n"
            "    Bad ? byte.\n"
            "1 error, 2 warnings, 1 note\n");
}

TEST(FindingListTest, OfManyOfAKindTheFirst) {
  const std::vector<Finding> findings(5, Make("nic_odd", Severity::kWarning, "One."));
  EXPECT_EQ(FormatFindings(findings),
            "findings:\n"
            "warning        nic_odd\n    One.\n"
            "warning        nic_odd\n    One.\n"
            "warning        nic_odd\n    One.\n"
            "    and 2 more nic_odd: see findings.csv\n"
            "5 warnings\n");
}

}  // namespace
}  // namespace railgauge
