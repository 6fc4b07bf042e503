// railgauge load: what NICs do to each other when they run at once.

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

#include "cli/busy_nics.h"
#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/interrupt.h"
#include "cli/loading.h"
#include "cli/measuring_options.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/peering.h"
#include "cli/quantities.h"
#include "cli/session.h"
#include "cli/taking_census.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/quoted.h"
#include "lib/placement/gates.h"
#include "lib/placement/loaded.h"
#include "lib/report/group_table.h"
#include "lib/report/run_directory.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Measures each group's NICs alone and together, in rounds that alternate. together / alone is\n"
    "1 when they share nothing that is full; else what they most likely share is named.\n"
    "GROUPS: switch (NICs below one switch), numa (of one NUMA node), id (that answer with the\n"
    "same interconnect id for their place, which need not mean the same), all.\n"
    "Without --places each NIC has its nearest GPU, and then its own NUMA node's memory.\n"
    "Exit status: 0 every group is decided, slowed or not; 2 usage or set-up error; 3 a group is\n"
    "noisy or undecided.\n"
    "Examples:\n"
    "  railgauge load\n"
    "  railgauge load --groups=switch,numa --places=numa0 --time-budget=5min\n"
    "  railgauge load --nics=rdmap79s0,rdmap80s0 --places=gpu0,numa0 --output=load-1\n"
    "  railgauge load --bidirectional\n"
    "  railgauge load --emulate=p5.48xlarge/16 --nics=rdmap79s0,rdmap80s0";

constexpr char kAllGroups[] = "switch,numa,id,all";

struct Options : MeasuringOptions {
  std::optional<std::string> groups;  // without: kAllGroups
  bool bidirectional = false;
};

// What cannot be had together is refused before anything is opened.
Status CheckFlags(const Options& options) {
  RAILGAUGE_RETURN_IF_ERROR(CheckPeerFlags(options.peer));
  if (!options.bidirectional) return {};
  if (options.groups) {
    return Fail(MakeError("read the command line", "--bidirectional",
                          "it measures every NIC by itself and has no --groups",
                          "Leave out one of the two"));
  }
  if (options.peer.peer.empty()) return {};
  return Fail(MakeError("read the command line", "--bidirectional",
                        "with --peer, the other host would post one of the directions, and its "
                        "clock has no common start with this one's",
                        "Measure both directions at once in loopback, without --peer"));
}

Result<std::vector<GroupKind>> ParseGroups(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, GroupKind>, 4> kKinds = {{
      {"switch", GroupKind::kSwitch},
      {"numa", GroupKind::kNuma},
      {"id", GroupKind::kId},
      {"all", GroupKind::kAll},
  }};
  std::vector<GroupKind> kinds;
  std::string_view rest = text;
  while (true) {
    const size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const auto& known) { return known.first == item; });
    if (kind == kKinds.end()) {
      return Fail(MakeError("read --groups", Quoted(item), "groups are switch, numa, id and all",
                            "Write it like --groups=switch,numa"));
    }
    if (std::find(kinds.begin(), kinds.end(), kind->second) != kinds.end()) {
      return Fail(MakeError("read --groups", Quoted(item), "it is in the list twice",
                            "Name each kind of group once"));
    }
    kinds.push_back(kind->second);
    if (comma == std::string_view::npos) return kinds;
    rest.remove_prefix(comma + 1);
  }
}

// Also of GPUs that are not selected: far ends lie there.
Result<std::vector<CensusRow>> TakeWholeCensus(const Session& session) {
  std::vector<PciAddress> nics;
  for (const Nic& nic : session.machine.nics) nics.push_back(nic.position.address);
  return TakeCensus(session, std::move(nics), session.machine.Places());
}

