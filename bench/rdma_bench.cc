#include "bench/rdma_bench.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/names.h"
#include "bench/preferred_way.h"
#include "bench/program.h"
#include "benchmark/benchmark.h"
#include "cli/busy_nics.h"
#include "cli/peering.h"
#include "cli/quantities.h"
#include "fmt/core.h"
#include "lib/measure/engine.h"
#include "lib/measure/shape.h"
#include "lib/report/report_csv.h"

namespace railgauge {
namespace {

constexpr char kExamples[] =
    "          --emulate=p5.48xlarge --nics=rdmap79s0 --places=numa0,gpu0 --sizes=1MiB\n"
    "          --benchmark_filter=direction:to_memory --benchmark_repetitions=5 "
    "--csv_out=rows.csv\n"
    "          --sizes=4KiB --depths=1,8,64,512 --queue-pairs=1\n"
    "          --latency --nics=rdmap79s0 --places=numa0 --sizes=8,4KiB\n"
    "          --peer=node-b --token=rail.token --benchmark_out=run.json\n";

// What every benchmark of a binary shares.
struct Bench {
  std::unique_ptr<Engine> engine;
  RowLog* log = nullptr;
};

LoggedRow RowOf(const Sample& sample) {
  using Outcome = LoggedRow::Outcome;
  const Outcome outcome = sample.status == SampleStatus::kSkipped ? Outcome::kSkipped
                          : IsMeasured(sample.status)             ? Outcome::kMeasured
                                                                  : Outcome::kWrong;
  return {outcome, [sample](const RunIdentity& run, uint32_t round) {
            Sample row = sample;
            row.round = round;
            return CsvRow(run, row);
          }};
}

// One window, as a row. Returns whether it counts; else the state says why not.
bool Measure(benchmark::State& state, Bench* bench, const TransferVariables& variables,
             const std::string& name, const WindowRequest& request, Sample* sample) {
  *sample = bench->engine->Measure(variables.cell, request);
  if (IsMeasured(sample->status) && sample->way != variables.way) {
    sample->status = SampleStatus::kFailed;
    sample->reason = fmt::format("registered as {}, and no more as {}, which the benchmark is of",
                                 ToString(sample->way), ToString(variables.way));
  }
  bench->log->Add(name, RowOf(*sample));
  if (sample->status == SampleStatus::kSkipped) {
    state.SkipWithMessage(sample->reason);
    return false;
  }
  if (!IsMeasured(sample->status)) {
    state.SkipWithError(sample->reason);
    return false;
  }
  return true;
}

// Of single messages; one at a time is no load, so there is no throughput.
void SetLatencyCounters(const Sample& sample, benchmark::State& state) {
  const std::pair<const char*, std::optional<Nanoseconds>> counters[] = {
      {"latency_min_ns", sample.latency_min}, {"latency_p50_ns", sample.latency_p50},
      {"latency_p90_ns", sample.latency_p90}, {"latency_p99_ns", sample.latency_p99},
      {"latency_max_ns", sample.latency_max},
  };
  for (const auto& [name, time] : counters) {
    if (time) state.counters[name] = static_cast<double>(time->count());
  }
}

// Iterations are completed work requests, all of them one batch: the window lasts until there are
// so many. It may end with a few more, found in the same pass, so the time is scaled to what was
// asked for.
void RunCell(benchmark::State& state, Bench* bench, const TransferVariables& variables,
             const std::string& name) {
  if (EndsByInterrupt(state, name, *bench->log)) return;
  const auto wanted = state.max_iterations;
  WindowRequest request;
  request.timing.window = Nanoseconds{0};
  request.min_completions = static_cast<uint64_t>(wanted);
  request.latency = variables.latency;
  Sample sample;
  while (state.KeepRunningBatch(wanted)) {
    if (!Measure(state, bench, variables, name, request, &sample)) return;
    state.SetIterationTime(std::chrono::duration<double>(sample.duration).count() *
                           static_cast<double>(wanted) / static_cast<double>(sample.completions));
  }
  const auto messages = static_cast<double>(state.iterations());
  if (variables.latency) {
    SetLatencyCounters(sample, state);
  } else {
    state.counters["bytes_per_second"] =
        benchmark::Counter(messages * static_cast<double>(variables.cell.size.count),
                           benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
    state.counters["messages_per_second"] =
        benchmark::Counter(messages, benchmark::Counter::kIsRate);
  }
  // No counter, as those have a mean and a spread over repetitions; an id has neither.
  state.SetLabel(sample.interconnect_id ? fmt::format("interconnect_id:{}", *sample.interconnect_id)
                                        : "no id");
}

void Register(Bench* bench, const TransferVariables& variables) {
  const std::string name = NameOf(variables);
  benchmark::RegisterBenchmark(
      name,
      [bench, variables, name](benchmark::State& state) { RunCell(state, bench, variables, name); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

// One per NIC, place, direction, size and depth.
Status RegisterAll(Operation operation, const BenchRun& run, Bench* bench) {
  const Session& session = run.session;
  RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<CensusRow> probed, ProbeWays(session));
  const uint32_t queue_pairs = run.flags.queue_pairs != 0 ? run.flags.queue_pairs : kQueuePairs;
  TransferVariables variables;
  variables.latency = run.flags.latency;
  variables.remote_peer = !run.flags.peer.peer.empty();
  variables.working_set = run.flags.working_set;
  Cell& cell = variables.cell;
  cell.operation = operation;
  for (const PciAddress& nic : session.nics) {
    cell.nic = session.machine.FindNic(nic)->key();
    for (const MemoryPlace& place : session.places) {
      cell.place = place;
      variables.way = PreferredWay(probed, nic, place);
      for (const Direction direction : {Direction::kToMemory, Direction::kFromMemory}) {
        // Half of a round trip, which goes both ways: WindowRequest::latency.
        if (run.flags.latency && operation == Operation::kWrite &&
            direction == Direction::kToMemory) {
          continue;
        }
        cell.direction = direction;
        for (const Bytes size : run.flags.sizes) {
          cell.size = size;
          const std::vector<uint32_t> usual = {run.flags.latency ? 1 : DefaultDepth(size)};
          for (const uint32_t depth : run.flags.depths.empty() ? usual : run.flags.depths) {
            cell.depth = depth;
            variables.queue_pairs = ShapeFor(depth, queue_pairs).queue_pairs;
            Register(bench, variables);
          }
        }
      }
    }
  }
  return {};
}

WorkingSet WorkingSetFor(const BenchFlags& flags) {
  WorkingSet set = DefaultWorkingSet();
  if (flags.working_set.count == 0) return set;
  set.host = set.gpu = flags.working_set;
  set.asked_for = true;
  return set;
}

EngineOptions OptionsFor(const BenchFlags& flags) {
  EngineOptions options;
  options.local.working_set = WorkingSetFor(flags);
  if (flags.queue_pairs != 0) options.local.queue_pairs = flags.queue_pairs;
  for (const uint32_t depth : flags.depths) {
    // In whole queue pairs, each of which has the same share.
    const uint32_t share = (depth + options.local.queue_pairs - 1) / options.local.queue_pairs;
    options.local.max_depth = std::max(options.local.max_depth, share * options.local.queue_pairs);
  }
  return options;
}

Status Prepare(Operation operation, const BenchRun& run, Bench* bench) {
  bench->log = &run.log;
  RAILGAUGE_RETURN_IF_ERROR(
      CheckSizesFit(run.flags.sizes, run.session.places, WorkingSetFor(run.flags)));
  const bool spread = !run.flags.depths.empty() || run.flags.queue_pairs > 1;
  if (run.flags.latency && spread) {
    return Fail(
        MakeError("read the command line", "--latency",
                  fmt::format("single messages have no {}",
                              run.flags.depths.empty() ? "--queue-pairs but 1" : "--depths"),
                  "Leave out one of the two"));
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckPeerFlags(run.flags.peer));
  if (run.lists_only) return RegisterAll(operation, run, bench);
  const bool loopback = run.flags.peer.peer.empty();
  RAILGAUGE_RETURN_IF_ERROR(
      CheckNotBusy(UsedNics(run.session, loopback), run.flags.allow_busy, run.session));
  RAILGAUGE_ASSIGN_OR_RETURN(std::unique_ptr<PeerSide> peer,
                             ConnectToPeer(run.flags.peer, run.session.run, run.session.machine));
  if (peer != nullptr) {
    RAILGAUGE_RETURN_IF_ERROR(CheckPeerNotBusy(*peer, run.flags.allow_busy, run.session));
    NotePeer(*peer, run.session);
    benchmark::AddCustomContext("peer", peer->identity().host);
  }
  RAILGAUGE_ASSIGN_OR_RETURN(bench->engine, Engine::Create(run.session.machine, run.session.cuda,
                                                           OptionsFor(run.flags), std::move(peer)));
  return RegisterAll(operation, run, bench);
}

}  // namespace

int RdmaBenchMain(Operation operation, int argc, char** argv) {
  Bench bench;
  BenchProgram program;
  program.name = fmt::format("rdma_{}_bench", ToString(operation));
  program.flags = {.sizes = true, .transfers = true};
  program.examples = kExamples;
  program.csv_header = CsvHeader<Sample>();
  program.prepare = [&](const BenchRun& run) { return Prepare(operation, run, &bench); };
  program.warnings = [&] {
    return bench.engine == nullptr ? std::vector<std::string>{} : bench.engine->warnings();
  };
  return RunBenchProgram(program, argc, argv);
}

}  // namespace railgauge
