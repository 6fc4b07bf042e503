// YamlNode: a YAML file as plain data with line numbers, checked for what every scenario file must
// hold: one document, no duplicate key, bounded size, depth and number of nodes.
//
// The one place that touches yaml-cpp, which throws; nothing thrown leaves this file. Aliases are
// copied out, so that a reader sees a tree; the bound on nodes is what stops an alias bomb.
#ifndef RAILGAUGE_LIB_SCENARIO_YAML_DOCUMENT_H_
#define RAILGAUGE_LIB_SCENARIO_YAML_DOCUMENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

struct YamlMember;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 0;                     // from 1; of an alias, the line of what it stands for
  std::string scalar;               // kScalar
  std::vector<YamlNode> items;      // kList
  std::vector<YamlMember> members;  // kMap, in file order

  // Null when this is no map or has no such key.
  const YamlNode* Find(std::string_view key) const;
};

struct YamlMember {
  std::string key;
  int line = 0;
  YamlNode value;
};

// "a map", "a list", "nothing" or "'text'": what a message says that it found.
std::string Describe(const YamlNode& node);

inline constexpr size_t kMaxYamlBytes = size_t{1} << 20;
inline constexpr size_t kMaxYamlNodes = 100'000;
inline constexpr int kMaxYamlDepth = 32;

// `file` is what errors call the text: their object is "file:line".
Result<YamlNode> ParseYaml(std::string_view text, const std::string& file);
Result<YamlNode> ReadYamlFile(const std::string& path);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_YAML_DOCUMENT_H_
