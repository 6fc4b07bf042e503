// How long the census takes: whole, and of one NIC and memory place (which opens the NIC, allocates
// and registers in every way, and asks).

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bench/names.h"
#include "bench/program.h"
#include "bench/timing_row.h"
#include "benchmark/benchmark.h"
#include "cli/interrupt.h"
#include "lib/interconnect/census.h"

namespace railgauge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kExamples[] =
    "          --emulate=p5.48xlarge --benchmark_filter=nics: --benchmark_repetitions=5\n"
    "          --nics=rdmap79s0 --places=numa0,gpu0 --csv_out=rows.csv\n";

struct Case {
  std::string name;
  CensusOptions options;
  TimingRow row;  // its variables
};

bool Answered(const CensusRow& row) {
  return row.status == CensusStatus::kOk || row.status == CensusStatus::kNoId ||
         row.status == CensusStatus::kCannotTell;
}

// Why this census says nothing of how long one takes, or empty.
std::string WhyWorthless(const std::vector<CensusRow>& rows) {
  if (std::any_of(rows.begin(), rows.end(), Answered)) return "";
  return rows.empty() ? "it has no row"
                      : "no row was answered, the first because: " + rows[0].reason;
}

void RunCase(benchmark::State& state, const Session& session, RowLog& log, const Case& test) {
  if (EndsByInterrupt(state, test.name, log)) return;
  std::vector<Nanoseconds> latencies;
  std::vector<CensusRow> rows;
  TimingRow row = test.row;
  row.status = SampleStatus::kOk;
  while (state.KeepRunning()) {
    const auto start = Clock::now();
    auto census = RunCensus(session.machine, session.cuda, test.options);
    const Nanoseconds took = Clock::now() - start;
    if (EndsByInterrupt(state, test.name, log)) return;
    row.reason = census ? WhyWorthless(*census) : census.error().ToString();
    if (!row.reason.empty()) {
      row.status = census ? SampleStatus::kSkipped : SampleStatus::kFailed;
      log.Add(test.name, RowOf(row));
      return census ? state.SkipWithMessage(row.reason) : state.SkipWithError(row.reason);
    }
    rows = *std::move(census);
    latencies.push_back(took);
    state.SetIterationTime(std::chrono::duration<double>(took).count());
  }
  SetLatencies(std::move(latencies), &row);
  log.Add(test.name, RowOf(row));
  state.counters["rows"] = static_cast<double>(rows.size());
  state.counters["rows_answered"] =
      static_cast<double>(std::count_if(rows.begin(), rows.end(), Answered));
}

Status RegisterAll(const BenchRun& run) {
  const auto add = [&](Case test) {
    test.row.operation = "census";
    test.options.should_stop = Interrupted;
    benchmark::RegisterBenchmark(
        test.name, [&session = run.session, &log = run.log,
                    test](benchmark::State& state) { RunCase(state, session, log, test); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  const Session& session = run.session;
  Case whole;
  whole.name = WholeCensusName(session.nics.size(), session.places.size());
  whole.options.nics = session.nics;
  whole.options.places = session.places;
  add(whole);
  for (const PciAddress& nic : session.nics) {
    for (const MemoryPlace& place : session.places) {
      Case test;
      test.name = CensusName(nic, place);
      test.options.nics = {nic};
      test.options.places = {place};
      test.row.nic = session.machine.FindNic(nic)->key();
      test.row.place = place;
      add(std::move(test));
    }
  }
  return {};
}

int Main(int argc, char** argv) {
  BenchProgram program;
  program.name = "census_bench";
  program.examples = kExamples;
  program.csv_header = TimingHeader();
  program.prepare = RegisterAll;
  return RunBenchProgram(program, argc, argv);
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) { return railgauge::Main(argc, argv); }
