#include "cli/recorded_runs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "cli/interrupt.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/file_error.h"
#include "lib/base/quoted.h"
#include "lib/placement/consistency.h"
#include "lib/placement/run_table.h"
#include "lib/report/recorded_files.h"
#include "lib/report/run_state.h"
#include "lib/topology/load.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr char kCensus[] = "/census.csv";
constexpr char kSamples[] = "/samples.csv";
constexpr char kTopology[] = "/topology.xml";
constexpr char kRunJson[] = "/run.json";

// What is there and cannot be reached (a loop of links) is there: whoever opens it says why.
bool Exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool HoldsRuns(const std::string& directory) {
  return Exists(directory + kCensus) || Exists(directory + kSamples);
}

Result<RunState> StateOf(const std::string& directory) {
  const std::string path = directory + kRunJson;
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadRegularFile(path, size_t{64} << 20));
  return ParseRunState(content, path);
}

// Whether a command that judges can say something by the directory's run. Where run.json does not
// say what wrote it, its files do.
bool IsOfCheck(const std::string& directory, bool has_topology) {
  if (!has_topology && !Exists(directory + kTopology)) return false;
  if (Exists(directory + kRunJson)) {
    const auto state = StateOf(directory);
    if (state && !state->command.empty()) return state->command == "check";
  }
  return !Exists(directory + "/groups.csv");
}

template <typename Row>
std::vector<Row> RowsOf(std::vector<RecordedRow<Row>> recorded) {
  std::vector<Row> rows;
  rows.reserve(recorded.size());
  for (RecordedRow<Row>& one : recorded) rows.push_back(std::move(one.row));
  return rows;
}

std::vector<PciAddress> AddressesOf(const Machine& machine) {
  std::vector<PciAddress> addresses;
  for (const Nic& nic : machine.nics) addresses.push_back(nic.position.address);
  return addresses;
}

// Of GPUs that CUDA showed the run and PCI did not.
void NoteUnseenGpus(const RecordedRun& recorded, LoadedRun& loaded) {
  std::set<std::string> unseen;
  for (const auto& [row, line] : recorded.census) {
    if (row.place.is_gpu() && loaded.machine->FindGpu(row.place.gpu) == nullptr) {
      unseen.insert(row.place.ToString());
    }
  }
  if (unseen.empty()) return;
  const bool one = unseen.size() == 1;
  loaded.notes.push_back(
      fmt::format("run '{}': {} of census.csv {} not in the topology, and {} judged: {}",
                  Shortened(recorded.run.run_id), Counted(unseen.size(), "GPU"), one ? "is" : "are",
                  one ? "is not" : "are not", fmt::join(unseen, ", ")));
}

// The folder that `path` names: itself, or the one that the named file of a run is in.
std::string RootOf(const std::string& path) {
  std::string root = path;
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  const fs::path given(root);
  const std::string file = "/" + given.filename().string();
  std::error_code error;
  if ((file == kCensus || file == kSamples) && fs::is_regular_file(given, error)) {
    root = given.has_parent_path() ? given.parent_path().string() : ".";
  }
  return root;
}

}  // namespace

Result<std::vector<std::string>> AllRunDirectories(const std::string& path) {
  const std::string root = RootOf(path);
  std::error_code error;
  // What is not there, or is no directory, is told by whoever opens its files.
  if (HoldsRuns(root) || !fs::is_directory(root, error)) return std::vector<std::string>{root};
  std::vector<std::string> directories;
  fs::recursive_directory_iterator entry(root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string below = entry->path().string();
    if (!entry->is_directory(error) || !HoldsRuns(below)) continue;
    directories.push_back(below);
    entry.disable_recursion_pending();
  }
  if (error) return Fail(FileError(FileUse::kRead, error.value(), "list", root));
  std::sort(directories.begin(), directories.end());
  return directories;
}

