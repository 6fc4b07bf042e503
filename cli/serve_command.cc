// railgauge serve: the other host of a two-host run.

#include <chrono>
#include <cstdio>
#include <optional>

#include "cli/command.h"
#include "cli/command_files.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/peering.h"
#include "cli/session.h"
#include "fmt/core.h"
#include "lib/measure/peer_service.h"
#include "lib/peer/host_port.h"
#include "lib/peer/server.h"
#include "lib/peer/token.h"
#include "lib/report/run_json.h"

namespace railgauge {
namespace {

constexpr char kFooter[] =
    "Waits for `railgauge check --peer=THIS-HOST --token=FILE`, or a benchmark binary, on another\n"
    "host, and does its part of what is measured, for one at a time; a second one is told who is\n"
    "being served. Both hosts need copies of one token file (railgauge token), one version of\n"
    "railgauge, and a security group that allows all traffic from and to itself. Ctrl-C ends it.\n"
    "Exit status: 0 it served until it was ended; 2 usage or set-up error.\n"
    "Examples:\n"
    "  railgauge serve --token=rail.token\n"
    "  railgauge serve --token=rail.token --listen=10.0.0.7:9000\n"
    "  railgauge serve --token=rail.token --listen=:0 --emulate=p5.48xlarge";

// How often an interrupt is looked for while nothing happens.
constexpr Nanoseconds kLook = std::chrono::milliseconds{200};
// A client that asks for nothing for so long keeps others waiting for nothing.
constexpr Nanoseconds kIdle = std::chrono::minutes{5};

struct Options {
  MachineOptions machine;
  std::string token;
  std::string listen = fmt::format(":{}", kDefaultPort);
  std::string idle;  // empty: for ever
};

void Say(const std::string& line) {
  fmt::print("{} {}\n", FormatUtc(std::chrono::system_clock::now()), Printable(line));
  std::fflush(stdout);
}

// Serves one client until it is gone, idle for too long, or this process is interrupted. Returns
// why it ended, in words.
std::string Serve(ServedClient& client, const Session& session, size_t* requests) {
  PeerService service(session.machine, session.cuda, client.gone());
  auto last_asked = LinkClock::now();
  while (!Interrupted()) {
    const auto request = client.Next(kLook);
    if (!request) return request.error().reason.empty() ? "done" : request.error().reason;
    if (*request) {
      client.Reply(service.Answer(**request));
      ++*requests;
      last_asked = LinkClock::now();
    } else if (LinkClock::now() - last_asked > kIdle) {
      return "it asked for nothing for " + FormatDuration(kIdle);
    }
  }
  return "interrupted here";
}

Result<ExitStatus> Run(const Options& options) {
  RAILGAUGE_ASSIGN_OR_RETURN(const HostPort listen, ParseHostPort(options.listen, "--listen"));
  std::optional<Nanoseconds> idle;
  if (!options.idle.empty()) {
    RAILGAUGE_ASSIGN_OR_RETURN(idle, ParseDuration(options.idle));
  }
  CommandFiles files;
  files.Reads("--token", options.token);
  RAILGAUGE_RETURN_IF_ERROR(files.Check());
  RAILGAUGE_ASSIGN_OR_RETURN(const Token token, ReadTokenFile(options.token));
  RAILGAUGE_ASSIGN_OR_RETURN(const Session session, OpenSession(options.machine));
  RAILGAUGE_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                             Server::Listen(listen, token, IdentityOf(session.run)));
  PrintMachine(session);
  PrintNotes(session.notes);
  Say(fmt::format("serving on port {}", server->port()));
  auto last_served = LinkClock::now();
  while (!Interrupted()) {
    const std::unique_ptr<ServedClient> client = server->NextClient(kLook);
    if (client == nullptr) {
      if (!idle || LinkClock::now() - last_served <= *idle) continue;
      Say("nobody came for " + FormatDuration(*idle));
      break;
    }
    const std::string name = client->identity().host + " (" + client->address() + ")";
    Say(name + " measures with this host");
    size_t requests = 0;
    const std::string end = Serve(*client, session, &requests);
    Say(fmt::format("{} ended after {} requests: {}", name, requests, end));
    last_served = LinkClock::now();
  }
  const ServerCounts counts = server->counts();
  Say(
      fmt::format("ends: {} clients served; refused: {} strangers, {} of other versions, {} while "
                  "busy",
                  counts.clients, counts.strangers, counts.other_versions, counts.told_busy));
  return kExitOk;
}

}  // namespace

Command AddServeCommand(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("serve", "be the other host of a two-host run");
  command->footer(kFooter);
  command->add_option("--token", options->token, "the token file that both hosts have")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--listen", options->listen,
                   "address and port; an empty address is every one, port 0 any free one")
      ->type_name("[ADDR]:PORT")
      ->capture_default_str();
  command
      ->add_option("--idle", options->idle,
                   "end when nobody measures with this host for so long (default: never)")
      ->type_name("DURATION");
  AddDeadlineOption(*command);
  AddEmulateOption(*command);
  return {command, [options](const CommandLine&) { return Run(*options); }};
}

}  // namespace railgauge
