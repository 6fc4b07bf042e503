#include "lib/scenario/fault/value.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "lib/base/units.h"

namespace railgauge {
namespace {

using Kind = FaultValueForm::Kind;

struct Named {
  std::string_view name;
  uint32_t code;
};

constexpr Named kErrnos[] = {
    {"EPERM", EPERM},   {"ENOENT", ENOENT}, {"EIO", EIO},       {"ENXIO", ENXIO},
    {"EBADF", EBADF},   {"EAGAIN", EAGAIN}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES},
    {"EFAULT", EFAULT}, {"EBUSY", EBUSY},   {"ENODEV", ENODEV}, {"EINVAL", EINVAL},
    {"EMFILE", EMFILE}, {"ENOSPC", ENOSPC}, {"ENOSYS", ENOSYS}, {"EOPNOTSUPP", EOPNOTSUPP},
};

// What a device may say of a request, by the names and numbers of the public efa_io_comp_status.
constexpr Named kStatuses[] = {
    {"flushed", 1},
    {"qp_internal_error", 2},
    {"unsupported_op", 3},
    {"invalid_ah", 4},
    {"invalid_lkey", 5},
    {"local_bad_length", 6},
    {"bad_address", 7},
    {"abort", 8},
    {"bad_dest_qpn", 9},
    {"rnr", 10},
    {"remote_bad_length", 11},
    {"bad_status", 12},
    {"unresp_remote", 13},
    {"unknown_peer", 14},
    {"unreach_remote", 15},
};

struct KindWord {
  std::string_view word;
  Kind kind;
  std::string_view form;  // what a user writes
};

constexpr KindWord kKinds[] = {
    {"fraction", Kind::kFraction, "a fraction"},
    {"number", Kind::kNumber, "a whole number"},
    {"rate", Kind::kRate, "a rate like 3GB/s or 100Gb/s"},
    {"size", Kind::kSize, "a size like 64KiB"},
    {"duration", Kind::kDuration, "a time like 20us"},
    {"errno", Kind::kErrno, "the name of an errno value like EINVAL"},
    {"word", Kind::kWord, ""},
    {"order", Kind::kOrder, "whole numbers like 3+1+0, each once"},
    {"octal", Kind::kOctal, "an octal permission like 0600"},
    {"error_share", Kind::kErrorShare, "a fraction and a status like 0.01/unresp_remote"},
};

const KindWord* FindKind(Kind kind) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const KindWord& word) { return word.kind == kind; });
  return found == std::end(kKinds) ? nullptr : found;
}

bool IsBounded(Kind kind) {
  return kind == Kind::kFraction || kind == Kind::kNumber || kind == Kind::kErrorShare;
}

std::string FormOf(const FaultValueForm& form) {
  if (form.kind == Kind::kWord) return fmt::format("{}", fmt::join(form.words, " or "));
  const std::string text(FindKind(form.kind)->form);
  if (!IsBounded(form.kind)) return text;
  return fmt::format("{}, from {:g} to {:g}", text, form.from, form.to);
}

std::optional<double> ParseNumber(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

bool ParseBounded(const FaultValueForm& form, std::string_view text, FaultValue* value) {
  const auto number = ParseNumber(text);
  if (!number || *number < form.from || *number > form.to) return false;
  if (form.kind == Kind::kNumber && *number != std::floor(*number)) return false;
  value->number = *number;
  return true;
}

template <size_t n>
bool ParseName(const Named (&known)[n], std::string_view name, FaultValue* value) {
  for (const Named& one : known) {
    if (one.name != name) continue;
    value->code = one.code;
    return true;
  }
  return false;
}

bool ParseOrder(std::string_view text, FaultValue* value) {
  while (true) {
    const size_t plus = text.find('+');
    const auto number = ParseNumber(text.substr(0, plus));
    if (!number || *number < 0 || *number > 4095 || *number != std::floor(*number)) return false;
    const auto index = static_cast<uint32_t>(*number);
    if (std::find(value->order.begin(), value->order.end(), index) != value->order.end()) {
      return false;
    }
    value->order.push_back(index);
    if (plus == std::string_view::npos) return true;
    text.remove_prefix(plus + 1);
  }
}

bool ParseOctal(std::string_view text, FaultValue* value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value->code, 8);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == end && value->code <= 0777;
}

