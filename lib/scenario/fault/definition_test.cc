// Every way in which a fault file can be wrong, with the line and the advice that the loader gives.
#include <string>

#include "gtest/gtest.h"
#include "lib/scenario/fault/fault.h"

namespace railgauge {
namespace {

constexpr char kFault[] = R"(schema: 1
fault: slow
says: it is slow
stands_for: slowness
target: {is: nic, default: all}
value: {is: fraction, from: 0.1, to: 1, default: "0.5"}
may_start_later: false
edits:
  - {edit: scale_lines, by: value}
)";

std::string ErrorWith(const std::string& from, const std::string& to) {
  std::string yaml = kFault;
  const size_t at = yaml.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  yaml.replace(at, from.size(), to);
  const auto fault = ReadFaultDefinition(yaml, "slow.yaml");
  if (fault) return "it loads";
  const std::string line = fault.error().ToString();
  const std::string prefix = "read scenario slow.yaml:";
  return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
}

TEST(FaultDefinitionTest, IsRead) {
  const auto fault = ReadFaultDefinition(kFault, "slow.yaml");
  ASSERT_TRUE(fault) << fault.error().ToString();
  EXPECT_EQ(fault->name, "slow");
  EXPECT_EQ(fault->target.kind, FaultTargetForm::Kind::kNic);
  EXPECT_EQ(fault->value.default_text, "0.5");
  ASSERT_EQ(fault->edits.size(), 1u);
  EXPECT_EQ(fault->edits[0].primitive->name, "scale_lines");
}

TEST(FaultDefinitionTest, ErrorsHaveTheirLine) {
  EXPECT_EQ(ErrorWith("says:", "say:"), "3: unknown key 'say' in the fault. Write 'says'.");
  EXPECT_EQ(ErrorWith("stands_for: slowness\n", ""), "1: the fault has no 'stands_for'. Add it.");
  EXPECT_EQ(ErrorWith("is: nic", "is: nics"),
            "5: is is 'nics'. Write nic, gpu, function, path, way, relation, port.");
  EXPECT_EQ(ErrorWith("is: fraction", "is: share"),
            "6: is is 'share'. Write fraction, number, rate, size, duration, errno, word, order, "
            "octal, error_share.");
  EXPECT_EQ(ErrorWith("from: 0.1", "from: low"), "6: from is 'low'. Write a number.");
  EXPECT_EQ(ErrorWith("\"0.5\"", "\"5\""), "6: default is '5'. Write a fraction, from 0.1 to 1.");
  EXPECT_EQ(ErrorWith("may_start_later: false", "may_start_later: no"),
            "7: may_start_later is 'no'. Write true or false.");
  EXPECT_EQ(ErrorWith("scale_lines", "scale_line"),
            "9: there is no edit 'scale_line'. Write 'scale_lines'.");
  EXPECT_EQ(ErrorWith("by: value", "bye: value"), "9: scale_lines has no 'by'. Add it.");
  EXPECT_EQ(ErrorWith("by: value", "by: value, too: 1"),
            "9: scale_lines has no argument 'too'. Known are edit, by.");
  EXPECT_EQ(ErrorWith("by: value", "by: half"), "9: by is 'half'. Write value, or a number.");
  EXPECT_EQ(ErrorWith("{edit: scale_lines, by: value}", "scale_lines"),
            "9: an item of edits names no edit. Write it like {edit: scale_lines, by: value}.");
  EXPECT_EQ(ErrorWith("says: it is slow", "says: it is slow\nsays: twice"),
            "4: duplicate key 'says'. Remove one of the two.");
}

}  // namespace
}  // namespace railgauge
