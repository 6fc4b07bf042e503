#include "bench/program.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/benchmark_flags.h"
#include "bench/csv_reporter.h"
#include "bench/finished_reporter.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file_id.h"
#include "lib/emulator/launcher/restart.h"

namespace railgauge {
namespace {

// Prints it as the program `name`'s and returns the exit status.
int Report(const std::string& name, const Error& error) {
  PrintError(name, error);
  return kExitError;
}

void PrintHelp(const BenchProgram& program) {
  fmt::print("usage: {} [flags]\n{}Exit status:\n", program.name, BenchFlagsHelp(program.flags));
  fmt::print(
      "          0 something was measured and nothing went wrong; 2 usage or set-up error, or a\n"
      "          report that could not be written; 3 a benchmark failed or is contradicted,\n"
      "          nothing could be measured, or the run was interrupted (what finished is kept)\n"
      "Examples:\n{}Google Benchmark flags:\n",
      program.examples);
  std::fflush(stdout);
  benchmark::PrintDefaultHelp();
}

bool AsksForHelp(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
}

bool ListsOnly(const std::vector<std::string>& arguments) {
  const std::string lists = BenchmarkFlagValue(arguments, "benchmark_list_tests").value_or("false");
  return lists.empty() || lists == "true" || lists == "yes" || lists == "on" || lists == "1";
}

BENCHMARK_DISABLE_DEPRECATED_WARNING

// That of --benchmark_out, as the library would make it; null without that flag.
std::unique_ptr<FinishedReporter> FileReporter(const std::vector<std::string>& arguments) {
  if (BenchmarkFlagValue(arguments, "benchmark_out").value_or("").empty()) return nullptr;
  const std::string format = BenchmarkFlagValue(arguments, "benchmark_out_format").value_or("json");
  std::unique_ptr<benchmark::BenchmarkReporter> inner;
  if (format == "json") inner = std::make_unique<benchmark::JSONReporter>();
  if (format == "csv") inner = std::make_unique<benchmark::CSVReporter>();
  if (format == "console") {
    inner = std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
  }
  RAILGAUGE_CHECK(inner != nullptr);  // the flags were checked
  return std::make_unique<FinishedReporter>(std::move(inner));
}

BENCHMARK_RESTORE_DEPRECATED_WARNING

// Its reports, all of whose files are written.
class Reports {
 public:
  Reports(const std::vector<std::string>& arguments, RowLog* log)
      : file_(FileReporter(arguments)), file_path_(BenchmarkFlagValue(arguments, "benchmark_out")) {
    auto display = std::make_unique<FinishedReporter>(
        std::unique_ptr<benchmark::BenchmarkReporter>(benchmark::CreateDefaultDisplayReporter()));
    display_ = display.get();
    csv_ = std::make_unique<CsvReporter>(std::move(display), log);
  }

  CsvReporter& csv() { return *csv_; }
  size_t left_out() const { return display_->left_out(); }

  // Returns how many benchmarks the filter matched.
  size_t RunBenchmarks() { return benchmark::RunSpecifiedBenchmarks(csv_.get(), file_.get()); }

  // The first that could not be written.
  Status written() const {
    RAILGAUGE_RETURN_IF_ERROR(csv_->csv_written());
    if (file_ != nullptr && !file_->written()) {
      return Fail(MakeError("write --benchmark_out", *file_path_, "not all of it could be written",
                            "Free space there, or choose a file that can be written"));
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return Fail(MakeError("write", "stdout", "it is closed or full"));
    }
    return {};
  }

 private:
  std::unique_ptr<FinishedReporter> file_;  // null without --benchmark_out
  std::optional<std::string> file_path_;
  FinishedReporter* display_;  // csv_'s
  std::unique_ptr<CsvReporter> csv_;
};

// The exit status of a run that ended.
int StatusOf(const BenchProgram& program, Reports& reports) {
  if (Interrupted()) {
    PrintNotes({fmt::format("interrupted: {} had not finished and left nothing",
                            Counted(reports.left_out(), "benchmark"))});
  }
  if (const Status written = reports.written(); !written) {
    return Report(program.name, written.error());
  }
  const CsvReporter& rows = reports.csv();
  const bool wrong = rows.CountOf(LoggedRow::Outcome::kWrong) > 0;
  const bool measured = rows.CountOf(LoggedRow::Outcome::kMeasured) > 0;
  return Interrupted() || wrong || !measured ? kExitUndecided : kExitOk;
}

// No output is what another flag reads or writes.
Status CheckFiles(const BenchFlags& flags, const std::vector<std::string>& arguments) {
  if (flags.csv_out.empty() || flags.csv_out == "-") return {};
  const auto csv = FileIdOf(flags.csv_out);
  const std::pair<const char*, std::string> others[] = {
      {"--benchmark_out", BenchmarkFlagValue(arguments, "benchmark_out").value_or("")},
      {"--hwloc-xml", flags.machine.hwloc_xml},
      {"--token", flags.peer.token}};
  for (const auto& [flag, path] : others) {
    if (path.empty() || !csv || FileIdOf(path) != csv) continue;
    return Fail(MakeError("write --csv_out", flags.csv_out,
                          std::string("it is the file that ") + flag + " names",
                          "Choose another file"));
  }
  return {};
}

int Run(const BenchProgram& program, int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (AsksForHelp(arguments)) {
    PrintHelp(program);
    return kExitOk;
  }
  if (const Status good = CheckBenchmarkFlags(arguments); !good) {
    return Report(program.name, good.error());
  }
  benchmark::Initialize(&argc, argv);
  const auto flags = ParseBenchFlags({argv + 1, argv + argc}, program.flags);
  if (!flags) return Report(program.name, flags.error());
  if (const Status apart = CheckFiles(*flags, arguments); !apart) {
    return Report(program.name, apart.error());
  }
  auto session = OpenSession(flags->machine);
  if (!session) return Report(program.name, session.error());

  RowLog log;
  const bool lists_only = ListsOnly(arguments);
  if (const Status prepared = program.prepare({*flags, *session, lists_only, log}); !prepared) {
    return Report(program.name, prepared.error());
  }
  PrintNotes(session->notes);
  benchmark::AddCustomContext("platform", session->run.platform);
  benchmark::AddCustomContext("instance_type", session->run.instance_type);
  benchmark::AddCustomContext("run_id", session->run.run_id);

  Reports reports(arguments, &log);
  if (!flags->csv_out.empty() && !lists_only) {
    if (const Status opened =
            reports.csv().OpenCsv(flags->csv_out, program.csv_header, session->run);
        !opened) {
      return Report(program.name, opened.error());
    }
  }
  const size_t matched = reports.RunBenchmarks();
  benchmark::Shutdown();
  if (program.warnings) PrintNotes(program.warnings());
  if (matched == 0) return kExitError;  // the filter: Google Benchmark has said so
  return lists_only ? kExitOk : StatusOf(program, reports);
}

}  // namespace

int RunBenchProgram(const BenchProgram& program, int argc, char** argv) {
  RestartOnEmulatedMachine(&argc, argv);
  CatchInterrupts();
  try {
    return Run(program, argc, argv);
  } catch (const std::exception& error) {
    // Out of memory, or a library's exception that a package let through: still one line.
    return Report(program.name, MakeError("run benchmarks", "", error.what()));
  }
}

bool EndsByInterrupt(benchmark::State& state, const std::string& name, RowLog& log) {
  if (!Interrupted()) return false;
  log.AddInterrupted(name);
  state.SkipWithMessage(kInterruptedMessage);
  return true;
}

}  // namespace railgauge
