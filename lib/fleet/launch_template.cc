#include "lib/fleet/launch_template.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fmt/core.h"
#include "lib/base/quoted.h"
#include "lib/base/shell_word.h"

namespace railgauge {
namespace {

struct Preset {
  std::string_view name;
  std::string_view text;
};

constexpr Preset kPresets[] = {
    // A step beside others in the job's allocation, with all CPUs: the threads that measure place
    // themselves.
    {"srun",
     "srun --nodes=1 --ntasks=1 --nodelist={host} --overlap --cpu-bind=none --input=none "
     "--unbuffered {argv}"},
    {"ssh", "ssh -n -o BatchMode=yes -o ConnectTimeout=10 {host} {command}"},
    {"mpirun", "mpirun --host {host} -np 1 --bind-to none {argv}"},
};

constexpr std::string_view kArgv = "{argv}";
constexpr std::array<std::string_view, 4> kInWords = {"{host}", "{address}", "{index}",
                                                      "{command}"};

Error TemplateError(std::string_view text, std::string reason) {
  return MakeError("read --launch", Quoted(text), std::move(reason),
                   "Write srun, ssh, mpirun, or like --launch='ssh {host} {command}'");
}

Result<std::vector<std::string>> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::exchange(word, ""));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return Fail(TemplateError(text, "a quote in it does not close"));
  if (in_word) words.push_back(word);
  return words;
}

// What stands in braces and is no placeholder; empty for none.
std::string UnknownPlaceholder(const std::string& word) {
  for (size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
    const std::string name = word.substr(at, word.find('}', at) - at + 1);
    if (std::find(kInWords.begin(), kInWords.end(), name) == kInWords.end()) return name;
  }
  return "";
}

void ReplaceAll(std::string_view what, const std::string& with, std::string& text) {
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace

std::string_view PresetOf(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset.text;
  }
  return "";
}

Result<LaunchTemplate> LaunchTemplate::Parse(std::string_view text) {
  const std::string_view preset = PresetOf(text);
  RAILGAUGE_ASSIGN_OR_RETURN(std::vector<std::string> words,
                             SplitWords(preset.empty() ? text : preset));
  size_t commands = 0;
  for (const std::string& word : words) {
    if (word == kArgv) {
      ++commands;
      continue;
    }
    if (word.find("{command}") != std::string::npos) ++commands;
    const std::string unknown = UnknownPlaceholder(word);
    if (unknown.empty()) continue;
    return Fail(TemplateError(text, unknown == kArgv
                                        ? "{argv} is words of its own and no part of one"
                                        : "there is no " + unknown));
  }
  if (words.empty() || commands != 1) {
    return Fail(TemplateError(text, "it has not one of {argv} and {command}"));
  }
  return LaunchTemplate(std::move(words));
}

std::vector<std::string> LaunchTemplate::Expand(const FleetNode& node, size_t index,
                                                const std::vector<std::string>& command) const {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + QuoteForShell(word);
  std::vector<std::string> expanded;
  for (std::string word : words_) {
    if (word == kArgv) {
      expanded.insert(expanded.end(), command.begin(), command.end());
      continue;
    }
    ReplaceAll("{host}", node.name, word);
    ReplaceAll("{address}", node.address, word);
    ReplaceAll("{index}", std::to_string(index), word);
    ReplaceAll("{command}", line, word);
    expanded.push_back(std::move(word));
  }
  return expanded;
}

}  // namespace railgauge
