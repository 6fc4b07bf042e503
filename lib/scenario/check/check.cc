#include "lib/scenario/check/check.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "fmt/core.h"
#include "fmt/format.h"
#include "lib/scenario/spec.h"
#include "lib/scenario/yaml_document.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

// The value whose name stands in `node`, read with the vocabulary's own parser.
template <typename T>
T ReadWord(const YamlNode& node, std::string_view what, std::optional<T> (*parse)(std::string_view),
           std::string_view like, YamlErrors* errors) {
  const std::string text = ReadText(node, what, errors);
  const std::optional<T> value = errors->ok() ? parse(text) : std::nullopt;
  if (errors->ok() && !value) errors->AddWrong(node, what, fmt::format("it like {}", like));
  return value.value_or(T{});
}

MemoryPlace ReadPlace(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  return ReadWord(node, what, &MemoryPlace::Parse, "numa0 or gpu:0000:53:00.0", errors);
}

Verdict ReadVerdict(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  return ReadWord(node, what, &ParseVerdict, "OK, WRONG or UNDECIDED", errors);
}

std::string OptionalText(const YamlMap& map, std::string_view key) {
  return map.Optional(key) != nullptr ? map.Text(key) : "";
}

std::vector<std::string> OptionalTexts(const YamlMap& map, std::string_view key,
                                       YamlErrors* errors) {
  std::vector<std::string> texts;
  const YamlNode* node = map.Optional(key);
  if (node == nullptr) return texts;
  for (const YamlNode* item : ReadOneOrMore(*node, key, errors)) texts.push_back(item->scalar);
  return texts;
}

// "none", or a list of at least one.
std::span<const YamlNode> NoneOrList(const YamlMap& map, std::string_view key, YamlErrors* errors) {
  const YamlNode& node = map.Required(key);
  if (node.kind == YamlNode::Kind::kScalar && node.scalar == "none") return {};
  if (node.kind != YamlNode::Kind::kList && errors->ok()) {
    errors->AddWrong(node, key, "none, or a list");
    return {};
  }
  return ReadList(node, key, errors);
}

ExpectedVerdict ReadExpectedVerdict(const YamlNode& node, YamlErrors* errors) {
  const YamlMap map(node, "an item of verdicts", {"consumer", "verdict", "best", "reason"}, errors);
  ExpectedVerdict expected;
  expected.line = node.line;
  expected.consumer = ReadPlace(map.Required("consumer"), "consumer", errors);
  expected.verdict = ReadVerdict(map.Required("verdict"), "verdict", errors);
  expected.best = OptionalTexts(map, "best", errors);
  expected.reason = OptionalText(map, "reason");
  return expected;
}

ExpectedFinding ReadExpectedFinding(const YamlNode& node, YamlErrors* errors) {
  const YamlMap map(node, "an item of findings", {"kind", "nics", "places", "field", "text"},
                    errors);
  ExpectedFinding expected;
  expected.line = node.line;
  expected.kind = map.Text("kind");
  expected.nics = OptionalTexts(map, "nics", errors);
  if (const YamlNode* places = map.Optional("places")) {
    for (const YamlNode* place : ReadOneOrMore(*places, "places", errors)) {
      expected.places.push_back(ReadPlace(*place, "places", errors));
    }
  }
  if (const YamlNode* field = map.Optional("field")) {
    expected.field = ReadWord(*field, "field", &ParseIcField, "recv or rdma_read", errors);
  }
  expected.text = OptionalText(map, "text");
  return expected;
}

ExpectedGroup ReadExpectedGroup(const YamlNode& node, YamlErrors* errors) {
  const YamlMap map(node, "an item of groups", {"load", "sharing", "resource"}, errors);
  ExpectedGroup expected;
  expected.line = node.line;
  expected.load = map.Text("load");
  expected.sharing =
      ReadWord(map.Required("sharing"), "sharing", &ParseSharing, "independent or slowed", errors);
  expected.resource = OptionalText(map, "resource");
  return expected;
}

