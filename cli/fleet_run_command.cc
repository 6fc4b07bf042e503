// railgauge fleet run: measures what the plan says and the tree lacks, and then what stood out.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cli/fleet_command.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/file_error.h"
#include "lib/base/shell_word.h"
#include "lib/base/unique_fd.h"
#include "lib/fleet/confirmation.h"
#include "lib/fleet/confirmation_reader.h"
#include "lib/fleet/fleet_analysis.h"
#include "lib/fleet/fleet_reader.h"
#include "lib/fleet/fleet_runner.h"
#include "lib/fleet/fleet_tree.h"
#include "lib/fleet/launch_template.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Starts `railgauge serve` at one node of a pair and `railgauge check` at the other, by srun "
    "in\n"
    "a Slurm job and else by ssh, or as --launch says: a command line with {host} (also "
    "{address},\n"
    "{index}) and with {command} where a shell reads it, or {argv} where none does. What is whole\n"
    "in DIR is not measured again, so a second call resumes; what fleet report does not believe\n"
    "is. A node that fails or hangs costs what needs it. What stood out is then measured again, "
    "in\n"
    "turn with healthy machines. The nodes see DIR under the same path; its token file (mode "
    "0600)\n"
    "lets them measure with each other.\n"
    "Exit status: 0 all was measured; 2 usage or set-up error; 3 something is missing.\n"
    "Examples:\n"
    "  railgauge fleet run night-1\n"
    "  railgauge fleet run night-1 --launch='ssh -l ec2-user {host} {command}'\n"
    "  railgauge fleet run night-1 --launch=srun --parallel=8 --no-confirm";

// A confirming run has one NIC and all of its cells, once; of several NICs as much each.
constexpr auto kConfirmBudgetPerNic = std::chrono::seconds(5);

struct Options {
  std::string directory;
  std::string launch;
  std::string railgauge;
  size_t parallel = 64;
  std::string patience = "2min";
  bool no_confirm = false;
};

// So that two runs do not measure the same nodes at once.
Result<UniqueFd> Lock(const FleetTree& tree) {
  const std::string path = tree.LockPath();
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd.valid()) return Fail(FileError(FileUse::kWrite, errno, "open", path));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) return Fail(FileError(FileUse::kWrite, errno, "lock", path));
  return Fail(MakeError("lock", path, "another fleet run measures here", "Wait for its end"));
}

Result<std::string> OwnPath() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof(path));
  if (size <= 0) return Fail(ErrnoError(errno, "read", "/proc/self/exe", "Give --railgauge=PATH"));
  return std::string(path, static_cast<size_t>(size));
}

class FleetRunCommand {
 public:
  FleetRunCommand(const Options& options, const FleetTree& tree, const FleetPlan& plan,
                  const LaunchSettings& settings, Nanoseconds budget)
      : options_(options), tree_(tree), plan_(plan), settings_(settings), budget_(budget) {}

  Result<ExitStatus> Run() {
    Look();
    Measure(MissingPairs(AllPairs()));
    // Neighbours of a lost node have another peer for each part only if they get one now.
    const std::vector<PlannedPair> bridging =
        MissingPairs(BridgingPairs(plan_.nodes.size(), Gone()));
    if (!Interrupted() && !bridging.empty()) {
      Say(fmt::format("{} instead of those with lost nodes", Counted(bridging.size(), "pair")));
      Measure(bridging);
    }
    if (!Interrupted() && !options_.no_confirm) RAILGAUGE_RETURN_IF_ERROR(Confirm());
    const size_t missing = MissingPairs(AllPairs()).size();
    if (missing > 0 || failed_ > 0 || Interrupted()) {
      Say(fmt::format("{}{} of {} missing; the same command goes on from here",
                      Interrupted() ? "interrupted: " : "", missing,
                      Counted(AllPairs().size(), "pair")));
    }
    Say("next: railgauge fleet report " + ShellWord(options_.directory));
    return missing > 0 || failed_ > 0 || Interrupted() ? kExitUndecided : kExitOk;
  }

 private:
  static void Say(const std::string& line) {
    fmt::print("{}\n", Printable(line));
    std::fflush(stdout);
  }

  const std::string& Name(size_t node) const { return plan_.nodes[node].name; }
  std::string PathOf(const PlannedPair& pair) const {
    return tree_.RunPath(Name(pair.initiator), Name(pair.target));
  }

  std::vector<PlannedPair> AllPairs() const {
    std::vector<PlannedPair> pairs;
    for (const auto& round : plan_.rounds) pairs.insert(pairs.end(), round.begin(), round.end());
    return pairs;
  }

