#include "lib/scenario/fault/target.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/scenario/location.h"

namespace railgauge {
namespace {

using Kind = FaultTargetForm::Kind;

constexpr std::string_view kAll = "all";

struct KindWord {
  std::string_view word;
  Kind kind;
  std::string_view form;
};

constexpr KindWord kKinds[] = {
    {"nic", Kind::kNic, "a NIC, or all"},
    {"gpu", Kind::kGpu, "a GPU, or all"},
    {"function", Kind::kFunction, "a NIC or GPU, or all"},
    {"path", Kind::kPath, "NIC, PLACE and DIRECTION, any of them, joined by '/'"},
    {"way", Kind::kWay, "[NIC/]WAY with host, dmabuf or peer_memory"},
    {"relation", Kind::kRelation,
     "same_switch, same_host_bridge, same_numa_node or other_numa_node"},
    {"port", Kind::kPort, "a NIC, GPU or bridge below the root port, or all"},
};

Error Unknown(std::string_view what, const std::string& word, std::vector<std::string> known) {
  return MakeError("", "", fmt::format("there is no {} '{}'", what, Printable(word)),
                   AdviceAmong(word, known));
}

// The number of a GPU is no misspelling of another number.
Error UnknownGpu(const std::string& word, const std::vector<std::string>& known) {
  const std::string_view number = std::string_view(word).substr(std::min<size_t>(3, word.size()));
  if (known.empty() || !word.starts_with("gpu") || number.empty() ||
      number.find_first_not_of("0123456789") != std::string_view::npos) {
    return Unknown("GPU", word, known);
  }
  return MakeError("", "", fmt::format("there is no GPU '{}'", Printable(word)),
                   fmt::format("The machine has {}{}", known.front(),
                               known.size() == 1 ? "" : " to " + known.back()));
}

// The names by which parts of the machine are called, and what they stand for.
class Names {
 public:
  explicit Names(const EmulatedMachine& machine) : machine_(machine) {}

  bool AddNic(const std::string& word, FaultTarget* target) const {
    return AddIf(machine_.nics, &target->nics, [&](const EmulatedNic& nic, size_t) {
      return word == kAll || word == nic.name || word == nic.address.ToString();
    });
  }
  bool AddGpu(const std::string& word, FaultTarget* target) const {
    return AddIf(machine_.gpus, &target->gpus, [&](const EmulatedGpu& gpu, size_t index) {
      return word == kAll || word == fmt::format("gpu{}", index) ||
             word == gpu.address.ToString() || word == "gpu:" + gpu.address.ToString();
    });
  }
  bool AddPlace(const std::string& word, FaultTarget* target) const {
    FaultTarget gpu;
    if (word != kAll && AddGpu(word, &gpu)) {
      target->places.push_back(MemoryPlace::Gpu(gpu.gpus.front()));
      return true;
    }
    const size_t before = target->places.size();
    for (const MemoryPlace& place : machine_.Places()) {
      if (word == kAll || word == place.ToString()) target->places.push_back(place);
    }
    return target->places.size() > before;
  }

  std::vector<std::string> Nics() const {
    std::vector<std::string> names;
    for (const EmulatedNic& nic : machine_.nics) names.push_back(nic.name);
    return names;
  }
  std::vector<std::string> Gpus() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < machine_.gpus.size(); ++i) names.push_back(fmt::format("gpu{}", i));
    return names;
  }
  std::vector<std::string> Places() const {
    std::vector<std::string> names = Gpus();
    for (const MemoryPlace& place : machine_.Places()) {
      if (!place.is_gpu()) names.push_back(place.ToString());
    }
    return names;
  }

 private:
  template <typename T, typename Matches>
  static bool AddIf(const std::vector<T>& all, std::vector<PciAddress>* chosen, Matches matches) {
    bool any = false;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!matches(all[i], i)) continue;
      chosen->push_back(all[i].address);
      any = true;
    }
    return any;
  }

  const EmulatedMachine& machine_;
};

