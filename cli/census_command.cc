// railgauge census: by which interconnect each NIC reaches each memory place, as the devices say.

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/taking_census.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/placement/all_findings.h"
#include "lib/report/finding_list.h"
#include "lib/report/matrix.h"
#include "lib/report/published_census.h"
#include "lib/report/report_csv.h"
#include "lib/report/run_directory.h"
#include "lib/report/text_matrix.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Registers a small buffer in every place, in every way, with every NIC, and asks the device\n"
    "(efadv_query_mr). Measures nothing.\n"
    "--publish writes one file for others to learn from: devices, topology, ids and versions, "
    "without\n"
    "the names of hosts, users and instances, network addresses and paths. Read it before you "
    "send\n"
    "it.\n"
    "Exit status: 0 a device answered; 2 usage or set-up error; 3 none did, or it was "
    "interrupted.\n"
    "Examples:\n"
    "  railgauge census\n"
    "  railgauge census --publish=census.json --hash-instance-id\n"
    "  railgauge census --nics=rdmap79s0 --places=numa0,gpu0\n"
    "  railgauge census --csv_out=- | column -s, -t | less -S\n"
    "  railgauge census --emulate=p5.48xlarge --output=census-p5";

struct Options {
  MachineOptions machine;
  ColorOption color;
  std::string output;
  std::string csv_out;
  std::string publish;
  bool hash_instance_id = false;
};

