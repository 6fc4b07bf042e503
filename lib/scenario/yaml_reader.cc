#include "lib/scenario/yaml_reader.h"

#include <algorithm>
#include <charconv>

#include "fmt/format.h"
#include "lib/base/nearest.h"

namespace railgauge {
namespace {

const YamlNode& NullNode() {
  static const YamlNode* const null = new YamlNode;
  return *null;
}

// The whole of `text` as an unsigned number of `base`.
std::optional<uint64_t> ParseUint(std::string_view text, int base) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

// Reads a quantity with `parse` (units.h), whose reason and advice are kept.
template <typename T>
T ReadQuantity(const YamlNode& node, std::string_view what, Result<T> (*parse)(std::string_view),
               YamlErrors* errors) {
  const std::string text = ReadText(node, what, errors);
  if (!errors->ok()) return T{};
  auto value = parse(text);
  if (!value) {
    errors->Add(node.line, fmt::format("{} is {}: {}", what, Describe(node), value.error().reason),
                value.error().advice);
    return T{};
  }
  return *value;
}

}  // namespace

void YamlErrors::Add(int line, std::string what, std::string advice) {
  if (first_) return;
  first_ = MakeError("read scenario", fmt::format("{}:{}", file_, line), std::move(what),
                     std::move(advice));
}

void YamlErrors::AddWrong(const YamlNode& node, std::string_view what, std::string_view expected) {
  Add(node.line, fmt::format("{} is {}", what, Describe(node)), fmt::format("Write {}", expected));
}

std::string ReadText(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  if (node.kind != YamlNode::Kind::kScalar || node.scalar.empty()) {
    errors->AddWrong(node, what, "one value");
    return "";
  }
  if (node.scalar.size() > 1000 || Printable(node.scalar) != node.scalar) {
    errors->AddWrong(node, what, "at most 1000 characters on one line, none of them a control");
    return "";
  }
  return node.scalar;
}

uint64_t ReadUint(const YamlNode& node, std::string_view what, uint64_t min, uint64_t max,
                  YamlErrors* errors) {
  const auto value =
      node.kind == YamlNode::Kind::kScalar ? ParseUint(node.scalar, 10) : std::nullopt;
  if (!value || *value < min || *value > max) {
    errors->AddWrong(node, what, fmt::format("a whole number from {} to {}", min, max));
    return min;
  }
  return *value;
}

uint32_t ReadHex(const YamlNode& node, std::string_view what, size_t digits, YamlErrors* errors) {
  const bool right_length = node.kind == YamlNode::Kind::kScalar && node.scalar.size() == digits;
  const auto value = right_length ? ParseUint(node.scalar, 16) : std::nullopt;
  if (!value) {
    errors->AddWrong(node, what, fmt::format("{} hexadecimal digits", digits));
    return 0;
  }
  return static_cast<uint32_t>(*value);
}

bool ReadBool(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  if (node.scalar != "true" && node.scalar != "false")
    errors->AddWrong(node, what, "true or false");
  return node.scalar == "true";
}

Bytes ReadBytes(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  return ReadQuantity(node, what, &ParseBytes, errors);
}

BytesPerSecond ReadRate(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  const BytesPerSecond rate = ReadQuantity(node, what, &ParseBytesPerSecond, errors);
  if (errors->ok() && rate.value <= 0) errors->AddWrong(node, what, "a rate above zero");
  return rate;
}

Nanoseconds ReadDuration(const YamlNode& node, std::string_view what, YamlErrors* errors) {
  return ReadQuantity(node, what, &ParseDuration, errors);
}

const std::vector<YamlNode>& ReadList(const YamlNode& node, std::string_view what,
                                      YamlErrors* errors) {
  if (node.kind != YamlNode::Kind::kList || node.items.empty()) {
    errors->AddWrong(node, what, "a list with at least one item");
    return NullNode().items;
  }
  return node.items;
}

std::vector<const YamlNode*> ReadOneOrMore(const YamlNode& node, std::string_view what,
                                           YamlErrors* errors) {
  if (node.kind == YamlNode::Kind::kScalar) return {&node};
  std::vector<const YamlNode*> nodes;
  for (const YamlNode& item : ReadList(node, what, errors)) {
    ReadText(item, what, errors);
    nodes.push_back(&item);
  }
  return nodes;
}

std::string AdviceAmong(const std::string& word, const std::vector<std::string>& known) {
  if (known.empty()) return "Define one";
  if (const auto nearest = Nearest(word, known)) return fmt::format("Write '{}'", *nearest);
  constexpr size_t kShown = 20;
  const std::vector<std::string> first(
      known.begin(), known.begin() + static_cast<ptrdiff_t>(std::min(known.size(), kShown)));
  return fmt::format("Known are {}{}", fmt::join(first, ", "), known.size() > kShown ? ", …" : "");
}

YamlMap::YamlMap(const YamlNode& node, std::string what,
                 std::initializer_list<std::string_view> keys, YamlErrors* errors)
    : node_(node), what_(std::move(what)), errors_(errors) {
  if (node.kind != YamlNode::Kind::kMap) {
    errors->AddWrong(node, what_, "a map of keys and values");
    return;
  }
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const YamlMember& member : node.members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    errors->Add(member.line, fmt::format("unknown key '{}' in {}", Printable(member.key), what_),
                AdviceAmong(member.key, known));
  }
}

const YamlNode& YamlMap::Required(std::string_view key) const {
  const YamlNode* value = node_.Find(key);
  if (value == nullptr) {
    errors_->Add(node_.line, fmt::format("{} has no '{}'", what_, key), "Add it");
    return NullNode();
  }
  return *value;
}

std::string YamlMap::Text(std::string_view key) const {
  return ReadText(Required(key), key, errors_);
}

uint32_t YamlMap::Uint(std::string_view key, uint32_t min, uint32_t max) const {
  return static_cast<uint32_t>(ReadUint(Required(key), key, min, max, errors_));
}

uint32_t YamlMap::Hex(std::string_view key, size_t digits) const {
  return ReadHex(Required(key), key, digits, errors_);
}

bool YamlMap::Bool(std::string_view key) const { return ReadBool(Required(key), key, errors_); }

Bytes YamlMap::Size(std::string_view key) const { return ReadBytes(Required(key), key, errors_); }

BytesPerSecond YamlMap::Rate(std::string_view key) const {
  return ReadRate(Required(key), key, errors_);
}

Nanoseconds YamlMap::Duration(std::string_view key) const {
  return ReadDuration(Required(key), key, errors_);
}

const std::vector<YamlNode>& YamlMap::List(std::string_view key) const {
  return ReadList(Required(key), key, errors_);
}

}  // namespace railgauge
