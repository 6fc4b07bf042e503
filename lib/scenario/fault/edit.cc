#include "lib/scenario/fault/edit.h"

#include <algorithm>
#include <charconv>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace railgauge {
namespace {

// What the user gave with the fault.
constexpr std::string_view kValue = "value";

std::vector<const EditPrimitive*> AllEdits() {
  std::vector<const EditPrimitive*> all;
  for (const auto part : {CapacityEdits(), TopologyEdits(), DeviceEdits(), TimingEdits()}) {
    for (const EditPrimitive& primitive : part) all.push_back(&primitive);
  }
  return all;
}

std::optional<double> ParseNumber(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

void CheckArgument(const YamlNode& node, const EditParameter& parameter, YamlErrors* errors) {
  const std::string& text = node.scalar;
  if (text == kValue) return;
  if (parameter.words.empty()) {
    if (!ParseNumber(text)) errors->AddWrong(node, parameter.name, "value, or a number");
  } else if (std::find(parameter.words.begin(), parameter.words.end(), text) ==
             parameter.words.end()) {
    errors->AddWrong(node, parameter.name,
                     fmt::format("value, {}", fmt::join(parameter.words, ", ")));
  }
}

}  // namespace

std::optional<std::string> EditArguments::Word(const std::string& name) const {
  const auto found = given_.find(name);
  if (found == given_.end()) return std::nullopt;
  return found->second == kValue ? request_.value.text : found->second;
}

double EditArguments::Number(const std::string& name) const {
  const auto found = given_.find(name);
  if (found == given_.end()) return 0;
  if (found->second == kValue) return request_.value.number;
  return ParseNumber(found->second).value_or(0);
}

FaultEdit ReadFaultEdit(const YamlNode& node, YamlErrors* errors) {
  FaultEdit edit;
  const YamlNode* name = node.kind == YamlNode::Kind::kMap ? node.Find("edit") : nullptr;
  if (name == nullptr) {
    errors->Add(node.line, "an item of edits names no edit",
                "Write it like {edit: scale_lines, by: value}");
    return edit;
  }
  std::vector<std::string> known;
  for (const EditPrimitive* primitive : AllEdits()) {
    known.emplace_back(primitive->name);
    if (primitive->name == name->scalar) edit.primitive = primitive;
  }
  if (edit.primitive == nullptr) {
    errors->Add(name->line, fmt::format("there is no edit '{}'", Printable(name->scalar)),
                AdviceAmong(name->scalar, known));
    return edit;
  }
  std::vector<std::string> parameters = {"edit"};
  for (const EditParameter& parameter : edit.primitive->parameters) {
    parameters.emplace_back(parameter.name);
    const YamlNode* argument = node.Find(parameter.name);
    if (argument != nullptr) {
      CheckArgument(*argument, parameter, errors);
      edit.arguments[std::string(parameter.name)] = argument->scalar;
    } else if (parameter.required) {
      errors->Add(node.line, fmt::format("{} has no '{}'", edit.primitive->name, parameter.name),
                  "Add it");
    }
  }
  for (const YamlMember& member : node.members) {
    if (std::find(parameters.begin(), parameters.end(), member.key) == parameters.end()) {
      errors->Add(
          member.line,
          fmt::format("{} has no argument '{}'", edit.primitive->name, Printable(member.key)),
          AdviceAmong(member.key, parameters));
    }
  }
  return edit;
}

}  // namespace railgauge