ExpectedCensus ReadExpectedCensus(const YamlNode& node, YamlErrors* errors) {
  const YamlMap map(node, "census", {"nics", "relations", "status"}, errors);
  ExpectedCensus expected;
  expected.line = node.line;
  if (map.Optional("nics") != nullptr) expected.nics = map.Uint("nics", 1, 1000);
  if (const YamlNode* relations = map.Optional("relations")) {
    for (const YamlNode* relation : ReadOneOrMore(*relations, "relations", errors)) {
      expected.relations.push_back(
          ReadWord(*relation, "relations", &ParseRelation, "same_switch or unknown", errors));
    }
  }
  if (const YamlNode* status = map.Optional("status")) {
    const YamlMap ways(*status, "status", {"host", "dmabuf", "peer_memory"}, errors);
    for (const YamlMember& member : status->members) {
      const auto way = ParseRegistrationWay(member.key);
      if (!way) continue;  // the map has said so
      expected.status[*way] = ReadWord(member.value, member.key, &ParseCensusStatus,
                                       "ok or registration_failed", errors);
    }
  }
  return expected;
}

CheckRun ReadRun(const YamlNode& node, YamlErrors* errors) {
  const YamlMap map(node, "run", {"command", "nics", "places", "groups", "sizes", "time_budget"},
                    errors);
  CheckRun run;
  const std::string command = map.Text("command");
  if (command == "load") {
    run.command = CheckRun::Command::kLoad;
  } else if (command != "check") {
    errors->AddWrong(map.Required("command"), "command", "check or load");
  }
  run.nics = OptionalTexts(map, "nics", errors);
  run.places = OptionalTexts(map, "places", errors);
  run.groups = OptionalText(map, "groups");
  run.sizes = OptionalText(map, "sizes");
  run.time_budget = map.Text("time_budget");
  map.Duration("time_budget");
  return run;
}

// A policy or file; or the pairs themselves: one map of consumer and nics each.
void ReadPlacement(const YamlNode& node, Check* check, YamlErrors* errors) {
  if (node.kind != YamlNode::Kind::kList) {
    check->placement = ReadText(node, "placement", errors);
    return;
  }
  for (const YamlNode& item : ReadList(node, "placement", errors)) {
    const YamlMap map(item, "an item of placement", {"consumer", "nics"}, errors);
    const std::string consumer = map.Text("consumer");
    for (const YamlNode* nic : ReadOneOrMore(map.Required("nics"), "nics", errors)) {
      check->pairs.push_back({consumer, nic->scalar});
    }
  }
}

std::map<std::string, std::string> ReadReasons(const YamlMap& map, std::string_view key,
                                               YamlErrors* errors) {
  std::map<std::string, std::string> reasons;
  const YamlNode* node = map.Optional(key);
  if (node == nullptr) return reasons;
  if (node->kind != YamlNode::Kind::kMap) {
    errors->AddWrong(*node, key, "a map of policies and reasons");
  }
  for (const YamlMember& member : node->members) {
    reasons[member.key] = ReadText(member.value, member.key, errors);
  }
  return reasons;
}

void ReadExpectations(const YamlMap& map, Check* check, YamlErrors* errors) {
  check->exit_status = static_cast<int>(map.Uint("exit_status", 0, 3));
  if (map.Optional("error") != nullptr) {
    check->error = map.Text("error");
    for (const char* key : {"verdicts", "others", "groups", "findings", "census"}) {
      if (const YamlNode* node = map.Optional(key)) {
        errors->Add(node->line,
                    fmt::format("nothing is judged after an error, so there is no '{}'", key),
                    "Remove one of the two");
      }
    }
    return;
  }
  for (const YamlNode& item : NoneOrList(map, "findings", errors)) {
    check->findings.push_back(ReadExpectedFinding(item, errors));
  }
  if (const YamlNode* node = map.Optional("census")) {
    check->census = ReadExpectedCensus(*node, errors);
  }
  if (check->run.command == CheckRun::Command::kLoad) {
    for (const YamlNode& item : map.List("groups")) {
      check->groups.push_back(ReadExpectedGroup(item, errors));
    }
    return;
  }
  if (map.Optional("verdicts") != nullptr) {
    for (const YamlNode& item : map.List("verdicts")) {
      check->verdicts.push_back(ReadExpectedVerdict(item, errors));
    }
  }
  if (const YamlNode* node = map.Optional("others")) {
    check->others = ReadVerdict(*node, "others", errors);
  }
  if (check->verdicts.empty() && !check->others) {
    errors->Add(map.line(), "the check expects no verdict", "Add 'verdicts' or 'others'");
  }
}

