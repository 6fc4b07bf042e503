#include "lib/record/place.h"

#include <array>
#include <charconv>

#include "lib/record/enum_names.h"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 3> kWays = {"host", "dmabuf", "peer_memory"};
constexpr std::array<std::string_view, 2> kOperations = {"read", "write"};
constexpr std::array<std::string_view, 2> kDirections = {"to_memory", "from_memory"};
constexpr std::array<std::string_view, 3> kFields = {"recv", "rdma_read", "rdma_recv"};
constexpr std::array<std::string_view, 5> kRelations = {
    "same_switch", "same_host_bridge", "same_numa_node", "other_numa_node", "unknown"};

// What stands before the PCI address.
constexpr std::string_view PrefixOf(MemoryPlace::Kind kind) {
  return kind == MemoryPlace::Kind::kGpu ? "gpu:" : "accelerator:";
}

}  // namespace

std::optional<MemoryPlace> MemoryPlace::Parse(std::string_view text) {
  constexpr std::string_view kNuma = "numa";
  for (const Kind kind : {Kind::kGpu, Kind::kAccelerator}) {
    const std::string_view prefix = PrefixOf(kind);
    if (!text.starts_with(prefix)) continue;
    const auto address = PciAddress::Parse(text.substr(prefix.size()));
    return address ? std::optional(MemoryPlace{kind, 0, *address}) : std::nullopt;
  }
  if (!text.starts_with(kNuma)) return std::nullopt;
  text.remove_prefix(kNuma.size());
  uint32_t index = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, index);
  const bool canonical = text.size() == 1 || !text.starts_with('0');
  if (error != std::errc() || rest != end || !canonical) return std::nullopt;
  return NumaNode(index);
}

std::string MemoryPlace::ToString() const {
  if (is_host()) return "numa" + std::to_string(numa_node);
  return std::string(PrefixOf(kind)) + gpu.ToString();
}

std::string_view ToString(RegistrationWay way) { return NameOf(kWays, way); }
std::optional<RegistrationWay> ParseRegistrationWay(std::string_view text) {
  return FromName<RegistrationWay>(kWays, text);
}

std::string_view ToString(Operation operation) { return NameOf(kOperations, operation); }
std::optional<Operation> ParseOperation(std::string_view text) {
  return FromName<Operation>(kOperations, text);
}

std::string_view ToString(Direction direction) { return NameOf(kDirections, direction); }
std::optional<Direction> ParseDirection(std::string_view text) {
  return FromName<Direction>(kDirections, text);
}

std::string_view ToString(IcField field) { return NameOf(kFields, field); }
std::optional<IcField> ParseIcField(std::string_view text) {
  return FromName<IcField>(kFields, text);
}

std::optional<IcField> AttributingField(Operation operation, Direction direction) {
  if (direction == Direction::kFromMemory) return std::nullopt;
  return operation == Operation::kRead ? IcField::kRdmaRead : IcField::kRdmaRecv;
}

std::string_view ToString(Relation relation) { return NameOf(kRelations, relation); }
std::optional<Relation> ParseRelation(std::string_view text) {
  return FromName<Relation>(kRelations, text);
}

}  // namespace railgauge
