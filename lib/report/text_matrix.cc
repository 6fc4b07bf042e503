#include "lib/report/text_matrix.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "fmt/core.h"
#include "lib/base/result.h"
#include "lib/stats/median.h"

namespace railgauge {
namespace {

// Rows of a group, or columns, that say the same: indexes of the originals, and what is shown.
struct FoldedRow {
  std::vector<std::string> names;
  std::vector<std::vector<MatrixCell>> members;  // [row][column]
};

struct FoldedGroup {
  std::string name;
  size_t row_count = 0;
  std::vector<FoldedRow> rows;
};

bool Alike(const MatrixCell& a, const MatrixCell& b, double within) {
  if (a.text != b.text || a.value.has_value() != b.value.has_value()) return false;
  if (!a.value) return true;
  return std::abs(*a.value - *b.value) <= within * std::max(std::abs(*a.value), std::abs(*b.value));
}

bool Alike(const std::vector<MatrixCell>& a, const std::vector<MatrixCell>& b, double within) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const auto& x, const auto& y) { return Alike(x, y, within); });
}

FoldedGroup FoldRows(const MatrixGroup& group, double within) {
  FoldedGroup folded{group.name, group.rows.size(), {}};
  for (const MatrixRow& row : group.rows) {
    auto same = std::find_if(folded.rows.begin(), folded.rows.end(), [&](const FoldedRow& other) {
      return Alike(other.members[0], row.cells, within);
    });
    if (same == folded.rows.end()) same = folded.rows.insert(same, FoldedRow());
    same->names.push_back(row.name);
    same->members.push_back(row.cells);
  }
  return folded;
}

// The columns in classes of equal ones, each class in order, classes by their first.
std::vector<std::vector<size_t>> FoldColumns(const TextMatrix& matrix,
                                             const std::vector<FoldedGroup>& groups,
                                             double within) {
  const auto alike = [&](size_t a, size_t b) {
    for (const FoldedGroup& group : groups) {
      for (const FoldedRow& row : group.rows) {
        if (!Alike(row.members[0][a], row.members[0][b], within)) return false;
      }
    }
    return matrix.columns[a].kind == matrix.columns[b].kind;
  };
  std::vector<std::vector<size_t>> classes;
  for (size_t column = 0; column < matrix.columns.size(); ++column) {
    auto same = std::find_if(classes.begin(), classes.end(),
                             [&](const auto& members) { return alike(members[0], column); });
    if (same == classes.end()) same = classes.insert(same, std::vector<size_t>());
    same->push_back(column);
  }
  return classes;
}

// What stands for all cells of a folded row in a class of columns.
MatrixCell Shown(const FoldedRow& row, const std::vector<size_t>& columns) {
  std::vector<double> values;
  for (const auto& member : row.members) {
    for (const size_t column : columns) {
      if (member[column].value) values.push_back(*member[column].value);
    }
  }
  return {Median(values), row.members[0][columns[0]].text};
}

std::string CellText(const MatrixCell& cell) {
  if (!cell.value || !std::isfinite(*cell.value)) return cell.text;
  // Beside values of ten, one decimal tells enough; of a small one it would leave nothing.
  if (*cell.value > 0 && *cell.value < 0.95) return fmt::format("{:.2g}{}", *cell.value, cell.text);
  return fmt::format("{:.1f}{}", *cell.value, cell.text);
}

