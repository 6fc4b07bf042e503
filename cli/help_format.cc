#include "cli/help_format.h"

#include "lib/report/text_matrix.h"

namespace railgauge {

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  constexpr size_t kWidth = 100;
  return WrapText(option->get_description(), kWidth - column_width_, 0);
}

std::string HelpFormat::make_option_usage(const CLI::Option* option) const {
  std::string usage = make_option_name(option, true);
  if (option->get_expected_max() > 1) usage += "...";
  return option->get_required() ? usage : "[" + usage + "]";
}

}  // namespace railgauge
