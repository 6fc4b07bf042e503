// FileTree: writes many small files below one folder, fast, and keeps the first error.
#ifndef RAILGAUGE_LIB_SCENARIO_FILE_TREE_H_
#define RAILGAUGE_LIB_SCENARIO_FILE_TREE_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace railgauge {

// Paths are relative to the root and without "." and "..". After the first error nothing is written
// any more; status() tells it.
class FileTree {
 public:
  // `root` must exist.
  explicit FileTree(const std::string& root);

  // Makes the folder and those above it.
  void Folder(std::string_view path);
  // Makes a file with this content, and the folders above it.
  void File(std::string_view path, std::string_view content);
  // As File, with the line end that every sysfs attribute has.
  void Attribute(std::string_view path, std::string_view value);
  // Makes a symbolic link to another path of the tree, relative, so that the tree can be moved and
  // mounted anywhere.
  void Link(std::string_view path, std::string_view target);

  Status status() const;

 private:
  void FolderOf(std::string_view path);
  void Failed(std::string_view what, std::string_view path);

  std::string root_;
  UniqueFd root_fd_;
  std::unordered_set<std::string> folders_;  // made by us
  std::optional<Error> first_error_;
};

// The path from a link's folder to `target`: ("a/b/link", "a/c") -> "../c".
std::string RelativeTarget(std::string_view link, std::string_view target);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_FILE_TREE_H_