Result<std::vector<std::string>> FindRunDirectories(const std::string& path, bool has_topology,
                                                    std::vector<std::string>* left_out) {
  const std::string root = RootOf(path);
  RAILGAUGE_ASSIGN_OR_RETURN(auto all, AllRunDirectories(path));
  if (all.size() == 1 && all.front() == root) return all;
  std::vector<std::string> directories;
  for (std::string& below : all) {
    (IsOfCheck(below, has_topology) ? &directories : left_out)->push_back(std::move(below));
  }
  if (directories.empty()) {
    return Fail(MakeError(
        "find runs", root,
        left_out->empty() ? "there is no run directory in it (none with census.csv and samples.csv)"
                          : "no run of check is in it: all are of load or census, or have no "
                            "topology.xml",
        left_out->empty() ? "Give what check --output=DIR wrote, or a directory of such"
                          : "Give one of them by itself, or the topology with --hwloc-xml=FILE"));
  }
  return directories;
}

Result<GivenTopologies> GivenTopologies::Parse(const std::vector<std::string>& values) {
  GivenTopologies given;
  for (const std::string& value : values) {
    // A type may hold a '/', and the name of a file an '='.
    const size_t equals = value.find('=');
    const bool of_type = equals != std::string::npos && !Exists(value);
    const std::string type = of_type ? value.substr(0, equals) : "";
    const std::string file = of_type ? value.substr(equals + 1) : value;
    if (file.empty()) {
      return Fail(
          MakeError("read --hwloc-xml", Quoted(value), "it names no file",
                    "Write --hwloc-xml=FILE, or --hwloc-xml=TYPE=FILE for one instance type"));
    }
    // That "-" is no file is told where all flags are (CommandFiles).
    if (file != "-" && !Exists(file)) return Fail(FileError(FileUse::kRead, errno, "open", file));
    given.files_[type] = file;
  }
  return given;
}

std::vector<std::string> GivenTopologies::Files() const {
  std::vector<std::string> files;
  for (const auto& [type, file] : files_) files.push_back(file);
  return files;
}

std::string GivenTopologies::FileOf(const RunIdentity& run, const std::string& directory) const {
  const auto given = GivenFor(run);
  return given == files_.end() ? directory + kTopology : given->second;
}

GivenTopologies::FilesByType::const_iterator GivenTopologies::GivenFor(
    const RunIdentity& run) const {
  const auto of_type = files_.find(run.instance_type);
  return of_type == files_.end() ? files_.find("") : of_type;
}

std::vector<std::string> GivenTopologies::NotesOnUnused() const {
  std::vector<std::string> notes;
  for (const auto& [type, file] : files_) {
    if (used_.contains(type)) continue;
    notes.push_back(fmt::format("--hwloc-xml={}{} was not read: no run is of {}",
                                type.empty() ? "" : Shortened(type) + "=", Printable(file),
                                type.empty() ? "another type" : "that instance type"));
  }
  return notes;
}

