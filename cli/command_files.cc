#include "cli/command_files.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/recorded_runs.h"
#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/file_id.h"
#include "lib/base/output_path.h"
#include "lib/base/own_descriptor.h"
#include "lib/placement/import/import.h"
#include "lib/report/recorded_files.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr char kStdout[] = "-";

std::string Canonical(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? "." : path, error);
  const fs::path canonical = fs::weakly_canonical(absolute, error);
  std::string text = (error ? absolute.lexically_normal() : canonical).string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// The folders whose recorded files are read where `path` names runs.
std::vector<std::string> FoldersOfRuns(const std::string& path) {
  const auto found = AllRunDirectories(path);
  // Why it could not be listed is told by who reads it.
  return found && !found->empty() ? *found : std::vector<std::string>{path};
}

}  // namespace

void CommandFiles::Reads(std::string_view flag, const std::string& path) {
  if (!path.empty()) read_.push_back({std::string(flag), path});
}

void CommandFiles::Reads(std::string_view flag, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) Reads(flag, path);
}

void CommandFiles::ReadsPlacement(const std::string& placement) {
  Reads("--placement", FilesOfPlacement(placement));
}

void CommandFiles::ReadsTopologies(const std::vector<std::string>& values) {
  if (const auto given = GivenTopologies::Parse(values)) Reads("--hwloc-xml", given->Files());
}

void CommandFiles::ReadsRuns(std::string_view flag, const std::string& path) {
  if (path.empty()) return;
  Reads(flag, path);
  runs_.push_back({std::string(flag), path});
}

void CommandFiles::Writes(std::string_view flag, const std::string& path,
                          std::string_view recorded) {
  if (!path.empty()) written_.push_back({{std::string(flag), path}, true, std::string(recorded)});
}

void CommandFiles::WritesBeside(std::string_view flag, const std::string& path,
                                std::string_view recorded) {
  if (!path.empty()) written_.push_back({{std::string(flag), path}, false, std::string(recorded)});
}

void CommandFiles::Makes(std::string_view flag, const std::string& folder) {
  if (!folder.empty()) made_.push_back({std::string(flag), folder});
}

Status CommandFiles::Check() const {
  RAILGAUGE_RETURN_IF_ERROR(CheckMeaning());
  RAILGAUGE_RETURN_IF_ERROR(CheckCanBeWritten());
  return CheckApart();
}

Status CommandFiles::CheckMeaning() const {
  for (const Named& input : read_) {
    if (input.path != kStdout) continue;
    return Fail(MakeError("read " + input.flag, kStdout,
                          "it stands for standard input, which is not read",
                          "Name what is to be read (./- where it is called so)"));
  }
  for (const Named& folder : made_) {
    if (folder.path != kStdout) continue;
    return Fail(MakeError("write " + folder.flag, kStdout,
                          "it stands for standard output, and a folder is made",
                          "Name a folder (./- where it is to be called so)"));
  }
  const Output* on_stdout = nullptr;
  for (const Output& output : written_) {
    if (output.path != kStdout && OwnDescriptor(output.path) != STDOUT_FILENO) continue;
    if (output.path == kStdout && !output.may_be_stdout) {
      return Fail(MakeError("write " + output.flag, kStdout,
                            "standard output has what the command prints, and this would be mixed "
                            "with it",
                            "Name a file"));
    }
    if (on_stdout != nullptr) {
      return Fail(MakeError("write " + output.flag, output.path,
                            on_stdout->flag + " goes to standard output, too",
                            "Name a file for one of them"));
    }
    on_stdout = &output;
  }
  return {};
}

bool CommandFiles::WillBeMade(const std::string& folder) const {
  for (const Named& made : made_) {
    if ((Canonical(made.path) + "/").starts_with(Canonical(folder) + "/")) return true;
  }
  return false;
}

Status CommandFiles::CheckCanBeWritten() const {
  for (const Named& folder : made_) {
    RAILGAUGE_RETURN_IF_ERROR(CheckCanMakeFolder(folder.path, "write " + folder.flag));
  }
  for (const Output& output : written_) {
    if (output.path == kStdout) continue;
    const std::string folder = fs::path(output.path).parent_path().string();
    std::error_code error;
    if (!folder.empty() && !fs::exists(folder, error) && WillBeMade(folder)) continue;
    RAILGAUGE_RETURN_IF_ERROR(CheckCanWrite(output.path, "write " + output.flag));
  }
  return {};
}

Status CommandFiles::CheckApart() const {
  std::map<FileId, Output> outputs;
  for (const Named& folder : made_) {
    const Output output{folder, false, ""};
    if (const auto id = FileIdOf(folder.path)) outputs.emplace(*id, output);
    for (const std::string_view name : RecordedFileNames()) {
      const auto id = FileIdOf(fmt::format("{}/{}", folder.path, name));
      if (id) outputs.emplace(*id, output);
    }
  }
  for (const Output& output : written_) {
    const auto id = output.path == kStdout ? std::nullopt : FileIdOf(output.path);
    if (!id) continue;
    const auto [other, is_new] = outputs.emplace(*id, output);
    if (is_new) continue;
    return Fail(MakeError("write " + output.flag, output.path,
                          other->second.flag + " writes the same file",
                          "Give each of them a file of its own"));
  }
  if (const auto id = FileIdOf(STDOUT_FILENO)) {
    const auto [other, is_new] = outputs.emplace(*id, Output{{"standard output", ""}, true, ""});
    if (!is_new) {
      return Fail(MakeError("write " + other->second.flag, other->second.path,
                            "standard output goes to the same file",
                            "Give each of them a file of its own"));
    }
  }
  if (outputs.empty()) return {};
  const auto check = [&](const Named& input, const std::string& path,
                         std::string_view recorded) -> Status {
    const auto id = FileIdOf(path);
    const auto output = id ? outputs.find(*id) : outputs.end();
    if (output == outputs.end()) return {};
    const bool becomes_it = !recorded.empty() && output->second.recorded == recorded;
    if (becomes_it && !id->is_there()) return {};
    const std::string what =
        recorded.empty()
            ? "it is what " + input.flag + " names, which is read"
            : fmt::format("it is {} of the run that {} names, which is read", recorded, input.flag);
    return Fail(MakeError("write " + output->second.flag, output->second.path, what,
                          "Choose another file: what is read is never written over"));
  };
  for (const Named& input : read_) {
    RAILGAUGE_RETURN_IF_ERROR(check(input, input.path, ""));
  }
  for (const Named& run : runs_) {
    for (const std::string& folder : FoldersOfRuns(run.path)) {
      for (const std::string_view name : RecordedFileNames()) {
        RAILGAUGE_RETURN_IF_ERROR(check(run, fmt::format("{}/{}", folder, name), name));
      }
    }
  }
  return {};
}

Status WriteOutput(const std::string& path, std::string_view content) {
  if (path.empty()) return {};
  if (path != kStdout) return WriteFileAtomically(path, content);
  std::fwrite(content.data(), 1, content.size(), stdout);
  return {};
}

}  // namespace railgauge
