// emulate SPEC COMMAND [ARG…]: runs a command on an emulated machine.
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "lib/base/result.h"
#include "lib/base/runfiles.h"
#include "lib/emulator/launcher/control.h"
#include "lib/emulator/launcher/controlled_run.h"
#include "lib/emulator/launcher/enter_machine.h"
#include "lib/emulator/launcher/fault_switches.h"
#include "lib/emulator/launcher/nodes_command.h"
#include "lib/scenario/fault/fault.h"
#include "lib/scenario/load.h"
#include "lib/scenario/nodes.h"

namespace railgauge {
namespace {

constexpr int kUsageError = 2;
constexpr int kCannotExecute = 127;

constexpr char kHelp[] =
    R"(emulate: run a command on an emulated machine with EFA devices and GPUs.

  emulate [FLAG…] SPEC COMMAND [ARG…]
  emulate --nodes=N [FLAG…] SPEC COMMAND [ARG…]
  emulate --node=K [FLAG…] COMMAND [ARG…]         inside of the second
  emulate --fabric-status                         inside of the second

SPEC is an instance type or a scenario file: p5.48xlarge, p4d.24xlarge, ./mine.yaml; with every rate
divided: p5.48xlarge/16 (for hosts that cannot move data as fast as the machine would);
and the faults that make it sick: SPEC,NAME[:TARGET][=VALUE][@START],… (--list-faults tells them).
The command sees that machine's /sys, /proc/cpuinfo, NUMA nodes, CPUs, GPUs (by libcuda.so.1) and
/dev/infiniband; nothing of it is left when the command ends. Its exit status is the command's own.

  --nodes=N         N machines of the type on one network; the command runs on node 0, and all
                    machines end with it
  --on=K:FAULT[,FAULT…]  with --nodes: faults of node K alone; may be given again
  --node=K          run on that node; commands on all nodes reach each other's memory by RDMA
  --fabric-status   processes, objects and ring memory of all nodes, as JSON
  --scenarios=DIR   the folder with instances/ (default: the one built with this binary)
  --user=UID        run as this unprivileged user of the emulated machine (a user namespace)
  --device-mode=OCTAL  permission of /dev/infiniband/uverbs*, which root owns (default 0666)
  --list-faults     all faults, what each takes and what it is
  --control=PATH    a socket by which faults are switched while the command runs
  --tell=PATH LINE  tells that socket, and nothing else: 'slow-nic:rdmap79s0=0.6',
                    'clear:slow-nic:rdmap79s0', 'clear:all', 'status'; with --nodes, 'node1 LINE'
                    for one node
  --argv0=NAME      the name that the command is told to have
  -h, --help        this text

  emulate p5.48xlarge ibv_devinfo -v
  emulate p5.48xlarge lstopo-no-graphics
  emulate p5.48xlarge,slow-nic:rdmap79s0=0.6,missing-gpu:gpu3 railgauge census
  emulate --nodes=2 p5.48xlarge sh -c 'server & emulate --node=1 client'
  emulate --user=1000 --device-mode=0600 p5.48xlarge railgauge census
)";

struct Options {
  std::string scenarios;
  std::string argv0;
  bool help = false;
  MachineOptions machine;
  std::optional<uint32_t> nodes, node;
  std::map<uint32_t, std::string> faults_of_node;  // "FAULT,FAULT", of --on
  std::string control;                             // the path of the socket; empty: none
  std::string spec;
  std::vector<std::string> command;
};

Error UsageError(const std::string& object, const std::string& reason) {
  return MakeError("read the command line", object, reason, "See emulate --help");
}

bool AllDigits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.size() <= 9 && text.find_first_not_of(digits) == text.npos;
}

Result<uint32_t> ParseNodeNumber(const std::string& argument, const std::string& value,
                                 uint32_t least, uint32_t most) {
  if (AllDigits(value, "0123456789")) {
    const auto number = static_cast<uint32_t>(std::stoul(value));
    if (number >= least && number <= most) return number;
  }
  return Fail(UsageError(argument, fmt::format("not a number from {} to {}", least, most)));
}

// A flag that takes a value: what it does with `argument`'s.
struct Flag {
  std::string_view name;
  Status (*take)(const std::string& argument, const std::string& value, Options& options);
};