  // What the tree has, as fleet report sees it. What does not count there is measured again.
  void Look() {
    FleetRecords records = ReadFleet(tree_, plan_, ReadingThreads());
    HoldRunsAgainstEachOther(plan_, records);
    not_whole_ = std::move(records.not_whole);
    for (const PlannedPair& pair : AllPairs()) {
      const auto there = not_whole_.find(pair);
      if (there == not_whole_.end() || there->second.empty()) continue;
      Say(fmt::format("{}-with-{} is measured again: {}", Name(pair.initiator), Name(pair.target),
                      there->second));
    }
  }

  std::vector<PlannedPair> MissingPairs(std::vector<PlannedPair> pairs) const {
    std::erase_if(pairs, [&](const PlannedPair& pair) {
      const auto there = not_whole_.find(pair);
      return there != not_whole_.end() && there->second.empty();
    });
    return pairs;
  }

  // Nodes that no run has that went to its end, in whatever part.
  std::vector<bool> Gone() const {
    std::vector<bool> gone(plan_.nodes.size(), true);
    for (const auto& [pair, why] : not_whole_) {
      if (!why.empty() && why != kDisturbed) continue;
      gone[pair.initiator] = gone[pair.target] = false;
    }
    return gone;
  }

  void Ended(const MeasuringSession& session) {
    ++ended_;
    const bool whole = session.whole_steps() == session.steps().size();
    for (const MeasuringStep& step : session.steps()) {
      // Those that confirm are no runs of the plan.
      if (step.output != PathOf(step.pair)) continue;
      not_whole_[step.pair] = whole ? "" : WhyNotWhole(step.output);
    }
    const std::string failure = tree_.root() + "/logs/" + session.name() + ".failure";
    if (whole) {
      std::remove(failure.c_str());
      return Say(fmt::format("[{}/{}] {}: measured", ended_, begun_, session.name()));
    }
    ++failed_;
    static_cast<void>(WriteFileAtomically(failure, session.failure() + "\n"));
    Say(fmt::format("[{}/{}] {}: FAILED: {}", ended_, begun_, session.name(), session.failure()));
  }

  void RunAll(std::list<MeasuringSession> sessions) {
    begun_ = sessions.size();
    ended_ = 0;
    RunnerOptions runner;
    runner.parallel = options_.parallel;
    runner.interrupted = Interrupted;
    runner.ended = [this](const MeasuringSession& session) { Ended(session); };
    RunSessions(std::move(sessions), runner);
  }

  void Measure(const std::vector<PlannedPair>& pairs) {
    std::list<MeasuringSession> sessions;
    for (const PlannedPair& pair : pairs) {
      MeasuringStep step{pair, plan_.check_flags, budget_, PathOf(pair)};
      sessions.emplace_back(
          plan_, tree_, settings_,
          MeasuringPlanOf{Name(pair.initiator) + "-with-" + Name(pair.target), {std::move(step)}});
    }
    RunAll(std::move(sessions));
  }

  // The plan of a suspicion's rounds where none is begun that is to be believed. Empty where there
  // are too few healthy machines.
  Result<std::optional<ConfirmationPlan>> NewPlanOf(const Suspicion& suspicion,
                                                    const FleetTable& table,
                                                    const FleetAnalysis& analysis,
                                                    std::set<size_t>& taken) const {
    const std::string folder = tree_.ConfirmPath(NameOf(suspicion, plan_, table));
    const std::string path = folder + "/suspicion.json";
    RAILGAUGE_RETURN_IF_ERROR(tree_.PutAside(folder));
    auto planned = PlanConfirmation(suspicion, plan_, table, analysis, taken);
    if (!planned) return planned;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Fail(FileError(FileUse::kWrite, error.value(), "make the folder", folder));
    RAILGAUGE_RETURN_IF_ERROR(WriteFileAtomically(path, ToJson(*planned, plan_)));
    return planned;
  }

  // Rounds of two runs, each once first.
  std::vector<MeasuringStep> StepsOf(const ConfirmationPlan& confirmation,
                                     const std::string& folder,
                                     const std::set<std::string>& counted) const {
    std::vector<std::string> flags = plan_.check_flags;
    std::erase_if(flags, [](const std::string& flag) {
      return flag.starts_with("--nics=") || flag.starts_with("--time-budget=");
    });
    std::string nics;
    for (const std::string& nic : confirmation.nics) nics += (nics.empty() ? "" : ",") + nic;
    const auto budget = kConfirmBudgetPerNic * confirmation.nics.size();
    flags.push_back("--nics=" + nics);
    flags.push_back(fmt::format("--time-budget={}s", budget.count()));
    std::vector<MeasuringStep> steps;
    for (size_t round = 1; round <= kConfirmRounds; ++round) {
      MeasuringStep suspect{confirmation.suspect, flags, budget,
                            fmt::format("{}/suspect-{}", folder, round)};
      MeasuringStep reference{confirmation.reference, flags, budget,
                              fmt::format("{}/reference-{}", folder, round)};
      if (round % 2 == 0) std::swap(suspect, reference);
      steps.push_back(std::move(suspect));
      steps.push_back(std::move(reference));
    }
    std::erase_if(steps, [&](const MeasuringStep& step) { return counted.contains(step.output); });
    return steps;
  }

