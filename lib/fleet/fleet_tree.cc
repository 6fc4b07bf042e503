#include "lib/fleet/fleet_tree.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/file_error.h"
#include "lib/base/output_path.h"
#include "lib/fleet/sentence.h"
#include "lib/peer/token.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWith = "with-";

Error FileError(const std::error_code& error, std::string operation, const std::string& path) {
  return FileError(FileUse::kWrite, error.value(), std::move(operation), path);
}

Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Fail(FileError(error, "make the folder", path));
  return {};
}

// The uppermost folder of `path` that is not there; empty where all are.
fs::path FirstMissing(const fs::path& path) {
  std::error_code error;
  fs::path first;
  for (fs::path folder = path; !fs::exists(folder, error) && folder.has_relative_path();
       folder = folder.parent_path()) {
    first = folder;
  }
  return first;
}

std::vector<std::string> NamesIn(const std::string& path, std::error_code& error) {
  std::vector<std::string> names;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool IsThere(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Result<FleetTree> FleetTree::At(const std::string& root) {
  std::error_code error;
  const fs::path path = fs::absolute(root, error).lexically_normal();
  if (error || root.empty()) {
    return Fail(MakeError("find the folder", root, "it is no path", "Give the fleet's folder"));
  }
  std::string text = path.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return FleetTree(std::move(text));
}

std::string FleetTree::RunPath(const std::string& initiator, const std::string& target) const {
  return fmt::format("{}/runs/{}/{}{}", root_, initiator, kWith, target);
}

std::string FleetTree::ConfirmPath(const std::string& suspicion) const {
  return fmt::format("{}/confirm/{}", root_, suspicion);
}

Result<FleetPlan> FleetTree::ReadPlan() const {
  if (!IsThere(PlanPath())) {
    return Fail(
        ErrnoError(ENOENT, "open", PlanPath(),
                   "Make a plan with: railgauge fleet plan --hosts=LIST --output=" + root_));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string json, ReadRegularFile(PlanPath()));
  return ParsePlan(json, PlanPath());
}

Status FleetTree::WritePlan(const FleetPlan& plan) const {
  RAILGAUGE_RETURN_IF_ERROR(CheckOutputPath(root_, "write --output"));
  if (IsThere(PlanPath())) {
    return Fail(ErrnoError(EEXIST, "write", PlanPath(),
                           "Give a new folder, or run the plan that is there"));
  }
  const fs::path made = FirstMissing(root_);
  RAILGAUGE_RETURN_IF_ERROR(MakeFolder(root_));
  const Status written = WriteFileAtomically(PlanPath(), ToJson(plan));
  std::error_code error;
  // A folder without a plan is of no use; what somebody else put there meanwhile keeps it.
  for (fs::path folder = root_; !written && !made.empty(); folder = folder.parent_path()) {
    if (!fs::remove(folder, error) || folder == made) break;
  }
  return written;
}

Status FleetTree::Prepare() const {
  for (const char* folder : {"/runs", "/confirm", "/logs", "/failed"}) {
    RAILGAUGE_RETURN_IF_ERROR(MakeFolder(root_ + folder));
  }
  if (IsThere(TokenPath())) {
    RAILGAUGE_ASSIGN_OR_RETURN(const Token token, ReadTokenFile(TokenPath()));
    static_cast<void>(token);
    return {};
  }
  return MakeTokenFile(TokenPath());
}

Status FleetTree::PutAside(const std::string& directory) const {
  RAILGAUGE_CHECK(directory.starts_with(root_ + "/"));
  std::error_code error;
  // A link that leads nowhere is in the way, too.
  if (!fs::exists(fs::symlink_status(directory, error))) return {};
  const std::string base = root_ + "/failed" + directory.substr(root_.size());
  RAILGAUGE_RETURN_IF_ERROR(MakeFolder(fs::path(base).parent_path().string()));
  size_t number = 1;
  while (fs::exists(fs::symlink_status(fmt::format("{}.{}", base, number), error))) ++number;
  fs::rename(directory, fmt::format("{}.{}", base, number), error);
  if (error) return Fail(FileError(error, "put aside", directory));
  return {};
}

std::vector<PlannedPair> FleetTree::RunsThere(const FleetPlan& plan,
                                              std::map<size_t, std::string>& unreadable) const {
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < plan.nodes.size(); ++i) index[plan.nodes[i].name] = i;
  std::vector<PlannedPair> pairs;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const std::string folder = root_ + "/runs/" + plan.nodes[i].name;
    std::error_code error;
    const std::vector<std::string> names = NamesIn(folder, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      unreadable[i] =
          railgauge::FileError(FileUse::kRead, error.value(), "read the folder", folder).ToString();
    }
    for (const std::string& name : names) {
      const auto target =
          name.starts_with(kWith) ? index.find(name.substr(kWith.size())) : index.end();
      if (target != index.end()) pairs.push_back({i, target->second});
    }
  }
  return pairs;
}

std::vector<std::string> FleetTree::SuspicionsThere() const {
  std::error_code error;  // without them all is measured again
  return NamesIn(root_ + "/confirm", error);
}

Status CheckOutsideRuns(const std::string& path, const std::string& what) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return {};  // who writes there says it
  const auto refuse = [&](const std::string& reason) {
    return Fail(MakeError(what, path, reason, "Choose a place outside of it"));
  };
  std::string below;  // the part of the path behind `folder`
  for (fs::path folder = whole; folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string name = folder.string();
    const bool is_run = IsThere(name + "/run.json") ||
                        (IsThere(name + "/census.csv") && IsThere(name + "/samples.csv"));
    if (is_run) return refuse(Printable(name) + " is a recorded run, which stays as it is");
    const bool is_kept =
        below == "runs" || below == "confirm" || below == "failed" || below == "logs";
    if (is_kept && IsThere(name + "/plan.json")) {
      return refuse(Printable(name + "/" + below) +
                    " is what a fleet recorded, which stays as it is");
    }
    below = folder.filename().string();
  }
  return {};
}

std::string WhyNotWhole(const std::string& directory) {
  std::string why;
  ReadWholeRun(directory, why);
  return why;
}

std::optional<RunGroups> ReadWholeRun(const std::string& directory, std::string& why) {
  why = kNotMeasured;
  if (!IsThere(directory + "/run.json")) return std::nullopt;
  auto groups = ReadRunGroups(directory);
  why = WithoutStop(groups ? WhyNotWhole(*groups) : groups.error().ToString());
  return why.empty() ? std::optional(std::move(*groups)) : std::nullopt;
}

}  // namespace railgauge