constexpr Flag kFlags[] = {
    {"--scenarios",
     [](const std::string&, const std::string& value, Options& options) -> Status {
       options.scenarios = value;
       return {};
     }},
    {"--argv0",
     [](const std::string&, const std::string& value, Options& options) -> Status {
       options.argv0 = value;
       return {};
     }},
    {"--control",
     [](const std::string&, const std::string& value, Options& options) -> Status {
       options.control = value;
       return {};
     }},
    {"--user",
     [](const std::string& argument, const std::string& value, Options& options) -> Status {
       if (!AllDigits(value, "0123456789")) return Fail(UsageError(argument, "not a user number"));
       options.machine.isolation.user = static_cast<uid_t>(std::stoul(value));
       return {};
     }},
    {"--nodes",
     [](const std::string& argument, const std::string& value, Options& options) -> Status {
       RAILGAUGE_ASSIGN_OR_RETURN(options.nodes, ParseNodeNumber(argument, value, 1, kMaxNodes));
       return {};
     }},
    {"--node",
     [](const std::string& argument, const std::string& value, Options& options) -> Status {
       RAILGAUGE_ASSIGN_OR_RETURN(options.node, ParseNodeNumber(argument, value, 0, kMaxNodes - 1));
       return {};
     }},
    {"--on",
     [](const std::string& argument, const std::string& value, Options& options) -> Status {
       const size_t colon = value.find(':');
       if (colon == std::string::npos || colon + 1 == value.size()) {
         return Fail(UsageError(argument, "not a node and its faults: --on=K:FAULT"));
       }
       RAILGAUGE_ASSIGN_OR_RETURN(
           const uint32_t node,
           ParseNodeNumber(argument, value.substr(0, colon), 0, kMaxNodes - 1));
       std::string& faults = options.faults_of_node[node];
       faults += (faults.empty() ? "" : ",") + value.substr(colon + 1);
       return {};
     }},
    {"--device-mode",
     [](const std::string& argument, const std::string& value, Options& options) -> Status {
       if (!AllDigits(value, "01234567")) return Fail(UsageError(argument, "not an octal number"));
       options.machine.device_mode = value;
       return {};
     }},
};

Status ParseFlag(const std::string& argument, Options& options) {
  const size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  for (const Flag& flag : kFlags) {
    if (flag.name != name) continue;
    if (value.empty()) return Fail(UsageError(argument, "it needs a value: " + name + "=VALUE"));
    return flag.take(argument, value, options);
  }
  return Fail(UsageError(argument, "there is no such flag"));
}

Result<Options> Parse(const std::vector<std::string>& arguments) {
  Options options;
  size_t i = 1;
  for (; i < arguments.size() && arguments[i].starts_with('-'); ++i) {
    if (arguments[i] == "--") {
      ++i;
      break;
    }
    if (arguments[i] == "--help" || arguments[i] == "-h") {
      options.help = true;
      return options;
    }
    RAILGAUGE_RETURN_IF_ERROR(ParseFlag(arguments[i], options));
  }
  if (!options.faults_of_node.empty() &&
      (!options.nodes || options.faults_of_node.rbegin()->first >= *options.nodes)) {
    return Fail(UsageError("--on", "there is no such node; --nodes=N makes nodes 0 to N-1"));
  }
  if (options.nodes && options.node) {
    return Fail(UsageError("--node", "a node of a fabric that exists, and --nodes makes one"));
  }
  if (!options.node) {  // else the fabric knows the machine
    if (i < arguments.size()) options.spec = arguments[i];
    ++i;
  }
  if (i >= arguments.size()) {
    return Fail(UsageError(
        "", options.node ? "a command is needed" : "a machine and a command are needed"));
  }
  options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  return options;
}

Status FindScenarios(Options& options, const std::string& argv0) {
  if (options.scenarios.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(options.scenarios, FindDataFile("scenarios", argv0));
  }
  std::error_code error;
  options.scenarios = std::filesystem::absolute(options.scenarios, error).string();
  return {};
}

// The machine that the command line names.
Result<EmulatedMachine> Load(Options& options, const std::string& argv0) {
  RAILGAUGE_RETURN_IF_ERROR(FindScenarios(options, argv0));
  return LoadSpec(options.spec, options.scenarios);
}

// What the command line names for each node.
std::vector<std::string> SpecsOfNodes(const Options& options) {
  std::vector<std::string> specs(*options.nodes, options.spec);
  for (const auto& [node, faults] : options.faults_of_node) specs[node] += "," + faults;
  return specs;
}

// What the reader can do about a command that execvp() refused.
std::string AdviceFor(int error_number, const std::string& program) {
  std::error_code error;
  if (error_number == ENOENT) return "Is it installed, and in a folder of PATH?";
  if (std::filesystem::is_directory(program, error)) return "It is a folder: name a program";
  if (error_number == EACCES) return "It must be a program that you may execute (chmod +x)";
  return "";
}

// Of the program that the user called: the launcher itself, or the tool with --emulate.
std::string NameOf(const Options& options) {
  if (options.argv0.empty()) return "emulate";
  return options.argv0.substr(options.argv0.rfind('/') + 1);
}

int Complain(const std::string& name, const Error& error) {
  std::fprintf(stderr, "%s: %s\n", Printable(name).c_str(), error.ToString().c_str());
  return kUsageError;
}

