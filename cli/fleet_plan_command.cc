// railgauge fleet plan: who is measured with whom.

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/command_files.h"
#include "cli/fleet_command.h"
#include "cli/quantities.h"
#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/base/file.h"
#include "lib/base/file_error.h"
#include "lib/base/pci_address.h"
#include "lib/base/quoted.h"
#include "lib/base/shell_word.h"
#include "lib/fleet/child_process.h"
#include "lib/fleet/fleet_plan.h"
#include "lib/fleet/fleet_tree.h"
#include "lib/fleet/host_list.h"
#include "lib/placement/import/import.h"
#include "lib/placement/policy.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Every node is measured with the next one of the list: as the initiator, whose NICs and "
    "memory\n"
    "are under test, with one peer, and as the target with another, in two or three rounds of\n"
    "pairs. Lists may have ranges, as Slurm's do; in a Slurm job the job's nodes are the default, "
    "and\n"
    "Slurm's addresses are taken. A host file is a line per host (mpirun's are read, too), with "
    "an\n"
    "address behind it where others reach it by another name. Of --placement to --places all is "
    "as\n"
    "for check; the time budget is that of each pair.\n"
    "Exit status: 0 the plan is written; 2 it is not.\n"
    "Examples:\n"
    "  railgauge fleet plan --hosts=node-a,node-b=10.0.0.7,node-c --output=night-1\n"
    "  railgauge fleet plan --hosts='p5-[001-064]' --time-budget=2min --output=night-1\n"
    "  railgauge fleet plan --hostfile=hosts --places=gpu0,numa0 --output=night-1";

struct Options {
  std::string hosts;
  std::string hostfile;
  std::string output;
  std::string placement = "nearest";
  std::string time_budget = "45s";
  std::string sizes = "1MiB";
  std::string nics;
  std::string places;
};

// What a program prints, within a deadline.
Result<std::string> OutputOf(const std::vector<std::string>& argv) {
  constexpr auto kDeadline = std::chrono::seconds(60);
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/railgauge-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd < 0) return Fail(FileError(FileUse::kWrite, errno, "make a temporary file", path));
  ::close(fd);
  const auto remove = [](const std::string* name) { ::unlink(name->c_str()); };
  const std::unique_ptr<const std::string, decltype(remove)> removed(&path, remove);
  RAILGAUGE_ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Start(argv, path));
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!process.Poll()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return Fail(MakeError("run", argv[0], "it did not end within a minute",
                            "See by hand what it waits for"));
    }
    ::poll(nullptr, 0, 10);
  }
  RAILGAUGE_ASSIGN_OR_RETURN(std::string output, ReadFile(path));
  if (*process.Poll() == 0) return output;
  return Fail(
      MakeError("run", argv[0], fmt::format("status {}: {}", *process.Poll(), Printable(output))));
}

// Hosts that may be Slurm's, with the addresses that it has for them. `what` is for messages.
Result<std::vector<FleetNode>> ReadSlurmList(const std::string& list, const std::string& what) {
  RAILGAUGE_ASSIGN_OR_RETURN(auto nodes, ParseHosts(list, what));
  // Addresses are a help where Slurm tells them.
  const auto told = OutputOf({"scontrol", "--oneliner", "show", "node", list});
  if (told) TakeSlurmAddresses(*told, nodes);
  return nodes;
}

Result<std::vector<FleetNode>> ReadHosts(const Options& options) {
  if (!options.hosts.empty() && !options.hostfile.empty()) {
    return Fail(MakeError("read the command line", "--hostfile", "--hosts is given, too",
                          "Leave out one of the two"));
  }
  if (!options.hostfile.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(const std::string content, ReadFile(options.hostfile));
    return ParseHostFile(content, options.hostfile);
  }
  if (HasHostRange(options.hosts)) return ReadSlurmList(options.hosts, "--hosts");
  if (!options.hosts.empty()) return ParseHosts(options.hosts, "--hosts");
  if (const char* job = std::getenv("SLURM_JOB_NODELIST")) {
    return ReadSlurmList(job, "SLURM_JOB_NODELIST");
  }
  return Fail(MakeError("read the command line", "--hosts", "it is missing",
                        "Name the hosts: --hosts=node-a,node-b or --hostfile=FILE"));
}

// What every node would refuse is refused here. Whether a machine has the NICs and places is for
// it.
Status CheckPlaces(const std::string& list) {
  if (list.empty()) return {};
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = list.find(',', begin);
    std::string place = list.substr(begin, end - begin);
    std::erase(place, ' ');
    const auto is_number = [&](size_t from) {
      return place.size() > from &&
             place.find_first_not_of("0123456789", from) == std::string::npos;
    };
    const bool good = (place.starts_with("numa") && is_number(4)) ||
                      (place.starts_with("gpu:") && PciAddress::ParseLenient(place.substr(4))) ||
                      (place.starts_with("gpu") && is_number(3));
    if (good) continue;
    return Fail(MakeError("find place", Quoted(place),
                          "a place is numaN, gpu:DDDD:BB:DD.F (a PCI address) or gpuN (a CUDA "
                          "ordinal)",
                          "Give --places of these, comma-separated"));
  }
  return {};
}

