#include "lib/scenario/yaml_document.h"

#include <sys/stat.h>

#include <cerrno>
#include <exception>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "yaml-cpp/yaml.h"

namespace railgauge {
namespace {

Error ErrorAt(const std::string& file, int line, std::string what, std::string advice) {
  return MakeError("read scenario", fmt::format("{}:{}", file, line), std::move(what),
                   std::move(advice));
}

// Copies yaml-cpp's graph into a tree within the bounds of the header.
class Copier {
 public:
  explicit Copier(const std::string& file) : file_(file) {}

  Result<YamlNode> Copy(const YAML::Node& from, int depth) {
    YamlNode to;
    to.line = LineOf(from);
    if (depth > kMaxYamlDepth) {
      return Fail(ErrorAt(file_, to.line, fmt::format("nested deeper than {}", kMaxYamlDepth),
                          "Write a flatter file"));
    }
    if (++nodes_ > kMaxYamlNodes) {
      return Fail(ErrorAt(file_, to.line,
                          fmt::format("more than {} values, aliases counted", kMaxYamlNodes),
                          "Use fewer or smaller aliases"));
    }
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        return to;
      case YAML::NodeType::Scalar:
        to.kind = YamlNode::Kind::kScalar;
        to.scalar = from.Scalar();
        return to;
      case YAML::NodeType::Sequence:
        to.kind = YamlNode::Kind::kList;
        for (const YAML::Node& item : from) {
          RAILGAUGE_ASSIGN_OR_RETURN(YamlNode copy, Copy(item, depth + 1));
          to.items.push_back(std::move(copy));
        }
        return to;
      case YAML::NodeType::Map:
        RAILGAUGE_RETURN_IF_ERROR(CopyMembers(from, depth, &to));
        return to;
    }
    return to;
  }

 private:
  Status CopyMembers(const YAML::Node& from, int depth, YamlNode* to) {
    to->kind = YamlNode::Kind::kMap;
    for (const auto& member : from) {
      const int line = LineOf(member.first);
      if (!member.first.IsScalar()) {
        return Fail(ErrorAt(file_, line, "a key that is no plain word", "Write 'key: value'"));
      }
      const std::string& key = member.first.Scalar();
      if (to->Find(key) != nullptr) {
        return Fail(ErrorAt(file_, line, fmt::format("duplicate key '{}'", Printable(key)),
                            "Remove one of the two"));
      }
      RAILGAUGE_ASSIGN_OR_RETURN(YamlNode value, Copy(member.second, depth + 1));
      // An empty value has no mark of its own.
      if (value.kind == YamlNode::Kind::kNull) value.line = line;
      to->members.push_back({key, line, std::move(value)});
    }
    return {};
  }

  static int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

  const std::string& file_;
  size_t nodes_ = 0;
};

Result<YamlNode> ParseThrowing(const std::string& text, const std::string& file) {
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  if (documents.empty() || documents[0].IsNull()) {
    return Fail(ErrorAt(file, 1, "the file is empty", "Begin with 'schema: 1'"));
  }
  if (documents.size() > 1) {
    return Fail(ErrorAt(file, documents[1].Mark().line + 1, "a second document begins here",
                        "Keep one scenario per file"));
  }
  return Copier(file).Copy(documents[0], 0);
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const YamlMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string Describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  constexpr size_t kShown = 60;
  return fmt::format("'{}{}'", Printable(node.scalar.substr(0, kShown)),
                     node.scalar.size() > kShown ? "…" : "");
}

Result<YamlNode> ParseYaml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxYamlBytes) {
    return Fail(ErrorAt(file, 1, fmt::format("larger than {} bytes", kMaxYamlBytes),
                        "Give a scenario file"));
  }
  try {
    return ParseThrowing(std::string(text), file);
  } catch (const YAML::Exception& e) {
    const int line = e.mark.is_null() ? 1 : e.mark.line + 1;
    return Fail(ErrorAt(file, line, "not YAML: " + e.msg, "Correct the syntax"));
  } catch (const std::exception& e) {
    return Fail(ErrorAt(file, 1, fmt::format("not readable as YAML: {}", e.what()), ""));
  }
}

Result<YamlNode> ReadYamlFile(const std::string& path) {
  // A FIFO or a device would be read forever.
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return Fail(ErrnoError(errno, "read scenario", path, "Check the path"));
  if (!S_ISREG(status.st_mode)) {
    return Fail(MakeError("read scenario", path,
                          S_ISDIR(status.st_mode) ? "it is a directory" : "it is no regular file",
                          "Give a .yaml file"));
  }
  auto text = ReadFile(path, kMaxYamlBytes);
  if (!text) {
    Error error = std::move(text).error();
    error.operation = "read scenario";
    return Fail(std::move(error));
  }
  return ParseYaml(*text, path);
}

}  // namespace railgauge