// Executes the command; the exit status when that is not possible.
int Execute(const Options& options) {
  std::vector<std::string> command = options.command;
  const std::string program = command.front();
  if (!options.argv0.empty()) command.front() = options.argv0;
  std::vector<char*> pointers;
  for (std::string& argument : command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execvp(program.c_str(), pointers.data());
  const int error_number = errno;
  Complain(NameOf(options),
           ErrnoError(error_number, "execute", program, AdviceFor(error_number, program)));
  return kCannotExecute;
}

// The types are read from the folder, so that the text is never behind.
int PrintHelp(const std::string& argv0) {
  std::fputs(kHelp, stdout);
  const auto types = FindDataFile("scenarios", argv0).and_then([](const std::string& scenarios) {
    return ListInstanceTypes(scenarios);
  });
  if (!types) return Complain("emulate", types.error());
  std::string line;
  std::fputs("\nInstance types:\n", stdout);
  for (const std::string& type : *types) {
    constexpr size_t kWidth = 98;
    if (line.size() + 2 + type.size() > kWidth) {
      std::fprintf(stdout, "%s\n", line.c_str());
      line.clear();
    }
    line += "  " + type;
  }
  std::fprintf(stdout, "%s\n", line.c_str());
  return 0;
}

// As above.
int PrintFaults(const std::string& argv0) {
  const auto faults = FindDataFile("scenarios", argv0).and_then([](const std::string& scenarios) {
    return LoadFaults(scenarios);
  });
  if (!faults) {
    return Complain("emulate", faults.error());
  }
  std::fputs(ListFaults(*faults).c_str(), stdout);
  return 0;
}

int PrintFabric() {
  const auto text = DescribeFabric();
  if (!text) return Complain("emulate", text.error());
  std::fputs(text->c_str(), stdout);
  return 0;
}

// emulate --tell=PATH COMMAND.
int Tell(const std::string& path, const std::vector<std::string>& arguments) {
  if (path.empty() || arguments.size() != 3) {
    return Complain("emulate", UsageError("--tell", "a socket and one command are needed"));
  }
  const auto answer = TellControl(path, arguments[2]);
  if (!answer) return Complain("emulate", answer.error());
  const bool ok = answer->find("ok: ") != std::string::npos;
  if (ok) {
    std::fprintf(stdout, "%s\n", answer->c_str());
    return 0;
  }
  std::fprintf(stderr, "emulate: --tell '%s': %s\n", Printable(arguments[2]).c_str(),
               answer->c_str());
  return kUsageError;
}

// As Run, with a socket to switch faults by.
int RunControlled(Options& options, const NodesCommand& command, const std::string& argv0) {
  if (auto found = FindScenarios(options, argv0); !found)
    return Complain(NameOf(options), found.error());
  std::vector<FaultSwitches> switches;
  std::vector<EmulatedMachine> machines;
  for (const std::string& spec :
       options.nodes ? SpecsOfNodes(options) : std::vector<std::string>{options.spec}) {
    auto created = FaultSwitches::Create(spec, options.scenarios);
    if (!created) return Complain(NameOf(options), created.error());
    machines.push_back(created->machine());
    switches.push_back(*std::move(created));
  }
  const auto control = ControlSocket::Listen(options.control);
  if (!control) return Complain(NameOf(options), control.error());
  NodesCommand controlled = command;
  controlled.control = &*control;
  const Error error = options.nodes ? RunFabric(machines, controlled, switches)
                                    : RunUnderControl(*control, switches.front(), options.machine,
                                                      argv0, command.execute);
  control->Remove();
  return Complain(NameOf(options), error);
}

// As Run, of several machines that no faults are switched of.
int RunNodes(Options& options, const NodesCommand& command, const std::string& argv0) {
  if (auto found = FindScenarios(options, argv0); !found)
    return Complain(NameOf(options), found.error());
  std::vector<EmulatedMachine> machines;
  for (const std::string& spec : SpecsOfNodes(options)) {
    auto machine = LoadSpec(spec, options.scenarios);
    if (!machine) return Complain(NameOf(options), machine.error());
    machines.push_back(*std::move(machine));
  }
  return Complain(NameOf(options), RunFabric(machines, command));
}

int Run(Options& options, const std::string& argv0) {
  const NodesCommand command = {.machine = options.machine, .argv0 = argv0, .execute = [&options] {
                                  return Execute(options);
                                }};
  if (options.node) return Complain(NameOf(options), RunOnNode(*options.node, command));
  if (!options.control.empty()) return RunControlled(options, command, argv0);
  if (options.nodes) return RunNodes(options, command, argv0);
  const auto machine = Load(options, argv0);
  if (!machine) return Complain(NameOf(options), machine.error());
  if (auto entered = EnterMachine(*machine, options.machine, argv0); !entered) {
    return Complain(NameOf(options), entered.error());
  }
  return Execute(options);
}

int Main(const std::vector<std::string>& arguments) {
  const std::string first = arguments.size() > 1 ? arguments[1] : "";
  if (first == "--list-faults") return PrintFaults(arguments[0]);
  if (first == "--fabric-status") return PrintFabric();
  constexpr std::string_view kTell = "--tell=";
  if (first.starts_with(kTell)) return Tell(first.substr(kTell.size()), arguments);
  auto options = Parse(arguments);
  if (!options) return Complain("emulate", options.error());
  if (options->help) return PrintHelp(arguments[0]);
  return Run(*options, arguments[0]);
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
  return railgauge::Main(std::vector<std::string>(argv, argv + argc));
}
