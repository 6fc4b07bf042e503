#include "lib/base/runfiles.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

namespace railgauge {

namespace {

constexpr std::string_view kWorkspace = "railgauge";

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string Absolute(const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  char folder[PATH_MAX];
  return getcwd(folder, sizeof folder) == nullptr ? path : std::string(folder) + "/" + path;
}

std::string ExecutablePath() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length <= 0 ? "" : std::string(path, static_cast<size_t>(length));
}

// The runfiles roots that the path of a binary tells of: the one beside it, and the one that it is
// inside of.
void AddRootsOf(const std::string& binary, std::vector<std::string>& roots) {
  if (binary.empty()) return;
  roots.push_back(binary + ".runfiles");
  constexpr std::string_view kSuffix = ".runfiles/";
  if (const size_t at = binary.rfind(kSuffix); at != std::string::npos) {
    roots.push_back(binary.substr(0, at + kSuffix.size() - 1));
  }
}

// Bazel may write a list instead of a tree of symbolic links: "name real-path" lines.
std::optional<std::string> FindInManifest(const char* manifest, const std::string& name) {
  std::ifstream lines(manifest);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.size() > name.size() && line[name.size()] == ' ' && line.starts_with(name)) {
      return line.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> FindDataFile(std::string_view path, std::string_view argv0) {
  const std::string in_workspace = std::string(kWorkspace) + "/" + std::string(path);
  const std::string executable = ExecutablePath();
  std::vector<std::string> roots;
  for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    if (const char* root = std::getenv(variable)) roots.push_back(Absolute(root));
  }
  if (argv0.find('/') != std::string_view::npos) AddRootsOf(Absolute(std::string(argv0)), roots);
  AddRootsOf(executable, roots);
  for (const std::string& root : roots) {
    if (std::string candidate = root + "/" + in_workspace; Exists(candidate)) return candidate;
  }
  if (const char* manifest = std::getenv("RUNFILES_MANIFEST_FILE")) {
    if (auto found = FindInManifest(manifest, in_workspace)) return *found;
  }
  const std::string folder = executable.substr(0, executable.rfind('/'));
  for (const char* below : {"/", "/../share/railgauge/"}) {
    if (std::string candidate = folder + below + std::string(path); Exists(candidate)) {
      return candidate;
    }
  }
  return Fail(MakeError("find data file", std::string(path),
                        "it is neither in Bazel's runfiles nor beside " + executable,
                        "Run the binary from where Bazel built it, or install its data with it"));
}

}  // namespace railgauge
