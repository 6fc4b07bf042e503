// HelpFormat: how --help is laid out: nothing is wider than 100 columns, whatever a flag has to
// say.
#ifndef RAILGAUGE_CLI_HELP_FORMAT_H_
#define RAILGAUGE_CLI_HELP_FORMAT_H_

#include <string>

#include "CLI/CLI.hpp"

namespace railgauge {

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override;
  // "NAME..." where several may be given.
  std::string make_option_usage(const CLI::Option* option) const override;
};

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_HELP_FORMAT_H_
