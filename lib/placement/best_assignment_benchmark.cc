// Prints how long the search for the best assignment takes: on the shapes of the large instance
// types with rates as a run measures them, and on 32 NICs and 8 consumers of rates without any
// order, which are hard. The counters say what was found: the worst consumer as a share of the
// bound that no assignment exceeds (100: proven best).
#include <random>

#include "benchmark/benchmark.h"
#include "lib/placement/assignment_problem.h"
#include "lib/placement/assignment_search.h"
#include "lib/placement/best_assignment.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

// Eight switches with a GPU and `nics` NICs each, four to a node: p5 has 4, p5en 2, p6-b300 as
// p5en.
Machine MakeSwitches(size_t nics) {
  Machine machine = MakeP5();
  std::vector<Nic> kept;
  for (size_t i = 0; i < machine.nics.size(); ++i) {
    if (i % 4 < nics) kept.push_back(machine.nics[i]);
  }
  machine.nics = kept;
  return machine;
}

enum Fault { kHealthy, kOneSlow, kFourSlow };

void Search(benchmark::State& state, const Machine& machine, Fault fault) {
  World world(machine);
  world.noise = 0.006;
  std::vector<PciAddress> slow;
  for (size_t i = 0; i < (fault == kHealthy ? 0u : fault == kOneSlow ? 1u : 4u); ++i) {
    slow.push_back(machine.nics[3 * i + 1].position.address);
  }
  world.speed = [&](const Cell& cell, Relation relation) {
    double rate = relation <= Relation::kSameSwitch     ? 12.5e9
                  : relation <= Relation::kSameNumaNode ? 10e9
                                                        : 6e9;
    for (size_t i = 0; i < slow.size(); ++i) {
      if (cell.nic.address == slow[i]) rate *= 0.3 + 0.15 * static_cast<double>(i);
    }
    return rate;
  };
  world.Screen();
  const auto given = DecideByPolicy("enumeration", machine);
  const CellTable table(world.samples);
  const Relations relations(world.census);
  for (auto _ : state) {
    const auto best = FindBestAssignment(machine, table, relations, *given, {});
    if (!best) return state.SkipWithError(best.error().ToString());
    state.counters["proven"] = best->proven;
    state.counters["worst_GBps"] = best->value.worst / 1e9;
    state.counters["of_bound_pct"] = 100 * best->value.worst / best->worst_bound;
  }
}

void Hard(benchmark::State& state) {
  std::mt19937_64 random(static_cast<uint64_t>(state.range(0)));
  AssignmentProblem problem(8, 32, 1);
  for (double& rate : problem.rates) rate = static_cast<double>(1000 + random() % 1000);
  problem.candidates.assign(problem.candidates.size(), true);
  for (auto _ : state) {
    const SolvedAssignment solved = SolveAssignment(problem);
    state.counters["proven"] = solved.proven;
    state.counters["of_bound_pct"] = 100 * solved.value.worst / solved.worst_bound;
  }
}

BENCHMARK_CAPTURE(Search, p5_healthy, MakeP5(), kHealthy)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Search, p5_one_slow, MakeP5(), kOneSlow)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Search, p5_four_slow, MakeP5(), kFourSlow)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Search, p5en_healthy, MakeSwitches(2), kHealthy)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Search, p5en_one_slow, MakeSwitches(2), kOneSlow)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Search, p4d_healthy, MakeP4d(), kHealthy)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Search, p4d_one_slow, MakeP4d(), kOneSlow)->Unit(benchmark::kMillisecond);
BENCHMARK(Hard)->Arg(1)->Arg(2)->Arg(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace railgauge

BENCHMARK_MAIN();
