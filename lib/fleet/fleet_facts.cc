#include "lib/fleet/fleet_facts.h"

#include <algorithm>
#include <set>

#include "fmt/core.h"
#include "fmt/ranges.h"
#include "lib/base/file.h"
#include "nlohmann/json.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = size_t{16} << 20;

std::string TextOf(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

// What the devices of `kind` say under `name`, each once.
std::string AllOf(const Json& machine, const char* kind, const char* name) {
  std::set<std::string> texts;
  const auto devices = machine.find(kind);
  if (devices == machine.end() || !devices->is_array()) return "";
  for (const Json& device : *devices) {
    if (!device.is_object()) continue;
    std::string text = TextOf(device, name);
    if (!text.empty()) texts.insert(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

void AddFacts(std::string_view run_json, size_t node, FleetFacts& facts) {
  const Json run = Json::parse(run_json, nullptr, /*allow_exceptions=*/false);
  if (!run.is_object()) return;
  ++facts.runs;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) facts.nodes[name][value].push_back(node);
  };
  const std::string start = TextOf(run, "start"), end = TextOf(run, "end");
  if (!start.empty() && (facts.first_start.empty() || start < facts.first_start)) {
    facts.first_start = start;
  }
  facts.last_end = std::max(facts.last_end, end);
  add("scenario", TextOf(run, "scenario"));
  if (const auto versions = run.find("versions"); versions != run.end() && versions->is_object()) {
    for (const auto& [name, value] : versions->items()) {
      if (value.is_string()) add(name, value.get<std::string>());
    }
  }
  const auto machine = run.find("machine");
  if (machine == run.end() || !machine->is_object()) return;
  for (const char* name : {"instance_type", "availability_zone", "image_id", "kernel"}) {
    add(name, TextOf(*machine, name));
  }
  add("efa_driver", TextOf(*machine, "efa_driver_version"));
  add("nic_firmware", AllOf(*machine, "nics", "firmware"));
  add("gpu_model", AllOf(*machine, "gpus", "model"));
}

FleetFacts ReadFleetFacts(const FleetTree& tree, const FleetPlan& plan,
                          std::span<const PlannedPair> runs, size_t most) {
  FleetFacts facts;
  for (const PlannedPair& pair : runs.subspan(0, std::min(most, runs.size()))) {
    const std::string directory =
        tree.RunPath(plan.nodes[pair.initiator].name, plan.nodes[pair.target].name);
    const auto content = ReadRegularFile(directory + "/run.json", kMaxBytes);
    if (content) AddFacts(*content, pair.initiator, facts);
  }
  return facts;
}

}  // namespace railgauge
