// What is wrong with a command line that the parser of flags (CLI11) would misunderstand, or say
// less well: it takes the next argument for the value of a flag whose value is empty or left out.
#ifndef RAILGAUGE_CLI_ARGUMENTS_H_
#define RAILGAUGE_CLI_ARGUMENTS_H_

#include <span>
#include <string>

#include "CLI/CLI.hpp"
#include "lib/base/result.h"

namespace railgauge {

// The command that `arguments`, behind the program's name, call: "railgauge fleet plan".
std::string NameOfCommand(const CLI::App& app, std::span<char* const> arguments);

// Errors, in one line without a hint to --help: a word where a command must stand that is none, and
// a flag that the command does not have (with the nearest one), a flag with an empty value, and a
// flag whose value is left out so that another flag follows. All else is left to the parser.
Status CheckArguments(const CLI::App& app, std::span<char* const> arguments);

// What the parser says of a line that it refuses, of bounded length: it repeats whole arguments.
std::string WhatParserSays(const CLI::App& app, const CLI::ParseError& error);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_ARGUMENTS_H_
