// fleet_page_sample FILE [NODES]: the page of a simulated fleet with a slow NIC, a missing one, a
// slow path, a node that was not measured and one that is a suspect, to be looked at.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/fleet/fleet_page.h"
#include "lib/fleet/simulated_fleet_testutil.h"
#include "lib/report/html/page.h"

namespace railgauge {
namespace {

double Speed(const SimulatedTransfer& t) {
  const auto between = [&](size_t a, size_t b) {
    return (t.node == a && t.peer == b) || (t.node == b && t.peer == a);
  };
  if (t.slot == 9 && (t.node == 17 || t.peer == 17)) return 0.6;
  if (t.slot == 3 && between(8, 9)) return 0.9;
  if (t.node == 4 && t.slot == 6 && t.kind == MemoryPlace::Kind::kGpu &&
      t.relation == Relation::kSameSwitch) {
    return 0.8;
  }
  return 1;
}

int Main(const std::string& path, size_t nodes) {
  SimulatedFleetOptions options;
  options.nodes = nodes;
  options.speed = Speed;
  options.has = [](size_t node, uint32_t slot) { return node != 12 || slot != 21; };
  options.measured = [](const PlannedPair& pair) { return pair.initiator != 14; };
  SimulatedFleet fleet(options);
  const FleetTable table = fleet.MeasureAll();
  const FleetAnalysis analysis = Analyse(table);
  std::vector<FleetEvidence> evidence;
  std::vector<std::vector<PairedRound>> rounds;
  std::set<size_t> taken;
  for (const Suspicion& suspicion : analysis.suspicions) {
    FleetEvidence& one = evidence.emplace_back();
    one.confirmation = PlanConfirmation(suspicion, fleet.plan(), table, analysis, taken);
    // What is slow in part is left as nobody measured it again yet.
    const bool again = one.confirmation && suspicion.kind != SuspectKind::kPlace;
    for (size_t round = 0; again && round < kConfirmRounds; ++round) {
      const auto paired =
          RoundOf(suspicion, table, fleet.Measure(one.confirmation->suspect, suspicion.slots),
                  fleet.Measure(one.confirmation->reference, suspicion.slots));
      if (paired) one.rounds.push_back(*paired);
    }
    rounds.push_back(one.rounds);
  }
  const std::vector<ConfirmationOutcome> outcomes = JudgeConfirmations(rounds);
  const std::string why = "railgauge check at n14 ended with status 255: no route to host";
  const FleetVerdicts verdicts = JudgeFleet(fleet.plan(), table, analysis, outcomes, {{14, why}});
  FleetPageInput input{.plan = fleet.plan(),
                       .table = table,
                       .analysis = analysis,
                       .verdicts = verdicts,
                       .outcomes = outcomes,
                       .evidence = evidence,
                       .generator = "railgauge",
                       .name = "night-1",
                       .with_page = {{17, 18}, {16, 17}},
                       .why_unmeasured = {{{14, 15}, why}}};
  for (const FleetRun& run : table.runs()) {
    const size_t node = run.pair.initiator;
    AddFacts(fmt::format(R"({{"start":"2026-11-29T22:{:02}:00Z","end":"2026-11-29T23:{:02}:00Z",
                              "versions":{{"railgauge":"0.1.0","rdma-core":"56.1"}},
                              "machine":{{"instance_type":"p5.48xlarge","kernel":"6.1.{}",
                                          "efa_driver_version":"emulated"}}}})",
                         node % 60, node % 60, node == 17 ? 90 : 102),
             node, input.facts);
    input.windows += 1376;
  }
  const std::string page = FillPage(PageTemplate(), FleetPageJson(input));
  if (!WriteFileAtomically(path, page)) return 1;
  fmt::print("{}: {} bytes\n", path, page.size());
  return 0;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  const size_t nodes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
  if (argc < 2 || nodes < 20) {
    std::fprintf(stderr, "fleet_page_sample FILE [NODES], 20 of them at least\n");
    return 2;
  }
  return railgauge::Main(argv[1], nodes);
}