// The GPUs whose memory every NIC that was asked could register.
std::vector<PciAddress> UsableGpus(const Session& session, std::span<const CensusRow> census) {
  std::vector<PciAddress> usable;
  for (const Gpu& gpu : session.machine.gpus) {
    const MemoryPlace place = MemoryPlace::Gpu(gpu.position.address);
    const bool registered = std::any_of(census.begin(), census.end(), [&](const CensusRow& row) {
      return row.place == place &&
             (row.status == CensusStatus::kOk || row.status == CensusStatus::kNoId ||
              row.status == CensusStatus::kCannotTell);
    });
    if (registered) usable.push_back(gpu.position.address);
  }
  return usable;
}

// Of those that can do anything.
bool AllCanWrite(const Session& session) {
  return std::all_of(session.nic_facts.begin(), session.nic_facts.end(), [&](const NicFacts& nic) {
    return nic.capabilities.empty() || CanDo(session, nic.address, Operation::kWrite);
  });
}

// Of `request` the kinds, sizes and directions are given.
Result<LoadPlan> MakePlan(const Options& options, Nanoseconds budget, LoadRequest request,
                          const Session& session, std::span<const CensusRow> census) {
  LoadPlan plan;
  plan.budget = budget;
  plan.budget_text = options.time_budget;
  for (const PciAddress& address : session.nics) {
    request.nics.push_back(session.machine.FindNic(address)->key());
  }
  const std::vector<PciAddress> gpus = UsableGpus(session, census);
  for (const PciAddress& gpu : gpus) request.gpus.push_back(MemoryPlace::Gpu(gpu));
  if (!options.machine.places.empty()) request.places = session.places;
  request.rdma_write = AllCanWrite(session);
  plan.sets = MakeLoadSets(session.machine, census, request);
  if (options.peer.peer.empty()) plan.far_ends = ChooseFarEnds(session.machine, gpus);
  plan.timing = LoadTiming(plan.sets, kLoadRounds, plan.budget);
  if (!plan.sets.empty()) return plan;
  return Fail(MakeError("group NICs", options.groups.value_or(kAllGroups),
                        "no two of the selected NICs are in one such group",
                        "Select more NICs or other groups; one NIC's two directions are measured "
                        "with --bidirectional"));
}

// Where others must not interfere: the selected NICs, and their far ends.
Status CheckQuiet(const Options& options, const LoadPlan& plan, Session& session) {
  std::set<PciAddress> used(session.nics.begin(), session.nics.end());
  for (const PciAddress& nic : session.nics) {
    const auto far = plan.far_ends.find(nic);
    if (far != plan.far_ends.end()) used.insert(far->second.nic);
  }
  return CheckNotBusy(used, options.allow_busy, session);
}

void PrintPlan(const LoadPlan& plan) {
  for (const LoadSet& set : plan.sets) {
    fmt::print("{}: {}\n", set.title, Counted(set.groups.size(), "group"));
  }
  const RoundLimits limits = LoadRoundLimits();
  const Nanoseconds time = EstimateLoad(plan.sets, limits.most, plan.timing);
  fmt::print("plan: {}, of which {} decide something, of windows of {} after {} of warm-up\n",
             Counted(limits.most, "round"), limits.enough, FormatDuration(plan.timing.window),
             FormatDuration(plan.timing.warm_up));
  fmt::print("time: about {}{} --time-budget={}\n", FormatDuration(time),
             time > plan.budget ? ", which is more than" : " of", plan.budget_text);
  for (const std::string& sentence : WhatHasNoTime(plan)) fmt::print("  {}\n", sentence);
}

void PrintReport(const Options& options, const Session& session, const LoadPlan& plan,
                 std::span<const GroupRow> rows) {
  PrintMachine(session);
  MatrixOptions matrix;
  matrix.color = options.color.UseColor();
  for (const LoadSet& set : plan.sets) {
    fmt::print("{}\n", FormatGroups(set.title, rows.first(set.groups.size()), matrix));
    rows = rows.subspan(set.groups.size());
  }
}

