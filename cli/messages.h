// What every program says on stderr, in one form.
#ifndef RAILGAUGE_CLI_MESSAGES_H_
#define RAILGAUGE_CLI_MESSAGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

// "railgauge check: read file x: ENOENT (…)." as one line.
void PrintError(std::string_view program, const Error& error);

// Each as one line.
void PrintNotes(const std::vector<std::string>& notes);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_MESSAGES_H_
