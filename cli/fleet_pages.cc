#include "cli/fleet_pages.h"

#include <filesystem>
#include <system_error>

#include "cli/software_versions.h"
#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/fleet/sentence.h"
#include "lib/report/html/page.h"
#include "lib/report/html/run_page.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

// A page takes a second and some hundred kilobytes to a megabyte; the others are a command away.
constexpr size_t kMostRunPages = 32;
constexpr char kRunPage[] = "report.html";

std::string DirectoryOf(const FleetTree& tree, const FleetPlan& plan, const PlannedPair& pair) {
  return tree.RunPath(plan.nodes[pair.initiator].name, plan.nodes[pair.target].name);
}

bool HasPage(const FleetTree& tree, const FleetPlan& plan, const PlannedPair& pair) {
  std::error_code error;
  return fs::exists(DirectoryOf(tree, plan, pair) + "/" + kRunPage, error);
}

// The runs that show what is SLOW or a SUSPECT.
std::vector<PlannedPair> RunsOfFindings(const FleetVerdicts& verdicts) {
  std::vector<PlannedPair> pairs;
  std::set<PlannedPair> known;
  for (const FleetRow& row : verdicts.rows) {
    if (row.verdict != FleetVerdict::kSlow && row.verdict != FleetVerdict::kSuspect) continue;
    std::vector<PlannedPair> of_row;
    if (row.as_initiator) of_row.push_back({row.node, row.as_initiator->peer});
    if (row.as_target) of_row.push_back({row.as_target->peer, row.node});
    for (const PlannedPair& pair : of_row) {
      if (known.insert(pair).second) pairs.push_back(pair);
    }
  }
  return pairs;
}

// A run is not measured twice into one folder, so a page that is there is of what is there. Where
// none can be made, the fleet's page has no link.
void WriteRunPage(const std::string& directory, const std::string& generator) {
  const auto data = ReadRunForPage(directory, generator);
  if (!data) return;
  (void)WriteFileAtomically(directory + "/" + kRunPage, FillPage(PageTemplate(), ToJson(*data)));
}

}  // namespace

std::string FleetPagePath(const FleetTree& tree) { return tree.root() + "/fleet.html"; }

std::map<PlannedPair, std::string> WhyPairsAreUnmeasured(const FleetTree& tree,
                                                         const FleetPlan& plan) {
  std::map<PlannedPair, std::string> why;
  for (const auto& round : plan.rounds) {
    for (const PlannedPair& pair : round) {
      auto failure = ReadRegularFile(fmt::format("{}/logs/{}-with-{}.failure", tree.root(),
                                                 plan.nodes[pair.initiator].name,
                                                 plan.nodes[pair.target].name));
      if (!failure) continue;
      std::string reason = WithoutStop(*failure);
      if (!reason.empty()) why[pair] = std::move(reason);
    }
  }
  return why;
}

Result<std::string> WriteFleetPages(const FleetTree& tree, FleetPageInput input) {
  if (PageTemplate().empty()) return std::string();
  input.generator = fmt::format("railgauge {}", kVersion);
  input.name = fs::path(tree.root()).filename().string();
  size_t made = 0;
  for (const PlannedPair& pair : RunsOfFindings(input.verdicts)) {
    if (made == kMostRunPages) break;
    if (HasPage(tree, input.plan, pair)) continue;
    WriteRunPage(DirectoryOf(tree, input.plan, pair), input.generator);
    ++made;
  }
  std::vector<PlannedPair> runs;
  for (const FleetRun& run : input.table.runs()) {
    runs.push_back(run.pair);
    if (HasPage(tree, input.plan, run.pair)) input.with_page.insert(run.pair);
  }
  input.facts = ReadFleetFacts(tree, input.plan, runs);
  const std::string path = FleetPagePath(tree);
  RAILGAUGE_RETURN_IF_ERROR(
      WriteFileAtomically(path, FillPage(PageTemplate(), FleetPageJson(input))));
  return path;
}

}  // namespace railgauge