Check ReadCheck(const YamlNode& root, YamlErrors* errors) {
  const YamlMap map(root, "the check",
                    {"schema", "check", "stands_for", "says", "machine", "faults", "run",
                     "placement", "end_to_end", "error", "verdicts", "others", "groups", "findings",
                     "census", "exit_status", "right", "not_right"},
                    errors);
  Check check;
  map.Uint("schema", 1, 1);
  check.name = map.Text("check");
  check.stands_for = map.Text("stands_for");
  check.says = map.Text("says");
  check.machine = map.Text("machine");
  check.faults = OptionalTexts(map, "faults", errors);
  check.run = ReadRun(map.Required("run"), errors);
  if (check.run.command == CheckRun::Command::kCheck) {
    ReadPlacement(map.Required("placement"), &check, errors);
  } else if (const YamlNode* node = map.Optional("placement")) {
    errors->Add(node->line, "load judges no placement", "Remove it");
  }
  if (map.Optional("end_to_end") != nullptr) check.end_to_end = map.Bool("end_to_end");
  ReadExpectations(map, &check, errors);
  check.right = ReadReasons(map, "right", errors);
  check.not_right = ReadReasons(map, "not_right", errors);
  if (errors->ok()) {
    if (const auto spec = ParseMachineSpec(check.Spec()); !spec) {
      errors->Add(map.line(), spec.error().object + ": " + spec.error().reason,
                  spec.error().advice);
    }
  }
  return check;
}

}  // namespace

std::string Check::Spec() const {
  std::string spec = machine;
  for (const std::string& fault : faults) spec += "," + fault;
  return spec;
}

std::string Check::DecisionCsv() const {
  if (pairs.empty()) return "";
  std::string csv = "consumer,nic\n";
  for (const DecidedPair& pair : pairs) csv += fmt::format("{},{}\n", pair.consumer, pair.nic);
  return csv;
}

Result<Check> ParseCheck(std::string_view yaml, const std::string& file) {
  RAILGAUGE_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(yaml, file));
  YamlErrors errors(file);
  Check check = ReadCheck(root, &errors);
  if (!errors.ok()) return Fail(errors.first());
  return check;
}

Result<Check> LoadCheck(const std::string& path) {
  RAILGAUGE_ASSIGN_OR_RETURN(const YamlNode root, ReadYamlFile(path));
  YamlErrors errors(path);
  Check check = ReadCheck(root, &errors);
  if (!errors.ok()) return Fail(errors.first());
  if (check.name != fs::path(path).stem().string()) {
    return Fail(MakeError("read scenario", path,
                          fmt::format("it describes the check '{}'", Printable(check.name)),
                          "Name the file after its check"));
  }
  return check;
}

Result<std::vector<Check>> LoadChecks(const std::string& scenarios_dir) {
  const std::string directory = scenarios_dir + "/checks";
  std::vector<Check> checks;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".yaml") continue;
    RAILGAUGE_ASSIGN_OR_RETURN(Check check, LoadCheck(entry->path().string()));
    checks.push_back(std::move(check));
  }
  if (error) {
    return Fail(ErrnoError(error.value(), "list checks", directory,
                           "Give the directory that holds the project's scenarios"));
  }
  std::sort(checks.begin(), checks.end(),
            [](const Check& a, const Check& b) { return a.name < b.name; });
  return checks;
}

std::string PlacementOf(const Check& check, const std::string& checks_dir) {
  std::error_code ignored;
  const std::string file = checks_dir + "/" + check.placement;
  return fs::is_regular_file(file, ignored) ? file : check.placement;
}

std::vector<std::string> RunArguments(const Check& check, const std::string& placement,
                                      const std::string& directory) {
  const CheckRun& run = check.run;
  const bool load = run.command == CheckRun::Command::kLoad;
  std::vector<std::string> arguments = {load ? "load" : "check", "--emulate=" + check.Spec(),
                                        "--time-budget=" + run.time_budget,
                                        "--output=" + directory};
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) arguments.push_back(fmt::format("{}={}", flag, value));
  };
  if (!load) add("--placement", placement);
  add("--nics", fmt::format("{}", fmt::join(run.nics, ",")));
  add("--places", fmt::format("{}", fmt::join(run.places, ",")));
  add("--groups", run.groups);
  add("--sizes", run.sizes);
  return arguments;
}

}  // namespace railgauge