  Status Confirm() {
    FleetRecords records = ReadFleet(tree_, plan_, ReadingThreads());
    HoldRunsAgainstEachOther(plan_, records);
    const FleetAnalysis analysis = Analyse(records.table);
    std::list<MeasuringSession> sessions;
    std::set<size_t> taken;
    ConfirmationReader reader(tree_, plan_, records.table);
    for (const Suspicion& suspicion : analysis.suspicions) {
      const std::string name = NameOf(suspicion, plan_, records.table);
      auto [planned, rounds, counted] = reader.Read(suspicion);
      if (!planned) {
        RAILGAUGE_ASSIGN_OR_RETURN(planned, NewPlanOf(suspicion, records.table, analysis, taken));
      }
      if (!planned) {
        Say(name + " stands out, and there are too few healthy machines to measure it again with");
        continue;
      }
      std::vector<MeasuringStep> steps = StepsOf(*planned, tree_.ConfirmPath(name), counted);
      if (!steps.empty()) {
        sessions.emplace_back(plan_, tree_, settings_,
                              MeasuringPlanOf{"confirm-" + name, std::move(steps)});
      }
    }
    for (const std::string& note : reader.notes()) Say("measured again: " + note);
    if (sessions.empty()) return {};
    Say(fmt::format("{} out: {} rounds each, in turn with healthy machines",
                    sessions.size() == 1 ? "1 suspect stands"
                                         : std::to_string(sessions.size()) + " suspects stand",
                    kConfirmRounds));
    RunAll(std::move(sessions));
    return {};
  }

  const Options& options_;
  const FleetTree& tree_;
  const FleetPlan& plan_;
  const LaunchSettings& settings_;
  const Nanoseconds budget_;
  std::map<PlannedPair, std::string> not_whole_;  // FleetRecords::not_whole, as it is by now
  size_t begun_ = 0, ended_ = 0, failed_ = 0;
};

Result<ExitStatus> Run(Options options) {
  if (options.launch.empty()) {
    options.launch = std::getenv("SLURM_JOB_ID") != nullptr ? "srun" : "ssh";
  }
  RAILGAUGE_ASSIGN_OR_RETURN(LaunchTemplate launch, LaunchTemplate::Parse(options.launch));
  if (options.railgauge.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(options.railgauge, OwnPath());
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const FleetTree tree, FleetTree::At(options.directory));
  RAILGAUGE_ASSIGN_OR_RETURN(const FleetPlan plan, tree.ReadPlan());
  RAILGAUGE_ASSIGN_OR_RETURN(const Nanoseconds budget, BudgetOf(plan));
  RAILGAUGE_ASSIGN_OR_RETURN(const Nanoseconds patience, ParseDuration(options.patience));
  RAILGAUGE_RETURN_IF_ERROR(tree.Prepare());
  RAILGAUGE_ASSIGN_OR_RETURN(const UniqueFd lock, Lock(tree));
  LaunchSettings settings{std::move(launch), options.railgauge};
  settings.start_deadline = settings.check_overhead = patience;
  settings.grace = std::min<Nanoseconds>(settings.grace, patience);
  return FleetRunCommand(options, tree, plan, settings, budget).Run();
}

}  // namespace

Command AddFleetRunCommand(CLI::App& fleet) {
  auto options = std::make_shared<Options>();
  CLI::App* command = fleet.add_subcommand("run", "measure what the plan says and DIR lacks");
  command->footer(kFooter);
  command->add_option("DIR", options->directory, "the fleet's folder")->type_name("")->required();
  command
      ->add_option("--launch", options->launch,
                   "srun, ssh, mpirun or a template (default: srun in a job, else ssh)")
      ->type_name("TEMPLATE");
  command
      ->add_option("--railgauge", options->railgauge,
                   "railgauge's path at the nodes (default: this one's)")
      ->type_name("PATH");
  command->add_option("--parallel", options->parallel, "pairs that are measured at once")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      ->add_option("--patience", options->patience,
                   "how long a node may take to begin, and beyond its time budget")
      ->type_name("DURATION")
      ->capture_default_str();
  command->add_flag("--no-confirm", options->no_confirm, "do not measure again what stood out");
  return {command, [options](const CommandLine&) { return Run(*options); }};
}

}  // namespace railgauge
