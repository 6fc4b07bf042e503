// A report file as the page of `railgauge report` carries it: columns of fields, as compact JSON.
//
// Made from the table of schema.h, so a column that is appended there is on the page without a line
// here, and a field on the page is the field of the file: numbers with a fraction keep six
// significant digits, all else is exact.
#ifndef RAILGAUGE_LIB_REPORT_HTML_PAGE_TABLE_H_
#define RAILGAUGE_LIB_REPORT_HTML_PAGE_TABLE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lib/report/schema.h"

namespace railgauge {

struct PageTable {
  struct Column {
    std::string name;
    std::vector<std::string> fields;  // one per row, as in CSV; empty is unknown
  };
  std::string name;  // "samples"
  size_t rows = 0;
  std::vector<Column> columns;
};

// The columns of `rows` without those of the run, which the page has once.
template <typename Row>
PageTable MakePageTable(std::span<const Row> rows) {
  PageTable table;
  table.name = FileNameOf<Row>().substr(0, FileNameOf<Row>().find('.'));
  table.rows = rows.size();
  for (const Column<Row>& column : ColumnsOf<Row>()) {
    PageTable::Column& made = table.columns.emplace_back();
    made.name = column.name;
    made.fields.reserve(rows.size());
    for (const Row& row : rows) made.fields.push_back(column.print(row));
  }
  return table;
}

// {"rows":2,"columns":{…}}. A column is {"all":x} where every row has the same, {"numbers":[…]}
// where every field is a number or empty (null), else {"texts":[…],"index":[…]}: each text once.
std::string ToJson(const PageTable& table);

// `text` as a JSON string. Bytes that are no UTF-8 are replaced.
std::string JsonText(const std::string& text);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_REPORT_HTML_PAGE_TABLE_H_
