#include "bench/rdma_bench.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/benchmark_flags.h"
#include "bench/csv_reporter.h"
#include "bench/flags.h"
#include "benchmark/benchmark.h"
#include "cli/exit_status.h"
#include "cli/messages.h"
#include "cli/peering.h"
#include "cli/quantities.h"
#include "cli/session.h"
#include "fmt/core.h"
#include "lib/emulator/launcher/restart.h"
#include "lib/measure/engine.h"

namespace railgauge {
namespace {

// Prints it as the program `name`'s and returns the exit status.
int Report(const std::string& name, const Error& error) {
  PrintError(name, error);
  return kExitError;
}

std::string NameOf(const Cell& cell) {
  return fmt::format("{}/nic:{}/place:{}/direction:{}/size:{}", ToString(cell.operation),
                     cell.nic.address.ToString(), cell.place.ToString(), ToString(cell.direction),
                     cell.size.count);
}

// What every benchmark of a binary shares.
struct Bench {
  std::unique_ptr<Engine> engine;
  SampleLog log;
};

// Iterations are completed work requests, all of them one batch: the window lasts until there are
// so many. It may end with a few more, found in the same pass, so the time is scaled to what was
// asked for.
void RunCell(benchmark::State& state, Bench* bench, const Cell& cell, const std::string& name) {
  const auto wanted = state.max_iterations;
  WindowRequest request;
  request.timing.window = Nanoseconds{0};
  request.min_completions = static_cast<uint64_t>(wanted);
  Sample sample;
  while (state.KeepRunningBatch(wanted)) {
    sample = bench->engine->Measure(cell, request);
    bench->log.Add(name, sample);
    if (sample.status == SampleStatus::kSkipped) {
      state.SkipWithMessage(sample.reason);
      return;
    }
    if (!IsMeasured(sample.status)) {
      state.SkipWithError(sample.reason);
      return;
    }
    state.SetIterationTime(std::chrono::duration<double>(sample.duration).count() *
                           static_cast<double>(wanted) / static_cast<double>(sample.completions));
  }
  const auto messages = static_cast<double>(state.iterations());
  state.counters["bytes_per_second"] =
      benchmark::Counter(messages * static_cast<double>(cell.size.count),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
  state.counters["messages_per_second"] = benchmark::Counter(messages, benchmark::Counter::kIsRate);
  if (sample.interconnect_id) {
    state.counters["interconnect_id"] = static_cast<double>(*sample.interconnect_id);
  } else {
    state.SetLabel("no id");
  }
}

void Register(Operation operation, const Session& session, const std::vector<Bytes>& sizes,
              Bench* bench) {
  for (const PciAddress& nic : session.nics) {
    for (const MemoryPlace& place : session.places) {
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        for (const Bytes size : sizes) {
          Cell cell;
          cell.nic = session.machine.FindNic(nic)->key();
          cell.place = place;
          cell.operation = operation;
          cell.direction = direction;
          cell.size = size;
          const std::string name = NameOf(cell);
          benchmark::RegisterBenchmark(
              name,
              [bench, cell, name](benchmark::State& state) { RunCell(state, bench, cell, name); })
              ->UseManualTime()
              ->Unit(benchmark::kMicrosecond);
        }
      }
    }
  }
}

void PrintHelp() {
  fmt::print("usage: [flags]\n{}", kBenchFlagsHelp);
  std::fflush(stdout);
  benchmark::PrintDefaultHelp();
}

bool ListsOnly(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--benchmark_list_tests") && !argument.ends_with("=false")) {
      return true;
    }
  }
  return false;
}

// The exit status of a run that ended.
int StatusOf(const std::string& name, const BenchFlags& flags, const CsvReporter& reporter) {
  if (!reporter.csv_good()) {
    return Report(name,
                  MakeError("write --csv_out", flags.csv_out, "not every row could be written",
                            "Choose a file that can be written"));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Report(name, MakeError("write", "stdout", "it is closed or full"));
  }
  const bool wrong =
      reporter.CountOf(SampleStatus::kFailed) > 0 || reporter.CountIf(IsContradicted) > 0;
  return wrong || reporter.CountIf(IsMeasured) == 0 ? kExitUndecided : kExitOk;
}

int RunBench(Operation operation, const std::string& name, int argc, char** argv) {
  if (const Status good = CheckBenchmarkFlags({argv + 1, argv + argc}); !good) {
    return Report(name, good.error());
  }
  const bool lists_only = ListsOnly(argc, argv);
  benchmark::Initialize(&argc, argv, PrintHelp);
  const auto flags = ParseBenchFlags({argv + 1, argv + argc});
  if (!flags) return Report(name, flags.error());

  auto session = OpenSession(flags->machine);
  if (!session) return Report(name, session.error());
  if (const Status fit = CheckSizesFit(flags->sizes, session->places); !fit) {
    return Report(name, fit.error());
  }
  std::unique_ptr<PeerSide> peer;
  if (!lists_only) {
    auto connected = ConnectToPeer(flags->peer, session->run, session->machine);
    if (!connected) return Report(name, connected.error());
    peer = *std::move(connected);
  }
  if (peer != nullptr) {
    NotePeer(*peer, *session);
    benchmark::AddCustomContext("peer", peer->identity().host);
  }
  PrintNotes(session->notes);

  Bench bench;
  auto engine = Engine::Create(session->machine, session->cuda, {}, std::move(peer));
  if (!engine) return Report(name, engine.error());
  bench.engine = *std::move(engine);
  Register(operation, *session, flags->sizes, &bench);
  benchmark::AddCustomContext("platform", session->run.platform);
  benchmark::AddCustomContext("instance_type", session->run.instance_type);
  benchmark::AddCustomContext("run_id", session->run.run_id);

  CsvReporter reporter(
      std::unique_ptr<benchmark::BenchmarkReporter>(benchmark::CreateDefaultDisplayReporter()),
      &bench.log);
  if (!flags->csv_out.empty() && !lists_only) {
    if (const Status opened = reporter.OpenCsv(flags->csv_out, session->run); !opened) {
      return Report(name, opened.error());
    }
  }
  const size_t matched = benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  PrintNotes(bench.engine->warnings());
  if (matched == 0) return kExitError;  // the filter: Google Benchmark has said so
  return lists_only ? kExitOk : StatusOf(name, *flags, reporter);
}

}  // namespace

int RdmaBenchMain(Operation operation, int argc, char** argv) {
  const std::string name = fmt::format("rdma_{}_bench", ToString(operation));
  RestartOnEmulatedMachine(&argc, argv);
  try {
    return RunBench(operation, name, argc, argv);
  } catch (const std::exception& error) {
    // Out of memory, or a library's exception that a package let through: still one line.
    return Report(name, MakeError("run benchmarks", "", error.what()));
  }
}

}  // namespace railgauge
