#include "bench/benchmark_flags.h"

#include <fcntl.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "lib/base/nearest.h"
#include "lib/base/output_path.h"
#include "lib/base/quoted.h"
#include "lib/base/unique_fd.h"

namespace railgauge {
namespace {

// Why a value is none; empty for a good one.
using Why = std::optional<std::string>;

template <typename T>
bool IsNumber(std::string_view text, T* value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && rest == end;
}

Why AnyText(std::string_view) { return {}; }

Why OneOf(std::string_view value, std::initializer_list<std::string_view> known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return {};
  std::string all;
  for (const std::string_view word : known) all += (all.empty() ? "" : ", ") + std::string(word);
  return "it is none of " + all;
}

Why Format(std::string_view value) { return OneOf(value, {"console", "json", "csv"}); }
Why TimeUnit(std::string_view value) { return OneOf(value, {"ns", "us", "ms", "s"}); }

// The library takes every word that it does not know for "true".
Why Bool(std::string_view value) {
  return OneOf(value, {"", "true", "false", "yes", "no", "on", "off", "1", "0"});
}

Why Color(std::string_view value) {
  return OneOf(value, {"auto", "true", "false", "yes", "no", "on", "off", "1", "0"});
}

Why Seconds(std::string_view value) {
  double seconds = 0;
  if (!IsNumber(value, &seconds)) return "it is no number of seconds";
  if (!std::isfinite(seconds) || seconds < 0) return "it is negative or not finite";
  return {};
}

Why MinTime(std::string_view value) {
  if (value.ends_with('x')) {
    int64_t count = 0;
    value.remove_suffix(1);
    if (!IsNumber(value, &count) || count < 1) return "it is no number of iterations, like 100x";
    return {};
  }
  if (value.ends_with('s')) value.remove_suffix(1);
  return Seconds(value);
}

Why Repetitions(std::string_view value) {
  int32_t count = 0;
  if (!IsNumber(value, &count) || count < 1) return "it is no number of repetitions from 1 on";
  return {};
}

Why Context(std::string_view value) {
  while (true) {
    const size_t comma = value.find(',');
    const std::string_view pair = value.substr(0, comma);
    const size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos) return "it is no list of KEY=VALUE";
    const std::string_view key = pair.substr(0, equals);
    // Google Benchmark would keep the caller's value.
    for (const std::string_view own : {"platform", "instance_type", "run_id", "peer"}) {
      if (key == own) return "the run sets '" + std::string(key) + "' itself";
    }
    if (comma == std::string_view::npos) return {};
    value.remove_prefix(comma + 1);
  }
}

struct BenchmarkFlag {
  std::string_view name;
  Why (*check)(std::string_view value);
  std::string_view form;  // for advice
  bool value_is_optional = false;
};

// Of Google Benchmark 1.9.1; a test holds it against the library's own help.
constexpr BenchmarkFlag kFlags[] = {
    {"benchmark_list_tests", Bool, "true|false", true},
    {"benchmark_filter", AnyText, "REGEX"},
    {"benchmark_min_time", MinTime, "0.5s or 100x"},
    {"benchmark_min_warmup_time", Seconds, "0.5"},
    {"benchmark_repetitions", Repetitions, "5"},
    {"benchmark_dry_run", Bool, "true|false", true},
    {"benchmark_enable_random_interleaving", Bool, "true|false", true},
    {"benchmark_report_aggregates_only", Bool, "true|false", true},
    {"benchmark_display_aggregates_only", Bool, "true|false", true},
    {"benchmark_format", Format, "console|json|csv"},
    {"benchmark_out", AnyText, "FILE"},
    {"benchmark_out_format", Format, "json|console|csv"},
    {"benchmark_color", Color, "auto|true|false"},
    {"benchmark_counters_tabular", Bool, "true|false", true},
    {"benchmark_perf_counters", AnyText, "COUNTER,…"},
    {"benchmark_context", Context, "KEY=VALUE,…"},
    {"benchmark_time_unit", TimeUnit, "ns|us|ms|s"},
};

const BenchmarkFlag* Find(std::string_view name) {
  const auto* flag = std::find_if(std::begin(kFlags), std::end(kFlags),
                                  [&](const BenchmarkFlag& known) { return known.name == name; });
  return flag == std::end(kFlags) ? nullptr : flag;
}

// Opened as the library will open it, but for a pipe that nobody reads, on which it would wait.
Status CheckOutputFile(const std::string& path) {
  constexpr char kWhat[] = "write --benchmark_out";
  if (path.empty()) return {};
  RAILGAUGE_RETURN_IF_ERROR(CheckOutputPath(path, kWhat));
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
  if (fd.valid()) return {};
  return Fail(ErrnoError(errno, kWhat, path, "Choose a file that can be written"));
}

Status CheckValue(const BenchmarkFlag& flag, const std::string& where, const std::string& value) {
  if (const Why why = flag.check(value)) {
    return Fail(
        MakeError("read " + where, Quoted(value), *why,
                  "Write it like --" + std::string(flag.name) + "=" + std::string(flag.form)));
  }
  return flag.name == "benchmark_out" ? CheckOutputFile(value) : Status();
}

Status CheckArgument(const std::string& argument) {
  const size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const BenchmarkFlag* flag = Find(std::string_view(name).substr(2));
  if (flag == nullptr) {
    const auto nearest = Nearest(name, BenchmarkFlagNames());
    return Fail(MakeError("read the command line", Quoted(name), "there is no such flag",
                          nearest ? "Write '" + *nearest + "'" : "--help lists them"));
  }
  if (equals != std::string::npos) return CheckValue(*flag, name, argument.substr(equals + 1));
  if (flag->value_is_optional) return {};
  return Fail(MakeError("read the command line", argument, "it needs a value",
                        "Write it like " + name + "=" + std::string(flag->form)));
}

std::string VariableOf(std::string_view name) {
  std::string variable(name);
  for (char& c : variable) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

}  // namespace

std::optional<std::string> BenchmarkFlagValue(const std::vector<std::string>& arguments,
                                              std::string_view name) {
  const std::string flag = "--" + std::string(name);
  std::optional<std::string> value;
  if (const char* variable = std::getenv(VariableOf(name).c_str())) value = variable;
  for (const std::string& argument : arguments) {
    if (argument == flag) value = "";
    if (argument.starts_with(flag + "=")) value = argument.substr(flag.size() + 1);
  }
  return value;
}

std::vector<std::string> BenchmarkFlagNames() {
  std::vector<std::string> names;
  for (const BenchmarkFlag& flag : kFlags) names.push_back("--" + std::string(flag.name));
  return names;
}

Status CheckBenchmarkFlags(const std::vector<std::string>& arguments) {
  for (const BenchmarkFlag& flag : kFlags) {
    const std::string variable = VariableOf(flag.name);
    const char* value = std::getenv(variable.c_str());
    if (value != nullptr && *value != '\0') {
      RAILGAUGE_RETURN_IF_ERROR(CheckValue(flag, "the variable " + variable, value));
    }
  }
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--benchmark_")) RAILGAUGE_RETURN_IF_ERROR(CheckArgument(argument));
  }
  return {};
}

}  // namespace railgauge
