#include "lib/report/text_matrix.h"

#include <cmath>
#include <sstream>

#include "gtest/gtest.h"

namespace railgauge {
namespace {

MatrixRow Row(std::string name, const std::vector<double>& values) {
  MatrixRow row{std::move(name), {}};
  for (const double value : values) row.cells.push_back({value, ""});
  return row;
}

TextMatrix Square(std::vector<MatrixRow> rows) {
  return {"Title", {{"host", "n0"}, {"gpu", "g0"}, {"gpu", "g1"}}, {{"group", std::move(rows)}}};
}

TEST(TextMatrixTest, FoldsEqualRowsAndColumns) {
  EXPECT_EQ(
      FormatMatrix(Square({Row("a", {1, 2, 2}), Row("b", {1, 2.02, 2}), Row("c", {3, 4, 4})}), {}),
      "Title\n"
      "                host gpu x2\n"
      "                  n0     g0\n"
      "group\n"
      "  a b            1.0    2.0\n"
      "  c              3.0    4.0\n"
      "gpu x2 g0: g0 g1\n");
}

TEST(TextMatrixTest, AGroupOfOneFoldNamesItsMembers) {
  EXPECT_EQ(FormatMatrix(Square({Row("a", {1, 2, 3}), Row("b", {1, 2, 3})}), {}),
            "Title\n"
            "              host  gpu  gpu\n"
            "                n0   g0   g1\n"
            "group: a b\n"
            "  all 2        1.0  2.0  3.0\n");
}

TEST(TextMatrixTest, TextMustBeEqualToFold) {
  TextMatrix matrix = Square({Row("a", {1, 2, 3}), Row("b", {1, 2, 3})});
  matrix.groups[0].rows[1].cells[2].text = "x";
  const std::string text = FormatMatrix(matrix, {});
  EXPECT_NE(text.find("3.0x"), std::string::npos) << text;
  EXPECT_EQ(text.find("all 2"), std::string::npos) << text;
}

TEST(TextMatrixTest, ValuesFoldWithinTheShareOnly) {
  for (const auto& [other, folds] : {std::pair(97.1, true), std::pair(96.9, false)}) {
    const std::string text =
        FormatMatrix(Square({Row("a", {100, 1, 2}), Row("b", {other, 1, 2})}), {});
    EXPECT_EQ(text.find("all 2") != std::string::npos, folds) << text;
  }
}

TEST(TextMatrixTest, NoLineIsLongerThanTheWidth) {
  TextMatrix matrix{"T", {}, {{"group", {}}}};
  for (int column = 0; column < 40; ++column) {
    matrix.columns.push_back({"gpu", "0000:0" + std::to_string(column % 10) + ":00.0"});
  }
  for (int row = 0; row < 20; ++row) {
    MatrixRow cells{"0000:" + std::to_string(10 + row) + ":00.0", {}};
    for (int column = 0; column < 40; ++column) {
      cells.cells.push_back({row % 4 + column * 2.0, "a"});
    }
    matrix.groups[0].rows.push_back(cells);
  }
  for (const size_t width : {40u, 80u, 100u}) {
    std::istringstream lines(FormatMatrix(matrix, {.width = width}));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), width) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(TextMatrixTest, ColorsOnlyWhenAsked) {
  const TextMatrix matrix =
      Square({Row("a", {10, 1, 2}), Row("b", {9.5, 1, 2}), Row("c", {5, 1, 2})});
  EXPECT_EQ(FormatMatrix(matrix, {}).find('\x1b'), std::string::npos);
  const std::string text = FormatMatrix(matrix, {.color = true});
  EXPECT_NE(text.find("\x1b[33m 9.5\x1b[0m"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[31m 5.0\x1b[0m"), std::string::npos) << text;
  EXPECT_EQ(text.find("m10.0"), std::string::npos) << text;
}

TEST(TextMatrixTest, HostileMatrices) {
  EXPECT_EQ(FormatMatrix({"T", {}, {}}, {}), "T\n");
  EXPECT_EQ(FormatMatrix({"T", {{"host", "n0"}}, {}}, {}), "T\n    host\n      n0\n");
  const std::string text = FormatMatrix(
      {"T", {{"host", "n0"}}, {{"group", {{"a", {{std::nan(""), "-"}}}}}}}, {.width = 1});
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(TextMatrixTest, WrapsAtBlanks) {
  EXPECT_EQ(WrapText("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(WrapText("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(WrapText("", 7, 2), "");
  EXPECT_EQ(WrapText("averylongword x", 5, 1), "averylongword\n x");
}

}  // namespace
}  // namespace railgauge
