// TextMatrix: a table of many rows and columns that a person can read on a terminal, because rows
// and columns that say the same are folded into one.
#ifndef RAILGAUGE_LIB_REPORT_TEXT_MATRIX_H_
#define RAILGAUGE_LIB_REPORT_TEXT_MATRIX_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace railgauge {

struct MatrixCell {
  // Shown with one decimal (two digits below 1) in front of `text`. Two values fold when they are
  // within MatrixOptions::fold_within; the median of the folded ones is shown.
  std::optional<double> value;
  std::string text;  // must be equal to fold
};

struct MatrixRow {
  std::string name;
  std::vector<MatrixCell> cells;  // one per column
};

struct MatrixGroup {
  std::string name;
  std::vector<MatrixRow> rows;
};

struct MatrixColumn {
  std::string kind;  // the upper line of the head
  std::string name;  // the lower one
};

struct TextMatrix {
  std::string title;
  std::vector<MatrixColumn> columns;
  std::vector<MatrixGroup> groups;
};

struct MatrixOptions {
  size_t width = 100;         // no line is longer, unless a single name is
  double fold_within = 0.03;  // as a share of the greater value
  bool color = false;         // below 97 % of its column's best value yellow, below 90 % red
};

// The title, a head, and per group its name and rows, each line ended by LF. Rows of one group that
// are equal become one row, and columns that are equal in every row become one column (a line below
// says which). Where the columns do not fit the width, the table is continued below.
std::string FormatMatrix(const TextMatrix& matrix, const MatrixOptions& options);

// `text` broken at blanks into lines of at most `width` (a longer word stands alone), every line
// but the first with `indent` blanks in front.
std::string WrapText(const std::string& text, size_t width, size_t indent);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_TEXT_MATRIX_H_
