#include "bench/rdma_bench.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/csv_reporter.h"
#include "bench/flags.h"
#include "bench/setup.h"
#include "benchmark/benchmark.h"
#include "cli/peering.h"
#include "fmt/core.h"
#include "lib/emulator/launcher/restart.h"
#include "lib/measure/engine.h"

namespace railgauge {
namespace {

constexpr int kError = 2;
constexpr int kUndecided = 3;

int Report(const Error& error) {
  fmt::print(stderr, "{}\n", error.ToString());
  return kError;
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
    if (sample.status != SampleStatus::kOk) {
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

void Register(Operation operation, const BenchSetup& setup, const std::vector<Bytes>& sizes,
              Bench* bench) {
  for (const NicKey& nic : setup.nics) {
    for (const MemoryPlace& place : setup.places) {
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        for (const Bytes size : sizes) {
          Cell cell;
          cell.nic = nic;
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

}  // namespace

namespace {

// What a run says of itself is not for the caller to overwrite (Google Benchmark would keep the
// caller's value).
Status CheckContextIsOurs(int argc, char** argv) {
  constexpr std::string_view kFlag = "--benchmark_context=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kFlag)) continue;
    for (const std::string_view key : {"platform=", "instance_type=", "run_id=", "peer="}) {
      const std::string list = "," + std::string(argument.substr(kFlag.size()));
      if (list.find("," + std::string(key)) != std::string::npos) {
        return Fail(
            MakeError("read flag", std::string(argument),
                      "the run sets '" + std::string(key.substr(0, key.size() - 1)) + "' itself",
                      "Use another key"));
      }
    }
  }
  return {};
}

int RunBench(Operation operation, int argc, char** argv) {
  if (const Status context = CheckContextIsOurs(argc, argv); !context) {
    return Report(context.error());
  }
  const bool lists_only = ListsOnly(argc, argv);
  benchmark::Initialize(&argc, argv, PrintHelp);
  const auto flags = ParseBenchFlags({argv + 1, argv + argc});
  if (!flags) return Report(flags.error());

  auto setup = SetUpBench(*flags);
  if (!setup) return Report(setup.error());
  std::unique_ptr<PeerSide> peer;
  if (!lists_only) {
    auto connected = ConnectToPeer({flags->peer, flags->token}, setup->run, setup->machine);
    if (!connected) return Report(connected.error());
    peer = *std::move(connected);
  }
  setup->run.platform = PlatformWith(setup->run.platform, peer.get());
  if (peer != nullptr) {
    setup->notes.insert(setup->notes.end(), peer->notes().begin(), peer->notes().end());
    benchmark::AddCustomContext("peer", peer->identity().host);
  }
  for (const std::string& note : setup->notes) fmt::print(stderr, "{}\n", note);

  Bench bench;
  auto engine = Engine::Create(setup->machine, setup->cuda, {}, std::move(peer));
  if (!engine) return Report(engine.error());
  bench.engine = *std::move(engine);
  Register(operation, *setup, flags->sizes, &bench);
  benchmark::AddCustomContext("platform", setup->run.platform);
  benchmark::AddCustomContext("instance_type", setup->run.instance_type);
  benchmark::AddCustomContext("run_id", setup->run.run_id);

  CsvReporter reporter(
      std::unique_ptr<benchmark::BenchmarkReporter>(benchmark::CreateDefaultDisplayReporter()),
      &bench.log);
  if (!flags->csv_out.empty() && !lists_only) {
    if (const Status opened = reporter.OpenCsv(flags->csv_out, setup->run); !opened) {
      return Report(opened.error());
    }
  }
  const size_t matched = benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  for (const std::string& warning : bench.engine->warnings()) fmt::print(stderr, "{}\n", warning);
  if (matched == 0) return kError;  // the filter: Google Benchmark has said so
  if (lists_only) return 0;
  if (!reporter.csv_good()) {
    return Report(MakeError("write --csv_out", flags->csv_out, "not every row could be written"));
  }
  const bool wrong =
      reporter.CountOf(SampleStatus::kFailed) > 0 || reporter.CountOf(SampleStatus::kInvalid) > 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Report(MakeError("write", "stdout", "it is closed or full"));
  }
  return wrong || reporter.CountOf(SampleStatus::kOk) == 0 ? kUndecided : 0;
}

}  // namespace

int RdmaBenchMain(Operation operation, int argc, char** argv) {
  RestartOnEmulatedMachine(argc, argv);
  try {
    return RunBench(operation, argc, argv);
  } catch (const std::exception& error) {
    // Google Benchmark does not check all of its flags: --benchmark_repetitions=-1.
    return Report(MakeError("run benchmarks", "", error.what(), "Look at the --benchmark_* flags"));
  }
}

}  // namespace railgauge
