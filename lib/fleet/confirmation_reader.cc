#include "lib/fleet/confirmation_reader.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "fmt/core.h"
#include "lib/base/file.h"
#include "lib/base/quoted.h"
#include "lib/fleet/sentence.h"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr char kAdvice[] = "railgauge fleet run measures its rounds again";

struct WrittenTo {
  std::string root;  // of the tree
  std::string below;
};

// A path of a run directory, which is three parts below the root of its tree. Empty of one that is
// no such path.
std::optional<WrittenTo> Split(std::string_view output) {
  while (output.ends_with('/')) output.remove_suffix(1);
  size_t at = output.size();
  for (int part = 0; part < 3; ++part) {
    if (at == 0) return std::nullopt;
    at = output.rfind('/', at - 1);
    if (at == std::string_view::npos) return std::nullopt;
  }
  WrittenTo written{std::string(output.substr(0, at)), std::string(output.substr(at + 1))};
  const bool is_of_tree =
      written.below.starts_with("runs/") || written.below.starts_with("confirm/");
  return is_of_tree ? std::optional(written) : std::nullopt;
}

bool Has(const std::vector<uint32_t>& slots, const FleetTable& table, const std::string& nic) {
  return std::any_of(slots.begin(), slots.end(),
                     [&](uint32_t slot) { return table.slots()[slot].ToString() == nic; });
}

}  // namespace

ConfirmationReader::ConfirmationReader(const FleetTree& tree, const FleetPlan& plan,
                                       const FleetTable& table)
    : tree_(tree), plan_(plan), table_(table), roots_{tree.root()} {
  for (const FleetRun& run : table.runs()) {
    if (const auto written = Split(run.output)) roots_.insert(written->root);
    if (!run.run.host.empty()) hosts_[run.pair.initiator].insert(run.run.host);
    if (!run.peer.empty()) hosts_[run.pair.target].insert(run.peer);
    seen_.try_emplace({run.run.run_id, run.run.host},
                      fmt::format("runs/{}/with-{}", plan.nodes[run.pair.initiator].name,
                                  plan.nodes[run.pair.target].name));
  }
}

std::string ConfirmationReader::InTree(const std::string& path) const {
  return path.starts_with(tree_.root() + "/") ? path.substr(tree_.root().size() + 1) : path;
}

Result<ConfirmationPlan> ConfirmationReader::ReadPlan(const Suspicion& suspicion,
                                                      const std::string& folder) const {
  const std::string path = folder + "/suspicion.json";
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string json, ReadRegularFile(path));
  RAILGAUGE_ASSIGN_OR_RETURN(ConfirmationPlan planned, ParseConfirmation(json, plan_, path));
  const PlannedPair &suspect = planned.suspect, &reference = planned.reference;
  bool is_of_it = suspect.initiator == suspicion.node || suspect.target == suspicion.node;
  if (suspicion.kind == SuspectKind::kPath) {
    is_of_it = suspect == PlannedPair{suspicion.node, *suspicion.peer};
  } else {
    is_of_it =
        is_of_it && reference.initiator != suspicion.node && reference.target != suspicion.node;
  }
  const bool has_nic =
      std::any_of(planned.nics.begin(), planned.nics.end(),
                  [&](const std::string& nic) { return Has(suspicion.slots, table_, nic); });
  if (is_of_it && has_nic) return planned;
  return Fail(MakeError("read", path, "it is of another suspicion than its folder", kAdvice));
}

std::string ConfirmationReader::WhyNotOn(size_t node, const std::string& host) const {
  const auto known = hosts_.find(node);
  if (host.empty() || known == hosts_.end() || known->second.contains(host)) return "";
  return fmt::format("{} is host {} in it, and {} in its runs", plan_.nodes[node].name,
                     Quoted(host), Quoted(*known->second.begin()));
}

std::string ConfirmationReader::WhyAnothers(const RunGroups& run, const std::string& directory,
                                            const PlannedPair& pair) const {
  // Of a run that somebody made by hand, nothing is known.
  if (const auto written = Split(run.output)) {
    if (written->below != InTree(directory)) {
      return fmt::format("it is the run of {}, by its run.json", Printable(written->below));
    }
    if (!roots_.contains(written->root)) {
      return fmt::format("by its run.json it is of another fleet, in {}", Printable(written->root));
    }
  }
  const auto seen = seen_.find({run.run.run_id, run.run.host});
  if (seen != seen_.end()) {
    return fmt::format("run {} of host {} is in {} already", Quoted(run.run.run_id),
                       Quoted(run.run.host), seen->second);
  }
  const std::string why = WhyNotOn(pair.initiator, run.run.host);
  return why.empty() ? WhyNotOn(pair.target, run.peer) : why;
}

std::optional<RunGroups> ConfirmationReader::ReadRun(const std::string& directory,
                                                     const PlannedPair& pair) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(directory, error))) return std::nullopt;
  std::string why;
  std::optional<RunGroups> run = ReadWholeRun(directory, why);
  if (run) why = WhyAnothers(*run, directory, pair);
  if (why.empty()) {
    seen_[{run->run.run_id, run->run.host}] = InTree(directory);
    return run;
  }
  notes_.push_back(fmt::format("{} does not count: {}", InTree(directory), why));
  return std::nullopt;
}

ConfirmationRounds ConfirmationReader::Read(const Suspicion& suspicion) {
  ConfirmationRounds read;
  const std::string folder = tree_.ConfirmPath(NameOf(suspicion, plan_, table_));
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return read;
  auto planned = ReadPlan(suspicion, folder);
  if (!planned) {
    notes_.push_back(fmt::format("{} does not count: {}", InTree(folder),
                                 WithoutStop(planned.error().ToString())));
    return read;
  }
  read.plan = std::move(*planned);
  for (size_t round = 1; round <= kConfirmRounds; ++round) {
    const std::string directories[] = {fmt::format("{}/suspect-{}", folder, round),
                                       fmt::format("{}/reference-{}", folder, round)};
    const auto suspect = ReadRun(directories[0], read.plan->suspect);
    const auto reference = ReadRun(directories[1], read.plan->reference);
    if (suspect) read.counted.insert(directories[0]);
    if (reference) read.counted.insert(directories[1]);
    if (!suspect || !reference) continue;
    const auto paired = RoundOf(suspicion, table_, *suspect, *reference);
    if (paired) read.rounds.push_back(*paired);
  }
  return read;
}

}  // namespace railgauge