std::vector<std::string> Joined(std::vector<std::string> first, std::vector<std::string> second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<std::string> Parts(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const size_t slash = text.find('/');
    parts.emplace_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

Status AddPathPart(const Names& names, const std::string& word, FaultTarget* target) {
  if (names.AddNic(word, target)) return {};
  if (names.AddPlace(word, target)) return {};
  if (const auto direction = ParseDirection(word)) {
    target->directions.push_back(*direction);
    return {};
  }
  return Fail(Unknown("NIC, place or direction", word,
                      Joined(Joined(names.Nics(), names.Places()), {"to_memory", "from_memory"})));
}

Status AddWayPart(const Names& names, const std::string& word, FaultTarget* target) {
  if (names.AddNic(word, target)) return {};
  if (const auto way = ParseRegistrationWay(word)) {
    target->ways.push_back(*way);
    return {};
  }
  return Fail(Unknown("NIC or registration way", word,
                      Joined({"host", "dmabuf", "peer_memory"}, names.Nics())));
}

void AddRootPorts(const EmulatedMachine& machine, FaultTarget* target) {
  for (const EmulatedHostBridge& host : machine.host_bridges) {
    for (const EmulatedPciDevice& device : host.children) {
      if (device.kind == EmulatedPciDevice::Kind::kBridge) target->ports.push_back(device.address);
    }
  }
}

bool IsBelow(const EmulatedPciDevice& bridge, const PciAddress& address) {
  if (bridge.address == address) return true;
  return std::any_of(bridge.children.begin(), bridge.children.end(),
                     [&](const EmulatedPciDevice& child) { return IsBelow(child, address); });
}

Status AddPort(const Names& names, const std::string& word, const EmulatedMachine& machine,
               FaultTarget* target) {
  FaultTarget all;
  AddRootPorts(machine, &all);
  if (word == kAll) target->ports = all.ports;
  FaultTarget named;
  std::optional<PciAddress> address = PciAddress::Parse(word);
  if (word != kAll && (names.AddNic(word, &named) || names.AddGpu(word, &named))) {
    address = named.nics.empty() ? named.gpus.front() : named.nics.front();
  }
  for (const EmulatedHostBridge& host : machine.host_bridges) {
    for (const EmulatedPciDevice& device : host.children) {
      const bool bridge = device.kind == EmulatedPciDevice::Kind::kBridge;
      if (bridge && address && IsBelow(device, *address)) target->ports.push_back(device.address);
    }
  }
  if (!target->ports.empty()) return {};
  if (word != kAll && !address) {
    return Fail(Unknown("NIC, GPU or bridge", word, Joined(names.Nics(), names.Gpus())));
  }
  return Fail(MakeError("", "", fmt::format("no root port is above '{}'", Printable(word)),
                        "Take a machine that shows bridges"));
}

Status Find(const FaultTargetForm& form, const std::string& text, const EmulatedMachine& machine,
            FaultTarget* target) {
  const Names names(machine);
  switch (form.kind) {
    case Kind::kNone:
      return {};
    case Kind::kNic:
      if (names.AddNic(text, target)) return {};
      return Fail(Unknown("NIC", text, names.Nics()));
    case Kind::kGpu:
      if (names.AddGpu(text, target)) return {};
      return Fail(UnknownGpu(text, names.Gpus()));
    case Kind::kFunction: {
      const bool nic = names.AddNic(text, target);
      if (names.AddGpu(text, target) || nic) return {};
      return Fail(Unknown("NIC or GPU", text, Joined(names.Nics(), names.Gpus())));
    }
    case Kind::kPath:
      for (const std::string& part : Parts(text)) {
        RAILGAUGE_RETURN_IF_ERROR(AddPathPart(names, part, target));
      }
      return {};
    case Kind::kWay:
      for (const std::string& part : Parts(text)) {
        RAILGAUGE_RETURN_IF_ERROR(AddWayPart(names, part, target));
      }
      if (!target->ways.empty()) return {};
      return Fail(MakeError("", "", "it names no registration way",
                            "Write host, dmabuf or peer_memory after ':'"));
    case Kind::kRelation: {
      const auto relation = ParseRelation(text);
      if (!relation) {
        return Fail(
            Unknown("relation", text,
                    {"same_switch", "same_host_bridge", "same_numa_node", "other_numa_node"}));
      }
      target->relations.push_back(*relation);
      return {};
    }
    case Kind::kPort:
      return AddPort(names, text, machine, target);
  }
  return {};
}

// Kinds whose parts restrict one another: what is not named is not restricted.
void FillUp(const EmulatedMachine& machine, FaultTarget* target) {
  const Names names(machine);
  if (target->nics.empty()) names.AddNic(std::string(kAll), target);
  if (target->places.empty()) target->places = machine.Places();
  if (target->directions.empty()) {
    target->directions = {Direction::kToMemory, Direction::kFromMemory};
  }
}

}  // namespace

FaultTargetForm ReadFaultTargetForm(const YamlNode& node, YamlErrors* errors) {
  FaultTargetForm form;
  const YamlMap map(node, "target", {"is", "default"}, errors);
  const std::string word = map.Text("is");
  if (!errors->ok()) return form;
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const KindWord& known) { return known.word == word; });
  if (kind == std::end(kKinds)) {
    std::vector<std::string> known;
    for (const KindWord& one : kKinds) known.emplace_back(one.word);
    errors->AddWrong(map.Required("is"), "is", fmt::format("{}", fmt::join(known, ", ")));
    return form;
  }
  form.kind = kind->kind;
  if (const YamlNode* text = map.Optional("default")) {
    form.default_text = ReadText(*text, "default", errors);
  }
  return form;
}

std::string Describe(const FaultTargetForm& form) {
  for (const KindWord& known : kKinds) {
    if (known.kind != form.kind) continue;
    std::string text(known.form);
    if (!form.default_text.empty()) text += fmt::format("; {} when left out", form.default_text);
    return text;
  }
  return "";
}

Result<FaultTarget> FindFaultTarget(const FaultTargetForm& form, const std::string& text,
                                    const EmulatedMachine& machine) {
  const std::string word = text.empty() ? form.default_text : text;
  if (form.kind == Kind::kNone && !text.empty()) {
    return Fail(MakeError("", "", "it is of the whole machine and takes no target",
                          fmt::format("Leave ':{}' out", Printable(text))));
  }
  if (form.kind != Kind::kNone && word.empty()) {
    return Fail(MakeError("", "", "it needs a target", "Add ':' and " + Describe(form)));
  }
  FaultTarget target;
  RAILGAUGE_RETURN_IF_ERROR(Find(form, word, machine, &target));
  if (form.kind == Kind::kPath || form.kind == Kind::kWay || form.kind == Kind::kRelation) {
    FillUp(machine, &target);
  }
  return target;
}

}  // namespace railgauge