std::string PadLeft(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string WithoutTrailingBlanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

class Formatter {
 public:
  Formatter(const TextMatrix& matrix, const MatrixOptions& options)
      : matrix_(matrix), options_(options) {
    for (const MatrixGroup& group : matrix.groups) {
      groups_.push_back(FoldRows(group, options.fold_within));
    }
    columns_ = FoldColumns(matrix, groups_, options.fold_within);
    Measure();
  }

  std::string Format() {
    out_ = matrix_.title + "\n";
    const size_t per_block = std::max<size_t>(
        1, (options_.width - std::min(options_.width, label_width_)) / (cell_width_ + 1));
    for (size_t first = 0; first < columns_.size(); first += per_block) {
      if (first > 0) out_ += "\n";
      Block(first, std::min(columns_.size(), first + per_block));
    }
    FoldedColumnLines();
    return std::move(out_);
  }

 private:
  static std::string AllLabel(const FoldedGroup& group) {
    return fmt::format("all {}", group.row_count);
  }

  std::string HeadKind(const std::vector<size_t>& columns) const {
    const std::string& kind = matrix_.columns[columns[0]].kind;
    return columns.size() == 1 ? kind : fmt::format("{} x{}", kind, columns.size());
  }

  void Measure() {
    for (const auto& columns : columns_) {
      cell_width_ = std::max(
          {cell_width_, HeadKind(columns).size(), matrix_.columns[columns[0]].name.size()});
      double best = 0;
      for (const FoldedGroup& group : groups_) {
        for (const FoldedRow& row : group.rows) {
          const MatrixCell cell = Shown(row, columns);
          cell_width_ = std::max(cell_width_, CellText(cell).size());
          best = std::max(best, cell.value.value_or(0));
        }
      }
      best_.push_back(best);
    }
    size_t longest = 0;
    for (const FoldedGroup& group : groups_) {
      if (group.row_count > 1) longest = std::max(longest, AllLabel(group).size());
      for (const FoldedRow& row : group.rows) {
        for (const std::string& name : row.names) longest = std::max(longest, name.size());
      }
    }
    // Room for two names beside each other where the columns leave it.
    const size_t all_columns = columns_.size() * (cell_width_ + 1);
    const size_t rest = options_.width > all_columns ? options_.width - all_columns : 0;
    label_width_ = std::max(kIndent + longest, std::min(kIndent + 2 * longest + 1, rest));
  }

  void Block(size_t first, size_t last) {
    std::string kinds(label_width_, ' '), names(label_width_, ' ');
    for (size_t i = first; i < last; ++i) {
      kinds += " " + PadLeft(HeadKind(columns_[i]), cell_width_);
      names += " " + PadLeft(matrix_.columns[columns_[i][0]].name, cell_width_);
    }
    out_ += WithoutTrailingBlanks(kinds) + "\n" + WithoutTrailingBlanks(names) + "\n";
    for (const FoldedGroup& group : groups_) {
      GroupLine(group);
      for (const FoldedRow& row : group.rows) RowLines(group, row, first, last);
    }
  }

  // A group that folded into one row names its members here.
  void GroupLine(const FoldedGroup& group) {
    std::string line = group.name;
    if (group.rows.size() == 1) {
      line += ":";
      for (const std::string& name : group.rows[0].names) line += " " + name;
    }
    out_ += WrapText(line, options_.width, kIndent) + "\n";
  }

  void RowLines(const FoldedGroup& group, const FoldedRow& row, size_t first, size_t last) {
    std::string label;
    if (group.rows.size() > 1) {
      for (const std::string& name : row.names) label += (label.empty() ? "" : " ") + name;
    } else {
      label = row.names.size() == 1 ? row.names[0] : AllLabel(group);
    }
    const std::string wrapped = WrapText(label, label_width_ - kIndent, 0);
    std::istringstream lines(wrapped);
    std::string line;
    std::getline(lines, line);
    line = std::string(kIndent, ' ') + line;
    line.resize(std::max(line.size(), label_width_), ' ');
    for (size_t i = first; i < last; ++i) line += " " + Colored(Shown(row, columns_[i]), best_[i]);
    out_ += WithoutTrailingBlanks(line) + "\n";
    while (std::getline(lines, line)) out_ += std::string(kIndent, ' ') + line + "\n";
  }

  std::string Colored(const MatrixCell& cell, double best) const {
    const std::string text = PadLeft(CellText(cell), cell_width_);
    if (!options_.color || !cell.value || *cell.value >= 0.97 * best) return text;
    return fmt::format("\x1b[{}m{}\x1b[0m", *cell.value < 0.9 * best ? 31 : 33, text);
  }

  void FoldedColumnLines() {
    for (const auto& columns : columns_) {
      if (columns.size() == 1) continue;
      std::string line = fmt::format("{} {}:", HeadKind(columns), matrix_.columns[columns[0]].name);
      for (const size_t column : columns) line += " " + matrix_.columns[column].name;
      out_ += WrapText(line, options_.width, kIndent) + "\n";
    }
  }

  static constexpr size_t kIndent = 2;

  const TextMatrix& matrix_;
  const MatrixOptions& options_;
  std::vector<FoldedGroup> groups_;
  std::vector<std::vector<size_t>> columns_;
  std::vector<double> best_;  // the greatest value of each of columns_
  size_t cell_width_ = 1;
  size_t label_width_ = 0;
  std::string out_;
};

}  // namespace

std::string FormatMatrix(const TextMatrix& matrix, const MatrixOptions& options) {
  for (const MatrixGroup& group : matrix.groups) {
    for (const MatrixRow& row : group.rows) {
      RAILGAUGE_CHECK(row.cells.size() == matrix.columns.size());
    }
  }
  return Formatter(matrix, options).Format();
}

std::string WrapText(const std::string& text, size_t width, size_t indent) {
  std::istringstream words(text);
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && line.find_first_not_of(' ') != std::string::npos &&
        line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line;
}

}  // namespace railgauge
