#include "lib/scenario/fault/fault.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "fmt/core.h"
#include "lib/scenario/yaml_document.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".yaml";

FaultDefinition ReadDefinition(const YamlNode& root, YamlErrors* errors) {
  FaultDefinition fault;
  const YamlMap map(
      root, "the fault",
      {"schema", "fault", "says", "stands_for", "target", "value", "may_start_later", "edits"},
      errors);
  map.Uint("schema", 1, 1);
  fault.name = map.Text("fault");
  fault.says = map.Text("says");
  fault.stands_for = map.Text("stands_for");
  if (const YamlNode* node = map.Optional("target")) {
    fault.target = ReadFaultTargetForm(*node, errors);
  }
  if (const YamlNode* node = map.Optional("value")) {
    fault.value = ReadFaultValueForm(*node, errors);
  }
  if (map.Optional("may_start_later") != nullptr) {
    fault.may_start_later = map.Bool("may_start_later");
  }
  for (const YamlNode& item : map.List("edits")) {
    fault.edits.push_back(ReadFaultEdit(item, errors));
  }
  return fault;
}

Result<FaultDefinition> DefinitionOf(const YamlNode& root, const std::string& file) {
  YamlErrors errors(file);
  FaultDefinition fault = ReadDefinition(root, &errors);
  if (!errors.ok()) return Fail(errors.first());
  return fault;
}

// An error of a part that does not know which fault it belongs to.
Error About(const FaultSpec& spec, Error error) {
  error.operation = "apply fault";
  error.object = spec.text;
  return error;
}

Error UnknownFault(const FaultSpec& spec, const std::vector<FaultDefinition>& definitions) {
  std::vector<std::string> names;
  for (const FaultDefinition& definition : definitions) names.push_back(definition.name);
  return MakeError("apply fault", spec.text, fmt::format("there is no fault '{}'", spec.name),
                   AdviceAmong(spec.name, names));
}

Status Apply(const FaultSpec& spec, const FaultDefinition& fault, EmulatedMachine* machine) {
  if (spec.has_start && !fault.may_start_later) {
    return Fail(MakeError("", "", "it holds from the beginning and cannot start later",
                          "Leave '@' and the time out"));
  }
  FaultRequest request;
  request.start = spec.start;
  RAILGAUGE_ASSIGN_OR_RETURN(request.value, ParseFaultValue(fault.value, spec.value));
  RAILGAUGE_ASSIGN_OR_RETURN(request.target, FindFaultTarget(fault.target, spec.target, *machine));
  for (const FaultEdit& edit : fault.edits) {
    RAILGAUGE_RETURN_IF_ERROR(
        edit.primitive->apply(EditArguments(edit.arguments, request), machine));
  }
  return {};
}

// Of one target two values at one time: the user meant one of them.
Status CheckValuesOnce(const std::vector<FaultSpec>& faults) {
  for (auto spec = faults.begin(); spec != faults.end(); ++spec) {
    const auto before = std::find_if(faults.begin(), spec, [&](const FaultSpec& other) {
      return other.name == spec->name && other.target == spec->target &&
             other.start == spec->start && !spec->value.empty();
    });
    if (before == spec) continue;
    return Fail(MakeError("apply fault", spec->text,
                          fmt::format("it is given twice, before as {}", before->text),
                          "Leave one of them out"));
  }
  return {};
}

}  // namespace

Result<FaultDefinition> ReadFaultDefinition(std::string_view yaml, const std::string& file) {
  RAILGAUGE_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(yaml, file));
  return DefinitionOf(root, file);
}

Result<std::vector<FaultDefinition>> LoadFaults(const std::string& scenarios_dir) {
  const std::string directory = scenarios_dir + "/faults";
  std::vector<FaultDefinition> faults;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (entry->path().extension() != kExtension) continue;
    RAILGAUGE_ASSIGN_OR_RETURN(const YamlNode root, ReadYamlFile(path));
    RAILGAUGE_ASSIGN_OR_RETURN(FaultDefinition fault, DefinitionOf(root, path));
    if (fault.name != entry->path().stem().string()) {
      return Fail(MakeError("read scenario", path,
                            fmt::format("it describes the fault '{}'", Printable(fault.name)),
                            "Name the file after its fault"));
    }
    faults.push_back(std::move(fault));
  }
  if (error) {
    return Fail(ErrnoError(error.value(), "list faults", directory,
                           "Give the directory that holds the project's scenarios"));
  }
  std::sort(faults.begin(), faults.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return faults;
}

Status ApplyFaults(const std::vector<FaultSpec>& faults,
                   const std::vector<FaultDefinition>& definitions, EmulatedMachine* machine) {
  RAILGAUGE_RETURN_IF_ERROR(CheckValuesOnce(faults));
  for (const FaultSpec& spec : faults) {
    const auto fault =
        std::find_if(definitions.begin(), definitions.end(),
                     [&](const FaultDefinition& known) { return known.name == spec.name; });
    if (fault == definitions.end()) return Fail(UnknownFault(spec, definitions));
    if (const Status applied = Apply(spec, *fault, machine); !applied) {
      return Fail(About(spec, applied.error()));
    }
  }
  return {};
}

std::string ListFaults(const std::vector<FaultDefinition>& definitions) {
  std::string text;
  for (const FaultDefinition& fault : definitions) {
    const std::string target = Describe(fault.target);
    const std::string value = Describe(fault.value);
    const auto part = [](bool there, bool optional, const char* with) -> std::string {
      if (!there) return "";
      return optional ? fmt::format("[{}]", with) : with;
    };
    text += fmt::format(
        "{}{}{}{}\n    {}\n", fault.name,
        part(!target.empty(), !fault.target.default_text.empty(), ":TARGET"),
        part(!value.empty(), fault.value.optional || !fault.value.default_text.empty(), "=VALUE"),
        part(fault.may_start_later, true, "@START"), fault.says);
    if (!target.empty()) text += fmt::format("    TARGET: {}\n", target);
    if (!value.empty()) text += fmt::format("    VALUE: {}\n", value);
  }
  return text;
}

}  // namespace railgauge