bool Parse(const FaultValueForm& form, FaultValue* value) {
  const std::string_view text = value->text;
  switch (form.kind) {
    case Kind::kNone:
      return true;
    case Kind::kFraction:
    case Kind::kNumber:
      return ParseBounded(form, text, value);
    case Kind::kRate: {
      const auto rate = ParseBytesPerSecond(text);
      value->number = rate ? rate->value : 0;
      return value->number > 0;
    }
    case Kind::kSize: {
      const auto size = ParseBytes(text);
      value->number = size ? static_cast<double>(size->count) : 0;
      return size.has_value();
    }
    case Kind::kDuration: {
      const auto duration = ParseDuration(text);
      value->number = duration ? static_cast<double>(duration->count()) : 0;
      return duration.has_value() && duration->count() >= 0;
    }
    case Kind::kErrno:
      return ParseName(kErrnos, text, value);
    case Kind::kWord:
      return std::find(form.words.begin(), form.words.end(), text) != form.words.end();
    case Kind::kOrder:
      return ParseOrder(text, value);
    case Kind::kOctal:
      return ParseOctal(text, value);
    case Kind::kErrorShare: {
      // Without a status it is the default's.
      const std::string_view fallback = form.default_text;
      const size_t slash = text.find('/');
      const std::string_view with = slash == std::string_view::npos ? fallback : text;
      return with.find('/') != std::string_view::npos &&
             ParseBounded(form, text.substr(0, slash), value) &&
             ParseName(kStatuses, with.substr(with.find('/') + 1), value);
    }
  }
  return false;
}

// What a wrong word was likely meant to be.
std::string Advice(const FaultValueForm& form, const std::string& text) {
  std::vector<std::string> names = form.words;
  std::string word = text;
  if (form.kind == Kind::kErrno) {
    for (const Named& known : kErrnos) names.emplace_back(known.name);
  } else if (form.kind == Kind::kErrorShare) {
    const size_t slash = text.find('/');
    FaultValue share;
    if (slash != std::string::npos &&
        ParseBounded(form, std::string_view(text).substr(0, slash), &share)) {
      for (const Named& known : kStatuses) names.emplace_back(known.name);
      word = text.substr(slash + 1);
    }
  }
  return names.empty() ? "Write " + FormOf(form) : AdviceAmong(word, names);
}

}  // namespace

FaultValueForm ReadFaultValueForm(const YamlNode& node, YamlErrors* errors) {
  FaultValueForm form;
  const YamlMap map(node, "value", {"is", "from", "to", "words", "default", "optional"}, errors);
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
  if (IsBounded(form.kind)) {
    for (const auto& [key, bound] : {std::pair{"from", &form.from}, std::pair{"to", &form.to}}) {
      const auto number = ParseNumber(map.Text(key));
      if (!number) errors->AddWrong(map.Required(key), key, "a number");
      *bound = number.value_or(0);
    }
  }
  if (form.kind == Kind::kWord) {
    for (const YamlNode& item : map.List("words")) {
      form.words.push_back(ReadText(item, "words", errors));
    }
  }
  if (const YamlNode* text = map.Optional("default")) {
    form.default_text = ReadText(*text, "default", errors);
    if (errors->ok() && !ParseFaultValue(form, form.default_text)) {
      errors->AddWrong(*text, "default", FormOf(form));
    }
  }
  if (map.Optional("optional") != nullptr) form.optional = map.Bool("optional");
  return form;
}

std::string Describe(const FaultValueForm& form) {
  if (form.kind == Kind::kNone) return "";
  std::string text = FormOf(form);
  if (!form.default_text.empty()) text += fmt::format("; {} when left out", form.default_text);
  if (form.optional) text += "; may be left out";
  return text;
}

Result<FaultValue> ParseFaultValue(const FaultValueForm& form, const std::string& text) {
  FaultValue value;
  value.text = text.empty() ? form.default_text : text;
  if (form.kind == Kind::kNone && !text.empty()) {
    return Fail(MakeError("", "", "it takes no value", fmt::format("Leave '={}' out", text)));
  }
  if (value.text.empty() && form.optional) return value;
  if (form.kind != Kind::kNone && value.text.empty()) {
    return Fail(MakeError("", "", "it needs a value", "Add '=' and " + FormOf(form)));
  }
  if (!Parse(form, &value)) {
    return Fail(MakeError("", "", fmt::format("its value is '{}'", Printable(value.text)),
                          Advice(form, value.text)));
  }
  return value;
}

}  // namespace railgauge