// Who is here: their names must not be in what is published.
std::vector<std::string> NamesOfUsers() {
  std::vector<std::string> names;
  for (const char* variable : {"USER", "LOGNAME", "SUDO_USER", "HOSTNAME"}) {
    if (const char* name = std::getenv(variable)) names.emplace_back(name);
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing else runs yet.
  if (const passwd* user = ::getpwuid(::getuid())) names.emplace_back(user->pw_name);
  return names;
}

// The row's reason without the names of its NIC and place, so that equal ones are counted together.
std::string WithoutNames(const CensusRow& row) {
  std::string reason = row.reason;
  const std::pair<std::string, std::string_view> names[] = {{row.nic.name, "NIC"},
                                                            {row.place.ToString(), "PLACE"}};
  for (const auto& [name, stand_in] : names) {
    const size_t at = name.empty() ? std::string::npos : reason.find(name);
    if (at != std::string::npos) reason.replace(at, name.size(), stand_in);
  }
  return reason;
}

// "576 rows: 560 ok, 16 registration_failed" and the reasons, each once.
std::string Summary(const std::vector<CensusRow>& rows) {
  std::map<CensusStatus, size_t> counts;
  std::set<std::pair<PciAddress, MemoryPlace>> pairs;
  std::map<std::string, size_t> reasons;
  for (const CensusRow& row : rows) {
    ++counts[row.status];
    if (row.status == CensusStatus::kOk) pairs.insert({row.nic.address, row.place});
    if (!row.reason.empty()) ++reasons[WithoutNames(row)];
  }
  std::string text = fmt::format("{} with an id; {}:", Counted(pairs.size(), "(NIC, place) pair"),
                                 Counted(rows.size(), "row"));
  for (const auto& [status, count] : counts) text += fmt::format(" {} {}", count, ToString(status));
  text += '\n';
  for (const auto& [reason, count] : reasons) {
    constexpr size_t kWidth = 98, kIndent = 6;
    text += fmt::format("  {}\n", WrapText(fmt::format("{} x {}", count, reason), kWidth, kIndent));
  }
  return text;
}

bool WasTried(const CensusRow& row) {
  return row.status != CensusStatus::kSkipped && row.status != CensusStatus::kNotSupported;
}

bool AnyRegistered(const std::vector<CensusRow>& rows) {
  for (const CensusRow& row : rows) {
    const bool failed = row.status == CensusStatus::kRegistrationFailed;
    if (!failed && WasTried(row)) return true;
  }
  return false;
}

// Where no NIC could be asked at all, the first reason is the command's error.
Status CheckAnythingTried(const std::vector<CensusRow>& rows) {
  for (const CensusRow& row : rows) {
    if (WasTried(row)) return {};
  }
  const auto skipped = std::find_if(rows.begin(), rows.end(), [](const CensusRow& row) {
    return row.status == CensusStatus::kSkipped;
  });
  if (skipped == rows.end() || Interrupted()) return {};
  return Fail(MakeError("census", "of " + Counted(rows.size(), "row"),
                        "none could be tried, the first because: " + skipped->reason));
}

Status CheckFiles(const Options& options) {
  CommandFiles files;
  files.Reads("--hwloc-xml", options.machine.hwloc_xml);
  files.Makes("--output", options.output);
  files.Writes("--csv_out", options.csv_out);
  files.Writes("--publish", options.publish);
  return files.Check();
}

Result<ExitStatus> Run(const Options& options, const CommandLine& line) {
  RAILGAUGE_RETURN_IF_ERROR(CheckFiles(options));
  RAILGAUGE_ASSIGN_OR_RETURN(Session session, OpenSession(options.machine));
  std::optional<RunDirectory> directory;
  if (!options.output.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(directory, RunDirectory::Create(session.run, options.output));
    RAILGAUGE_RETURN_IF_ERROR(WriteRunInfo(*directory, session, "census", line, std::nullopt));
    RAILGAUGE_RETURN_IF_ERROR(WriteTopology(options.machine, *directory));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<CensusRow> rows,
                             TakeCensus(session, session.nics, session.census_places));
  // Like a check that could judge nothing: no device answered.
  const ExitStatus status = Interrupted() || !AnyRegistered(rows) ? kExitUndecided : kExitOk;
  const std::vector<Finding> findings = AllFindings(session.machine, rows, {}, nullptr);
  if (directory) {
    RAILGAUGE_RETURN_IF_ERROR(directory->Write<CensusRow>(rows));
    RAILGAUGE_RETURN_IF_ERROR(directory->Write<Finding>(findings));
    RAILGAUGE_RETURN_IF_ERROR(WriteRunInfo(*directory, session, "census", line, status));
  }
  if (!options.publish.empty()) {
    const std::string published = PublishedCensus(MakeRunInfo(session, line), rows, findings,
                                                  {NamesOfUsers(), options.hash_instance_id});
    RAILGAUGE_RETURN_IF_ERROR(WriteOutput(options.publish, published));
  }
  RAILGAUGE_RETURN_IF_ERROR(WriteOutput(options.csv_out, CsvFile<CensusRow>(session.run, rows)));
  if (options.csv_out != "-" && options.publish != "-") {
    PrintMachine(session);
    MatrixOptions matrix;
    matrix.color = options.color.UseColor();
    fmt::print("{}\n{}{}", FormatCensus(session.machine, rows, matrix), Summary(rows),
               FormatFindings(findings, matrix));
    if (directory) fmt::print("run directory: {}\n", directory->path());
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckAnythingTried(rows));
  PrintNotes(session.notes);
  return status;
}

}  // namespace

Command AddCensusCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "census", "ask every NIC by which interconnect it reaches each memory place");
  command->footer(kFooter);
  AddMachineOptions(*command, options->machine);
  AddColorOption(*command, options->color);
  command
      ->add_option("--output", options->output,
                   "the run directory, new or empty (default: none is written)")
      ->type_name("DIR");
  command
      ->add_option("--csv_out", options->csv_out,
                   "also write census.csv to FILE; - is stdout, alone")
      ->type_name("FILE");
  auto* publish =
      command->add_option("--publish", options->publish,
                          "also write the census fit to publish, as JSON, to FILE; - is "
                          "stdout, alone");
  publish->type_name("FILE");
  command
      ->add_flag("--hash-instance-id", options->hash_instance_id,
                 "in that file, tell instances apart by a hash of their id")
      ->needs(publish);
  return {command, [options](const CommandLine& line) { return Run(*options, line); }};
}

}  // namespace railgauge
