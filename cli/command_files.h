// CommandFiles: the files that a command reads and writes, as the user named them; each command
// declares all of them and has them checked before any work, so that no flag overwrites what
// another one reads, and no output turns out to be impossible when the work is done.
#ifndef RAILGAUGE_CLI_COMMAND_FILES_H_
#define RAILGAUGE_CLI_COMMAND_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace railgauge {

// What names a file is a flag ("--csv_out") or the word of a usage line ("RUNDIR"). An empty path
// is a flag that was not given.
class CommandFiles {
 public:
  void Reads(std::string_view flag, const std::string& path);
  void Reads(std::string_view flag, const std::vector<std::string>& paths);
  // The files of --placement, which may be a policy.
  void ReadsPlacement(const std::string& placement);
  // The files of --hwloc-xml, as GivenTopologies takes it.
  void ReadsTopologies(const std::vector<std::string>& values);
  // All that is recorded (recorded_files.h) in a run directory or a tree of them, or a file.
  void ReadsRuns(std::string_view flag, const std::string& path);

  // "-" is standard output, for one flag of a command; else the file is replaced. `recorded` is
  // the file of a run that the output is like: it may become that of a run which has none.
  void Writes(std::string_view flag, const std::string& path, std::string_view recorded = {});
  // For what is written beside a report on standard output: "-" is an error.
  void WritesBeside(std::string_view flag, const std::string& path, std::string_view recorded = {});
  // A folder that is made, with a run's files in it.
  void Makes(std::string_view flag, const std::string& folder);

  // Errors: an output that is a file which is read (also a recorded one that is not there, which
  // it would pass for), or that is written twice, by whatever path; one that cannot be written
  // (output_path.h); "-" where it means nothing. Devices and pipes may be named as often as one
  // likes.
  Status Check() const;

 private:
  struct Named {
    std::string flag;
    std::string path;
  };
  struct Output : Named {
    bool may_be_stdout = false;
    std::string recorded;
  };

  Status CheckMeaning() const;
  Status CheckCanBeWritten() const;
  Status CheckApart() const;
  // Whether the folder will be there once `made_` are.
  bool WillBeMade(const std::string& folder) const;

  std::vector<Named> read_;
  std::vector<Named> runs_;
  std::vector<Output> written_;
  std::vector<Named> made_;
};

// Writes an output as it was declared: nothing for an empty path, "-" to standard output.
Status WriteOutput(const std::string& path, std::string_view content);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_COMMAND_FILES_H_
