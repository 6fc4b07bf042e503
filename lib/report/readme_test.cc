// results/README.md against the schema: every column that is written is documented, in the order in
// which it is written, and nothing else is.
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/file.h"
#include "lib/report/comparison_schema.h"
#include "lib/report/schema.h"

namespace railgauge {
namespace {

std::string Readme() {
  const auto content = ReadFile("results/README.md");
  EXPECT_TRUE(content) << content.error().ToString();
  return content.value_or("");
}

// The names in backticks in the first cell of a table's line; none of another line.
std::vector<std::string> NamesOfLine(std::string_view line) {
  std::vector<std::string> names;
  if (!line.starts_with("| `")) return names;
  line.remove_prefix(1);
  line = line.substr(0, line.find('|'));
  for (size_t at = line.find('`'); at != std::string_view::npos; at = line.find('`', at + 1)) {
    const size_t end = line.find('`', at + 1);
    if (end == std::string_view::npos) break;
    names.emplace_back(line.substr(at + 1, end - at - 1));
    at = end;
  }
  return names;
}

// Of the tables between `heading` and the next one of any kind.
std::vector<std::string> Documented(const std::string& readme, const std::string& heading) {
  std::vector<std::string> names;
  size_t at = readme.find("\n" + heading + "\n");
  if (at == std::string::npos) return names;
  at += heading.size() + 2;
  while (at < readme.size() && readme[at] != '#') {
    const size_t end = readme.find('\n', at);
    for (std::string& name : NamesOfLine(std::string_view(readme).substr(at, end - at))) {
      names.push_back(std::move(name));
    }
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return names;
}

template <typename Row>
std::vector<std::string> Written() {
  std::vector<std::string> names;
  for (const Column<Row>& column : ColumnsOf<Row>()) names.emplace_back(column.name);
  return names;
}

template <typename Row>
void ExpectDocumented() {
  const std::string file(FileNameOf<Row>());
  EXPECT_EQ(Documented(Readme(), "### `" + file + "`"), Written<Row>()) << file;
}

TEST(ReadmeTest, EveryColumnIsDocumented) {
  std::vector<std::string> run = {"schema_version"};
  for (std::string& name : Written<RunIdentity>()) run.push_back(std::move(name));
  EXPECT_EQ(Documented(Readme(), "## Columns"), run);
  ExpectDocumented<CensusRow>();
  ExpectDocumented<Sample>();
  ExpectDocumented<InterconnectRow>();
  ExpectDocumented<SummaryRow>();
  ExpectDocumented<PlacementRow>();
  ExpectDocumented<AssignmentRow>();
  ExpectDocumented<Finding>();
  ExpectDocumented<GroupRow>();
  ExpectDocumented<BaselineRow>();
  ExpectDocumented<ComparisonRow>();
}

TEST(ReadmeTest, TheTablesAreRead) {
  const std::string text =
      "x\n### `a`\n| column | unit |\n|-|-|\n| `b`, `c` | `d` |\ntext `e`\n| `f` | |\n### g\n| `h` "
      "|\n";
  EXPECT_EQ(Documented(text, "### `a`"), (std::vector<std::string>{"b", "c", "f"}));
  EXPECT_TRUE(Documented(text, "### `none`").empty());
}

}  // namespace
}  // namespace railgauge