// `placement` as all nodes understand it: a policy's name, or a file by its whole path, since they
// run elsewhere.
Result<std::string> PlacementForNodes(const std::string& placement) {
  if (IsPolicy(placement)) return placement;
  const std::vector<std::string> files = FilesOfPlacement(placement);
  // As check has it: what neither looks like a file nor is one was meant to be a policy.
  const bool is_path = placement.find_first_of("/.=:") != std::string::npos;
  if (!is_path && ::access(placement.c_str(), F_OK) != 0) {
    RAILGAUGE_RETURN_IF_ERROR(DecideByPolicy(placement, Machine()));  // says which there are
  }
  for (const std::string& file : files) RAILGAUGE_RETURN_IF_ERROR(ReadRegularFile(file));
  if (files.size() == 1 && placement.ends_with(files.front())) {
    std::error_code error;
    const auto whole = std::filesystem::absolute(files.front(), error).lexically_normal();
    if (error) return placement;
    return placement.substr(0, placement.size() - files.front().size()) + whole.string();
  }
  return placement;
}

Result<ExitStatus> Run(const Options& options) {
  CommandFiles files;
  files.Reads("--hostfile", options.hostfile);
  files.ReadsPlacement(options.placement);
  files.Makes("--output", options.output);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_RETURN_IF_ERROR(CheckOutsideRuns(options.output, "write --output"));
  RAILGAUGE_ASSIGN_OR_RETURN(auto nodes, ReadHosts(options));
  RAILGAUGE_ASSIGN_OR_RETURN(const Nanoseconds budget, ParseTimeBudget(options.time_budget));
  RAILGAUGE_ASSIGN_OR_RETURN(const auto sizes, ParseSizes(options.sizes));
  static_cast<void>(sizes);
  RAILGAUGE_RETURN_IF_ERROR(CheckPlaces(options.places));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::string placement, PlacementForNodes(options.placement));
  std::vector<std::string> flags = {"--placement=" + placement,
                                    "--time-budget=" + options.time_budget,
                                    "--sizes=" + options.sizes};
  if (!options.nics.empty()) flags.push_back("--nics=" + options.nics);
  if (!options.places.empty()) {
    flags.push_back("--places=" + options.places);
    // Nodes are held against each other, also at places that no NIC was chosen for: of a machine
    // with GPUs a policy's are its GPUs.
    flags.emplace_back("--unjudged");
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const FleetPlan plan, MakePlan(std::move(nodes), std::move(flags)));
  RAILGAUGE_ASSIGN_OR_RETURN(const FleetTree tree, FleetTree::At(options.output));
  RAILGAUGE_RETURN_IF_ERROR(tree.WritePlan(plan));
  size_t pairs = 0;
  for (const auto& round : plan.rounds) pairs += round.size();
  fmt::print("{}: {}, {} in {}, about {} with all pairs of a round at once\n",
             Printable(tree.PlanPath()), Counted(plan.nodes.size(), "node"), Counted(pairs, "pair"),
             Counted(plan.rounds.size(), "round"), FormatDuration(budget * plan.rounds.size()));
  if (plan.nodes.size() == 2) {
    fmt::print(
        "note: each of two nodes has one peer only, so a slow end and a slow way between "
        "them look alike\n");
  }
  fmt::print("next: railgauge fleet run {}\n", ShellWord(options.output));
  return kExitOk;
}

}  // namespace

Command AddFleetPlanCommand(CLI::App& fleet) {
  auto options = std::make_shared<Options>();
  CLI::App* command = fleet.add_subcommand("plan", "write who is measured with whom");
  command->footer(kFooter);
  command
      ->add_option("--hosts", options->hosts,
                   "comma-separated: NAME, NAME=ADDRESS, p5-[001-064] (default: the job's)")
      ->type_name("LIST");
  command->add_option("--hostfile", options->hostfile, "the same from a file, a line per host")
      ->type_name("FILE");
  command->add_option("--output", options->output, "the fleet's folder, which all nodes see")
      ->type_name("DIR")
      ->required();
  command->add_option("--placement", options->placement, "a policy's name, or a decision's file")
      ->type_name("PLACEMENT")
      ->capture_default_str();
  command->add_option("--time-budget", options->time_budget, "time to measure in: 45s, 5min")
      ->type_name("DURATION")
      ->capture_default_str();
  command->add_option("--sizes", options->sizes, "message sizes, comma-separated")
      ->type_name("SIZES")
      ->capture_default_str();
  command
      ->add_option("--nics", options->nics,
                   "NICs, comma-separated: PCI address or exact device name (default: all)")
      ->type_name("LIST");
  command
      ->add_option("--places", options->places,
                   "places, comma-separated: numa0, gpu3, gpu:0000:53:00.0 (default: all)")
      ->type_name("LIST");
  return {command, [options](const CommandLine&) { return Run(*options); }};
}

}  // namespace railgauge
