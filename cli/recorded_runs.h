// RecordedRuns: the runs that a user names with RUNDIR, one after the other: those of one run
// directory, of a tree of them, or of one directory whose census.csv and samples.csv hold many.
//
// One run is in memory at a time. What is wrong with one is no reason not to judge the others.
#ifndef RAILGAUGE_CLI_RECORDED_RUNS_H_
#define RAILGAUGE_CLI_RECORDED_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/record/records.h"
#include "lib/report/run_index.h"
#include "lib/topology/machine.h"

namespace railgauge {

// A run as it was recorded, checked (lib/placement/consistency.h).
struct LoadedRun {
  RunIdentity run;
  std::vector<CensusRow> census;
  std::vector<Sample> samples;
  std::shared_ptr<const Machine> machine;
  std::string command;                  // of run.json: "check", "load"; empty: not known
  std::vector<PciAddress> cuda_order;   // of run.json; empty: not known
  std::optional<uint32_t> queue_pairs;  // of run.json; empty: not known
  std::vector<std::string> notes;       // what a reader of the verdicts needs to know
  std::string directory;
};

// The directories of runs that `path` names, in the order of their names: itself where it has a
// census.csv or samples.csv (or is one, or no directory), else those below it, whatever wrote them.
Result<std::vector<std::string>> AllRunDirectories(const std::string& path);

// Of these, those that a command which judges can read: itself where it has a census.csv or
// samples.csv (or is one), else those below it that a check wrote, in the order of their names.
// `left_out` gets the others below it that hold a run, and which nothing can be judged by (of load
// and census, as run.json says). Errors: nothing there.
Result<std::vector<std::string>> FindRunDirectories(const std::string& path, bool has_topology,
                                                    std::vector<std::string>* left_out);

// The topologies of --hwloc-xml: FILE for every run, TYPE=FILE for the runs of an instance type.
class GivenTopologies {
 public:
  static Result<GivenTopologies> Parse(const std::vector<std::string>& values);

  bool any() const { return !files_.empty(); }
  std::vector<std::string> Files() const;
  // The machine of a run in `directory`; each file is read once.
  Result<std::shared_ptr<const Machine>> MachineOf(const RunIdentity& run,
                                                   const std::string& directory);
  // The file that shows it.
  std::string FileOf(const RunIdentity& run, const std::string& directory) const;
  // Once all runs are read: of each file that none of them was of, so that a misspelt type shows.
  std::vector<std::string> NotesOnUnused() const;

 private:
  using FilesByType = std::map<std::string, std::string>;
  // That of the run, or end().
  FilesByType::const_iterator GivenFor(const RunIdentity& run) const;

  FilesByType files_;           // by instance type; "" for all others
  std::set<std::string> used_;  // their types
  std::string read_file_;       // of a run's directory, the last that was read
  std::map<std::string, std::shared_ptr<const Machine>> read_;
};

// A directory with the census.csv and samples.csv of one or many runs.
class RecordedDirectory {
 public:
  // Errors: files that cannot be read or are no reports; unless what is `absent` counts for
  // empty, no run in them.
  static Result<RecordedDirectory> Open(const std::string& path, Absent absent = Absent::kIsError);

  size_t size() const { return runs_.size(); }
  const RunIdentity& run(size_t index) const { return runs_[index].run; }
  // Run `index` of them. An Error where its rows can be of no run, or its machine is not known.
  Result<LoadedRun> Load(size_t index, GivenTopologies& topologies);
  // What there is of a run that recorded no row.
  Result<LoadedRun> LoadEmpty(GivenTopologies& topologies) const;

 private:
  RecordedDirectory(std::string path, std::vector<IndexedRun> runs, RunReader reader)
      : path_(std::move(path)), runs_(std::move(runs)), reader_(std::move(reader)) {}

  // What run.json says, where the directory is one run's.
  Status ReadState(const GivenTopologies& topologies, LoadedRun& loaded) const;

  std::string path_;
  std::vector<IndexedRun> runs_;
  RunReader reader_;
};

// The runs that were read, each of which counts once: a copy of one would be evidence twice.
class RunsSeen {
 public:
  // An Error that names both places where the run was seen before.
  Status Add(const RunIdentity& run, const std::string& directory);

 private:
  std::map<std::pair<std::string, std::string>, std::string> directories_;  // by run_id and host
};

// Calls `use` with each run that `path` names, or with why it cannot be had; `many`: it names
// several. One that was `seen` before cannot be had. `notes` gets what was left out. An Error where
// `path` names none; `if_many`, before any is read, where it names several.
Status ForEachRun(const std::string& path, GivenTopologies& topologies, RunsSeen& seen,
                  const std::function<void(Result<LoadedRun> loaded, bool many)>& use,
                  std::vector<std::string>& notes,
                  const std::optional<Error>& if_many = std::nullopt);

// The one run that `path` names, for commands that tell of one. An Error where it names several.
Result<LoadedRun> LoadOneRun(const std::string& path, GivenTopologies& topologies,
                             Absent absent = Absent::kIsError);

// RUNDIR of a command that reads it.
void AddRunDirectory(CLI::App& command, std::string& directory);

// --hwloc-xml of a command that reads recorded runs; it may be given again.
void AddTopologyOption(CLI::App& command, std::vector<std::string>& values);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_RECORDED_RUNS_H_