Result<std::shared_ptr<const Machine>> GivenTopologies::MachineOf(const RunIdentity& run,
                                                                  const std::string& directory) {
  const std::string file = FileOf(run, directory);
  if (const auto given = GivenFor(run); given != files_.end()) used_.insert(given->first);
  if (const auto known = read_.find(file); known != read_.end()) return known->second;
  if (file == directory + kTopology && !Exists(file)) {
    const std::string type = run.instance_type;
    return Fail(ErrnoError(
        errno, "open", file,
        files_.empty() ? "Give the topology of the run's machine with --hwloc-xml=FILE"
                       : fmt::format("Give that of instance type '{}' with --hwloc-xml={}=FILE",
                                     Shortened(type), Shortened(type))));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(Machine machine, LoadMachineFromXml(file));
  if (!machine.shows_pci) {
    return Fail(MakeError("read topology XML", file,
                          "it shows no PCI devices, so no NIC of the run",
                          "Export it again with lstopo --of xml --filter io:all"));
  }
  auto shared = std::make_shared<const Machine>(std::move(machine));
  // Of a thousand run directories with a topology each, one is kept.
  if (file == directory + kTopology) {
    read_.erase(read_file_);
    read_file_ = file;
  }
  return read_[file] = std::move(shared);
}

Result<RecordedDirectory> RecordedDirectory::Open(const std::string& path, Absent absent) {
  const std::string census = path + kCensus;
  const std::string samples = path + kSamples;
  if (!HoldsRuns(path)) absent = Absent::kIsError;
  RAILGAUGE_RETURN_IF_ERROR(CheckRecordedFiles(path));
  RAILGAUGE_ASSIGN_OR_RETURN(std::vector<IndexedRun> runs,
                             IndexRuns(census, samples, kMaxPieces, absent));
  if (runs.empty() && absent == Absent::kIsError) {
    return Fail(MakeError("judge", path, "its files have no row: the run ended before its census",
                          "Run it again"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(RunReader reader, RunReader::Open(census, samples, absent));
  return RecordedDirectory(path, std::move(runs), std::move(reader));
}

Status RecordedDirectory::ReadState(const GivenTopologies& topologies, LoadedRun& loaded) const {
  const std::string path = path_ + kRunJson;
  if (!Exists(path)) {
    loaded.notes.push_back("run '" + Shortened(loaded.run.run_id) +
                           "' has no run.json, so it may not have ended: told is what it had "
                           "recorded");
    return {};
  }
  RAILGAUGE_ASSIGN_OR_RETURN(RunState state, StateOf(path_));
  if (runs_.empty()) loaded.run = state.run;
  RAILGAUGE_RETURN_IF_ERROR(CheckIsOfRun(state, loaded.run, path));
  if (loaded.machine != nullptr) {
    const std::string topology = topologies.FileOf(loaded.run, path_);
    RAILGAUGE_RETURN_IF_ERROR(CheckIsOfMachine(state, AddressesOf(*loaded.machine), path, topology,
                                               topology == path_ + kTopology));
  }
  loaded.command = std::move(state.command);
  if (!state.ended) {
    loaded.notes.push_back(fmt::format(
        "run {}{} did not end: told is what it had recorded until then", Quoted(loaded.run.run_id),
        loaded.command.empty() ? "" : " of " + Shortened(loaded.command)));
  }
  loaded.cuda_order = std::move(state.cuda_order);
  loaded.queue_pairs = state.queue_pairs;
  return {};
}

Result<LoadedRun> RecordedDirectory::Load(size_t index, GivenTopologies& topologies) {
  RAILGAUGE_ASSIGN_OR_RETURN(RecordedRun recorded, reader_.Read(runs_[index]));
  RAILGAUGE_RETURN_IF_ERROR(CheckRecording(recorded));
  LoadedRun loaded;
  loaded.directory = path_;
  loaded.run = recorded.run;
  RAILGAUGE_ASSIGN_OR_RETURN(loaded.machine, topologies.MachineOf(recorded.run, path_));
  RAILGAUGE_RETURN_IF_ERROR(
      CheckMachine(recorded, *loaded.machine, topologies.FileOf(recorded.run, path_)));
  if (runs_.size() == 1) {
    RAILGAUGE_RETURN_IF_ERROR(ReadState(topologies, loaded));
    RAILGAUGE_RETURN_IF_ERROR(CheckTablesAreOf(loaded.run, path_));
  }
  if (index + 1 == runs_.size() && EndsInsideLine(path_ + kSamples)) {
    loaded.notes.push_back(path_ + kSamples +
                           " ends inside a line, so it was cut off: that line is left out");
  }
  NoteUnseenGpus(recorded, loaded);
  if (const size_t count = MarkContradicted(recorded); count > 0) {
    loaded.notes.push_back(fmt::format(
        "run '{}': {} of samples.csv {}, and count as not valid", Shortened(recorded.run.run_id),
        Counted(count, "row"), count == 1 ? "contradicts itself" : "contradict themselves"));
  }
  loaded.census = RowsOf(std::move(recorded.census));
  loaded.samples = RowsOf(std::move(recorded.samples));
  return loaded;
}

Result<LoadedRun> RecordedDirectory::LoadEmpty(GivenTopologies& topologies) const {
  LoadedRun loaded;
  loaded.directory = path_;
  RAILGAUGE_RETURN_IF_ERROR(ReadState(topologies, loaded));
  RAILGAUGE_ASSIGN_OR_RETURN(loaded.machine, topologies.MachineOf(loaded.run, path_));
  return loaded;
}

Result<LoadedRun> LoadOneRun(const std::string& path, GivenTopologies& topologies, Absent absent) {
  std::vector<std::string> left_out;
  RAILGAUGE_ASSIGN_OR_RETURN(const auto directories,
                             FindRunDirectories(path, topologies.any(), &left_out));
  const auto several = [&](size_t count) {
    return Fail(MakeError("read", path, "it holds " + Counted(count, "run"),
                          "Give the directory of one: this command tells of one run"));
  };
  if (directories.size() > 1) return several(directories.size());
  RAILGAUGE_ASSIGN_OR_RETURN(auto opened, RecordedDirectory::Open(directories.front(), absent));
  if (opened.size() > 1) return several(opened.size());
  return opened.size() == 0 ? opened.LoadEmpty(topologies) : opened.Load(0, topologies);
}

Status RunsSeen::Add(const RunIdentity& run, const std::string& directory) {
  const auto [before, is_new] = directories_.try_emplace({run.run_id, run.host}, directory);
  if (is_new) return {};
  return Fail(MakeError("read", directory,
                        fmt::format("run {} of host {} is in {} already", Quoted(run.run_id),
                                    Quoted(run.host), Printable(before->second)),
                        "Give every run once"));
}

Status ForEachRun(const std::string& path, GivenTopologies& topologies, RunsSeen& seen,
                  const std::function<void(Result<LoadedRun> loaded, bool many)>& use,
                  std::vector<std::string>& notes, const std::optional<Error>& if_many) {
  std::vector<std::string> left_out;
  RAILGAUGE_ASSIGN_OR_RETURN(const auto directories,
                             FindRunDirectories(path, topologies.any(), &left_out));
  if (if_many && directories.size() > 1) return Fail(*if_many);
  for (const std::string& directory : directories) {
    auto opened = RecordedDirectory::Open(directory);
    const bool many = directories.size() > 1 || (opened && opened->size() > 1);
    if (if_many && many) return Fail(*if_many);
    if (!opened) use(Fail(opened.error()), many);
    for (size_t i = 0; opened && i < opened->size(); ++i) {
      if (Interrupted()) return Fail(MakeError("read runs", path, "interrupted"));
      const Status is_new = seen.Add(opened->run(i), directory);
      use(is_new ? opened->Load(i, topologies) : Fail(is_new.error()), many);
    }
  }
  if (left_out.empty()) return {};
  const bool one = left_out.size() == 1;
  notes.push_back(
      fmt::format("left out {} without a run of check (no topology.xml, or a run of load): {}{}",
                  one ? "a directory" : fmt::format("{} directories", left_out.size()),
                  left_out.front(), one ? "" : ", …"));
  return {};
}

void AddRunDirectory(CLI::App& command, std::string& directory) {
  command.add_option("RUNDIR", directory, "the run directory")->type_name("")->required();
}

void AddTopologyOption(CLI::App& command, std::vector<std::string>& values) {
  command
      .add_option("--hwloc-xml", values,
                  "hwloc XML to take the topology from instead of the run's (or this machine's); "
                  "TYPE=FILE: for one instance type")
      ->type_name("[TYPE=]FILE")
      ->expected(1)
      ->take_all();
}

}  // namespace railgauge
