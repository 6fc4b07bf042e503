// Plain records as JSON and back, by one list of fields per record.
//
// A record has `static constexpr std::string_view kType` and
//   template <typename Self, typename Visit>
//   static void Fields(Self& self, Visit& visit) { visit("name", self.name); … }
// JSON, because a dozen small messages per window need no speed, and because a person who debugs
// two versions against each other can read it. It is read as what a stranger might have sent: every
// field has its type, its range and its length, and anything else is one clear Error.
#ifndef RAILGAUGE_LIB_PEER_JSON_RECORD_H_
#define RAILGAUGE_LIB_PEER_JSON_RECORD_H_

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/record/place.h"
#include "nlohmann/json.hpp"

namespace railgauge {

inline constexpr size_t kMaxTextBytes = 4096;   // of one string
inline constexpr size_t kMaxListLength = 1024;  // of one list

namespace json_record {

using Json = nlohmann::json;

template <typename T>
concept Record = requires {
  T::kType;
};
template <typename T>
concept Number = std::integral<T> && !std::same_as<T, bool>;

struct Writer;
struct Reader;

// ---- one field to JSON; each returns null for an empty optional ----
inline Json To(bool value) { return value; }
inline Json To(double value) { return value; }
inline Json To(const std::string& value) { return value; }
template <Number T>
Json To(T value) {
  return value;
}
inline Json To(Nanoseconds value) { return value.count(); }
inline Json To(const PciAddress& value) { return value.ToString(); }
inline Json To(const MemoryPlace& value) { return value.ToString(); }
inline Json To(Operation value) { return std::string(ToString(value)); }
inline Json To(RegistrationWay value) { return std::string(ToString(value)); }
template <size_t N>
Json To(const std::array<uint8_t, N>& value) {
  return std::vector<uint8_t>(value.begin(), value.end());
}
template <Record T>
Json To(const T& value);
template <typename T>
Json To(const std::optional<T>& value) {
  return value ? To(*value) : Json();
}
template <typename T>
Json To(const std::vector<T>& value) {
  Json list = Json::array();
  for (const T& item : value) list.push_back(To(item));
  return list;
}

// ---- and back; false for what is no value of that type ----
inline bool From(const Json& json, bool& value) {
  if (json.is_boolean()) value = json.get<bool>();
  return json.is_boolean();
}
inline bool From(const Json& json, double& value) {
  if (json.is_number()) value = json.get<double>();
  return json.is_number() && std::isfinite(value);
}
inline bool From(const Json& json, std::string& value) {
  if (!json.is_string()) return false;
  const auto& text = json.get_ref<const std::string&>();
  value = Printable(text);
  return text.size() <= kMaxTextBytes;
}
template <Number T>
bool From(const Json& json, T& value) {
  if (json.is_number_unsigned()) {
    const auto number = json.get<uint64_t>();
    value = static_cast<T>(number);
    return std::in_range<T>(number);
  }
  if (!json.is_number_integer()) return false;
  const auto number = json.get<int64_t>();
  value = static_cast<T>(number);
  return std::in_range<T>(number);
}
inline bool From(const Json& json, Nanoseconds& value) {
  int64_t count = 0;
  if (!From(json, count)) return false;
  value = Nanoseconds{count};
  return true;
}
// What has a spelling: parsed as everywhere else.
template <typename T, typename Parse>
bool FromSpelling(const Json& json, T& value, Parse parse) {
  if (!json.is_string()) return false;
  const auto parsed = parse(json.get_ref<const std::string&>());
  if (parsed) value = *parsed;
  return parsed.has_value();
}
inline bool From(const Json& json, PciAddress& value) {
  return FromSpelling(json, value, PciAddress::Parse);
}
inline bool From(const Json& json, MemoryPlace& value) {
  return FromSpelling(json, value, MemoryPlace::Parse);
}
inline bool From(const Json& json, Operation& value) {
  return FromSpelling(json, value, ParseOperation);
}
inline bool From(const Json& json, RegistrationWay& value) {
  return FromSpelling(json, value, ParseRegistrationWay);
}
template <size_t N>
bool From(const Json& json, std::array<uint8_t, N>& value) {
  if (!json.is_array() || json.size() != N) return false;
  for (size_t i = 0; i < N; ++i) {
    if (!From(json[i], value[i])) return false;
  }
  return true;
}
template <Record T>
bool From(const Json& json, T& value);
template <typename T>
bool From(const Json& json, std::optional<T>& value) {
  value.reset();
  return json.is_null() || From(json, value.emplace());
}
template <typename T>
bool From(const Json& json, std::vector<T>& value) {
  value.clear();
  if (!json.is_array() || json.size() > kMaxListLength) return false;
  for (const Json& item : json) {
    if (!From(item, value.emplace_back())) return false;
  }
  return true;
}

struct Writer {
  Json object = Json::object();
  template <typename T>
  void operator()(const char* name, const T& value) {
    object[name] = To(value);
  }
};

// Remembers the first field that is wrong. A field that is not there is read as null.
struct Reader {
  const Json& object;
  std::string wrong;
  template <typename T>
  void operator()(const char* name, T& value) {
    if (!wrong.empty()) return;
    const auto it = object.find(name);
    if (!From(it == object.end() ? Json() : *it, value)) wrong = name;
  }
};

template <Record T>
Json To(const T& value) {
  Writer writer;
  T::Fields(value, writer);
  return std::move(writer.object);
}
template <Record T>
bool From(const Json& json, T& value) {
  if (!json.is_object()) return false;
  Reader reader{json, {}};
  T::Fields(value, reader);
  return reader.wrong.empty();
}

inline Error Unreadable(std::string reason) {
  return MakeError("read message", "", std::move(reason));
}

// A message's JSON object, which has a "type".
inline Result<Json> Parse(std::string_view text) {
  // Nesting is limited before anything recursive sees it; no message nests deeper than three.
  constexpr int kMaxDepth = 8;
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
  Json json = Json::parse(text, shallow, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return Fail(Unreadable("it is no JSON object"));
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string()) return Fail(Unreadable("it has no type"));
  return json;
}

template <Record T>
Result<T> FromMessage(const Json& json) {
  T record;
  Reader reader{json, {}};
  T::Fields(record, reader);
  if (reader.wrong.empty()) return record;
  return Fail(Unreadable("field '" + reader.wrong + "' of '" + std::string(T::kType) +
                         "' is missing or has no value of its type"));
}

inline bool IsOfType(const Json& json, std::string_view type) {
  return json["type"].get_ref<const std::string&>() == type;
}

}  // namespace json_record

// A message: the record's fields and its type.
template <json_record::Record T>
std::string Encode(const T& record) {
  json_record::Json json = json_record::To(record);
  json["type"] = std::string(T::kType);
  return json.dump(-1, ' ', false, json_record::Json::error_handler_t::replace);
}

// The record in a message; an Error when it is of another type or not whole.
template <json_record::Record T>
Result<T> Decode(std::string_view text) {
  RAILGAUGE_ASSIGN_OR_RETURN(const json_record::Json json, json_record::Parse(text));
  if (json_record::IsOfType(json, T::kType)) return json_record::FromMessage<T>(json);
  return Fail(json_record::Unreadable("'" +
                                      Printable(json["type"].get<std::string>()).substr(0, 64) +
                                      "' came instead of '" + std::string(T::kType) + "'"));
}

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_JSON_RECORD_H_
