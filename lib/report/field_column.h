// How the tables of a schema are written: a column over one field of a record.
#ifndef RAILGAUGE_LIB_REPORT_FIELD_COLUMN_H_
#define RAILGAUGE_LIB_REPORT_FIELD_COLUMN_H_

#include <string_view>

#include "lib/report/field.h"
#include "lib/report/schema.h"

namespace railgauge::internal {

// `Get` is a captureless lambda that returns a reference to the field of a record, const or not.
template <typename Row, typename Get>
constexpr Column<Row> Of(std::string_view name, Get) {
  return {name, [](const Row& row) { return PrintField(Get{}(row)); },
          [](std::string_view field, Row& row) { return ParseField(field, Get{}(row)); }};
}

}  // namespace railgauge::internal

// Such a lambda for the field at `path`.
#define RAILGAUGE_FIELD(path) \
  [](auto& row) -> auto& { return row.path; }

#endif  // RAILGAUGE_LIB_REPORT_FIELD_COLUMN_H_