Result<ExitStatus> Run(const Options& options, const CommandLine& line) {
  LoadRequest request;
  request.bidirectional = options.bidirectional;
  RAILGAUGE_ASSIGN_OR_RETURN(request.sizes, ParseSizes(options.sizes));
  RAILGAUGE_ASSIGN_OR_RETURN(const Nanoseconds budget, ParseTimeBudget(options.time_budget));
  RAILGAUGE_ASSIGN_OR_RETURN(request.kinds, ParseGroups(options.groups.value_or(kAllGroups)));
  RAILGAUGE_RETURN_IF_ERROR(CheckFlags(options));
  CommandFiles files;
  DeclareMeasuringFiles(options, files);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_ASSIGN_OR_RETURN(Session session, OpenSession(options.machine));
  RAILGAUGE_RETURN_IF_ERROR(CheckSizesFit(request.sizes, session.places));
  if (const std::string why = WhyNothingIsMeasurable(session); !why.empty()) {
    return Fail(MakeError("measure", "load", why));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const std::vector<CensusRow> census, TakeWholeCensus(session));
  RAILGAUGE_ASSIGN_OR_RETURN(const LoadPlan plan,
                             MakePlan(options, budget, request, session, census));
  if (options.dry_run) {
    PrintPlan(plan);
    return kExitOk;
  }
  RAILGAUGE_RETURN_IF_ERROR(CheckQuiet(options, plan, session));
  RAILGAUGE_ASSIGN_OR_RETURN(auto peer, ConnectToPeer(options.peer, session.run, session.machine));
  if (peer != nullptr) {
    RAILGAUGE_RETURN_IF_ERROR(CheckPeerNotBusy(*peer, options.allow_busy, session));
    NotePeer(*peer, session);
  }
  RAILGAUGE_ASSIGN_OR_RETURN(RunDirectory directory,
                             RunDirectory::Create(session.run, options.output));
  RAILGAUGE_RETURN_IF_ERROR(WriteRunInfo(directory, session, "load", line, std::nullopt));
  RAILGAUGE_RETURN_IF_ERROR(WriteTopology(options.machine, directory));
  RAILGAUGE_RETURN_IF_ERROR(directory.Write<CensusRow>(census));
  PrintNotes(WhatHasNoTime(plan));
  RAILGAUGE_ASSIGN_OR_RETURN(const Loaded loaded,
                             MeasureLoad(session, plan, directory, std::move(peer)));
  if (Interrupted())
    session.notes.emplace_back("interrupted: judged by what was measured until then");

  std::vector<LoadGroup> groups;
  for (const LoadSet& set : plan.sets) {
    groups.insert(groups.end(), set.groups.begin(), set.groups.end());
  }
  const JudgeGates gates;
  const std::vector<GroupRow> rows = JudgeGroups(session.machine, groups, loaded.samples, gates);
  const auto status = static_cast<ExitStatus>(ExitStatusOf(rows));
  PrintReport(options, session, plan, rows);
  const Status written = directory.Write<GroupRow>(rows);
  const bool kept = written && loaded.written;
  const Status run_info =
      WriteRunInfo(directory, session, "load", line, kept ? status : kExitError, Thresholds(gates));
  fmt::print("run directory: {}\n", directory.path());
  for (const Status& step : {loaded.written, written, run_info}) RAILGAUGE_RETURN_IF_ERROR(step);
  PrintNotes(session.notes);
  return status;
}

}  // namespace

Command AddLoadCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->time_budget = "3min";
  CLI::App* command =
      app.add_subcommand("load", "measure what NICs do to each other when they run at once");
  command->footer(kFooter);
  command
      ->add_option("--groups", options->groups,
                   fmt::format("which NICs run at once, comma-separated (default: {})", kAllGroups))
      ->type_name("GROUPS");
  command->add_flag("--bidirectional", options->bidirectional,
                    "instead: every NIC by itself, to_memory and from_memory at once");
  AddMeasuringOptions(*command, *options, "each NIC's nearest GPU, and its own NUMA node");
  return {command, [options](const CommandLine& line) { return Run(*options, line); }};
}

}  // namespace railgauge
