// Typed, strict reading of a YamlNode tree.
//
// The first error wins and is kept in a YamlErrors; after it every getter answers a harmless value,
// so that a reader of many keys is a list of them and not a ladder of checks. The caller looks at
// errors.ok() before it uses what it read.
#ifndef RAILGAUGE_LIB_SCENARIO_YAML_READER_H_
#define RAILGAUGE_LIB_SCENARIO_YAML_READER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/scenario/yaml_document.h"

namespace railgauge {

class YamlErrors {
 public:
  explicit YamlErrors(std::string file) : file_(std::move(file)) {}

  bool ok() const { return !first_; }
  void Add(int line, std::string what, std::string advice);
  // The value at `line` of `what` is not what it must be: "what is 'x', not …".
  void AddWrong(const YamlNode& node, std::string_view what, std::string_view expected);
  // Precondition: !ok().
  Error first() const { return *first_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::optional<Error> first_;
};

// Single values. `what` names the value in a message ("max_qp").
std::string ReadText(const YamlNode& node, std::string_view what, YamlErrors* errors);
uint64_t ReadUint(const YamlNode& node, std::string_view what, uint64_t min, uint64_t max,
                  YamlErrors* errors);
// Exactly `digits` hexadecimal digits.
uint32_t ReadHex(const YamlNode& node, std::string_view what, size_t digits, YamlErrors* errors);
bool ReadBool(const YamlNode& node, std::string_view what, YamlErrors* errors);
Bytes ReadBytes(const YamlNode& node, std::string_view what, YamlErrors* errors);
// Above zero: a path without capacity would never complete.
BytesPerSecond ReadRate(const YamlNode& node, std::string_view what, YamlErrors* errors);
Nanoseconds ReadDuration(const YamlNode& node, std::string_view what, YamlErrors* errors);
// The items of a list; an error when `node` is none, or is empty.
const std::vector<YamlNode>& ReadList(const YamlNode& node, std::string_view what,
                                      YamlErrors* errors);
// A list of texts, or one text.
std::vector<const YamlNode*> ReadOneOrMore(const YamlNode& node, std::string_view what,
                                           YamlErrors* errors);

// What to write in place of `word`, which is none of `known`: the nearest of them, or them all.
std::string AdviceAmong(const std::string& word, const std::vector<std::string>& known);

// A map whose keys are all among `keys`; any other is an error that names the nearest.
class YamlMap {
 public:
  YamlMap(const YamlNode& node, std::string what, std::initializer_list<std::string_view> keys,
          YamlErrors* errors);

  int line() const { return node_.line; }
  const YamlNode* Optional(std::string_view key) const { return node_.Find(key); }
  // A null node, and an error, when the key is missing.
  const YamlNode& Required(std::string_view key) const;

  std::string Text(std::string_view key) const;
  uint32_t Uint(std::string_view key, uint32_t min, uint32_t max) const;
  uint32_t Hex(std::string_view key, size_t digits) const;
  bool Bool(std::string_view key) const;
  Bytes Size(std::string_view key) const;
  BytesPerSecond Rate(std::string_view key) const;
  Nanoseconds Duration(std::string_view key) const;
  const std::vector<YamlNode>& List(std::string_view key) const;

 private:
  const YamlNode& node_;
  std::string what_;
  YamlErrors* errors_;
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_YAML_READER_H_
