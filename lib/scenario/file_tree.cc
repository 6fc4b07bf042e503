#include "lib/scenario/file_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fmt/core.h"

namespace railgauge {

std::string RelativeTarget(std::string_view link, std::string_view target) {
  // Drop the folders that both have in common.
  for (size_t slash = link.find('/'); slash != std::string_view::npos; slash = link.find('/')) {
    if (target.substr(0, slash + 1) != link.substr(0, slash + 1)) break;
    link.remove_prefix(slash + 1);
    target.remove_prefix(slash + 1);
  }
  std::string relative;
  for (const char c : link) {
    if (c == '/') relative += "../";
  }
  return relative += target;
}

FileTree::FileTree(const std::string& root)
    : root_(root), root_fd_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!root_fd_.valid()) Failed("open", "");
}

void FileTree::Failed(std::string_view what, std::string_view path) {
  if (first_error_) return;
  first_error_ = ErrnoError(errno, "write the emulated machine's files",
                            path.empty() ? root_ : fmt::format("{}/{} ({})", root_, path, what));
}

Status FileTree::status() const {
  if (first_error_) return Fail(*first_error_);
  return {};
}

void FileTree::FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) Folder(path.substr(0, slash));
}

void FileTree::Folder(std::string_view path) {
  if (first_error_ || folders_.count(std::string(path)) != 0) return;
  FolderOf(path);
  const std::string folder(path);
  if (::mkdirat(root_fd_.get(), folder.c_str(), 0755) != 0 && errno != EEXIST) {
    Failed("mkdir", path);
  }
  folders_.insert(folder);
}

void FileTree::File(std::string_view path, std::string_view content) {
  FolderOf(path);
  if (first_error_) return;
  const UniqueFd fd(::openat(root_fd_.get(), std::string(path).c_str(),
                             O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd.valid()) return Failed("open", path);
  while (!content.empty()) {
    const ssize_t n = ::write(fd.get(), content.data(), content.size());
    if (n < 0) return Failed("write", path);
    content.remove_prefix(static_cast<size_t>(n));
  }
}

void FileTree::Attribute(std::string_view path, std::string_view value) {
  File(path, fmt::format("{}\n", value));
}

void FileTree::Link(std::string_view path, std::string_view target) {
  FolderOf(path);
  if (first_error_) return;
  if (::symlinkat(RelativeTarget(path, target).c_str(), root_fd_.get(),
                  std::string(path).c_str()) != 0) {
    Failed("symlink", path);
  }
}

}  // namespace railgauge
