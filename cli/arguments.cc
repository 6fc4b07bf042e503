#include "cli/arguments.h"

#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "fmt/format.h"
#include "lib/base/nearest.h"
#include "lib/base/quoted.h"

namespace railgauge {
namespace {

bool IsFlag(std::string_view argument) { return argument.starts_with("--") && argument != "--"; }

// "-x": what a command takes for a flag where it may be one. "-" is a file.
bool IsShortFlag(std::string_view argument) {
  return argument.size() > 1 && argument.starts_with('-') && !argument.starts_with("--");
}

// Whether a word of the line must name a command below `app`.
bool NeedsCommand(const CLI::App& app) { return app.get_require_subcommand_min() > 0; }

// The command `name` below `app`, or none.
const CLI::App* Below(const CLI::App& app, std::string_view name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

Error NoSuchCommand(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const auto nearest = Nearest(word, names);
  return MakeError("", "", "there is no command " + Quoted(word),
                   nearest ? "Write '" + *nearest + "'"
                           : fmt::format("The commands are {}", fmt::join(names, ", ")));
}

Error NoSuchFlag(const CLI::App& app, std::string_view flag) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const auto nearest = Nearest(flag, names);
  return MakeError("", "", "there is no flag " + Quoted(flag),
                   nearest ? "Write '" + *nearest + "'" : "");
}

// What `flag` looks like with a value: "--csv_out=FILE".
std::string FormOf(const CLI::Option& option, std::string_view flag) {
  const std::string placeholder =
      option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  return fmt::format("{}={}", flag, placeholder.empty() ? "VALUE" : placeholder);
}

Error EmptyValue(const CLI::Option& option, std::string_view flag) {
  return MakeError("", "", fmt::format("{} has an empty value", flag),
                   fmt::format("Write {}, or leave the flag out", FormOf(option, flag)));
}

// Of the flag at the beginning of `arguments`; returns how many of them it is with its value.
Result<size_t> CheckFlag(const CLI::App& app, std::span<char* const> arguments) {
  const std::string_view argument = arguments[0];
  const size_t equals = argument.find('=');
  const std::string flag(argument.substr(0, equals));
  const CLI::Option* option = app.get_option_no_throw(flag);
  if (option == nullptr) return Fail(NoSuchFlag(app, flag));
  if (equals != std::string_view::npos) {
    if (equals + 1 == argument.size()) return Fail(EmptyValue(*option, flag));
    return size_t{1};
  }
  if (option->get_items_expected_min() == 0 || arguments.size() < 2) return size_t{1};
  const std::string_view value = arguments[1];
  if (value.empty()) return Fail(EmptyValue(*option, flag));
  if (!IsFlag(value)) return size_t{2};
  return Fail(MakeError("", "",
                        fmt::format("{} has no value: {} behind it is a flag", flag, Quoted(value)),
                        fmt::format("Write {}", FormOf(*option, flag))));
}

}  // namespace

std::string NameOfCommand(const CLI::App& app, std::span<char* const> arguments) {
  std::string name = app.get_name();
  const CLI::App* at = &app;
  for (const std::string_view argument : arguments) {
    if (!NeedsCommand(*at)) break;
    if (argument.empty() || argument.starts_with('-')) continue;
    at = Below(*at, argument);
    if (at == nullptr) break;
    name += " " + at->get_name();
  }
  return name;
}

Status CheckArguments(const CLI::App& app, std::span<char* const> arguments) {
  const CLI::App* at = &app;
  while (!arguments.empty()) {
    const std::string_view argument = arguments[0];
    if (argument == "--") return {};
    size_t taken = 1;
    if (argument.empty()) {
      return Fail(MakeError("", "", "an argument is empty",
                            "Leave it out, or is a variable of the shell without a value"));
    }
    if (IsFlag(argument)) {
      RAILGAUGE_ASSIGN_OR_RETURN(taken, CheckFlag(*at, arguments));
    } else if (IsShortFlag(argument)) {
      if (at->get_option_no_throw(std::string(argument)) == nullptr) {
        return Fail(NoSuchFlag(*at, argument));
      }
    } else if (!argument.starts_with('-') && NeedsCommand(*at)) {
      const CLI::App* below = Below(*at, argument);
      if (below == nullptr) return Fail(NoSuchCommand(*at, argument));
      at = below;
    }
    arguments = arguments.subspan(taken);
  }
  return {};
}

std::string WhatParserSays(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
    return Quoted(extras.front()) + " is an argument too many";
  }
  const std::string_view what = error.what();
  constexpr size_t kMost = 400, kEnd = 200;  // what is wrong with a value stands behind it
  if (what.size() <= kMost) return Printable(what);
  return Shortened(what) + Printable(what.substr(what.size() - kEnd));
}

}  // namespace railgauge
