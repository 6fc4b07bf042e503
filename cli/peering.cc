#include "cli/peering.h"

#include "cli/software_versions.h"
#include "fmt/core.h"
#include "lib/peer/host_port.h"
#include "lib/peer/token.h"

namespace railgauge {

void AddPeerOptions(CLI::App& command, PeerFlags& flags) {
  command
      .add_option("--peer", flags.peer,
                  "measure with this host, running `railgauge serve` (default: loopback)")
      ->type_name("HOST[:PORT]");
  command.add_option("--token", flags.token, "the token file that both hosts have")
      ->type_name("FILE");
}

PeerIdentity IdentityOf(const RunIdentity& run) {
  return {fmt::format("railgauge {}", kVersion), run.host, run.instance_id, run.instance_type,
          run.platform};
}

Status CheckPeerFlags(const PeerFlags& flags) {
  if (flags.peer.empty() && flags.token.empty()) return {};
  if (flags.peer.empty()) {
    return Fail(MakeError("read --token", flags.token, "there is no --peer that it is for",
                          "Name the other host: --peer=HOST"));
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const HostPort peer, ParseHostPort(flags.peer, "--peer"));
  if (peer.host.empty() || peer.port == 0) {
    return Fail(MakeError("read --peer", flags.peer, "it names no host and port to connect to"));
  }
  if (!flags.token.empty()) return {};
  return Fail(MakeError("read --peer", flags.peer, "--token=FILE is missing",
                        "Make one with: railgauge token FILE, and copy it to both hosts"));
}

Result<std::unique_ptr<PeerSide>> ConnectToPeer(const PeerFlags& flags, const RunIdentity& run,
                                                const Machine& machine) {
  RAILGAUGE_RETURN_IF_ERROR(CheckPeerFlags(flags));
  if (flags.peer.empty()) return nullptr;
  RAILGAUGE_ASSIGN_OR_RETURN(const HostPort peer, ParseHostPort(flags.peer, "--peer"));
  RAILGAUGE_ASSIGN_OR_RETURN(const Token token, ReadTokenFile(flags.token));
  return PeerSide::Connect(peer, token, IdentityOf(run), machine);
}

std::string PlatformWith(const std::string& own, const PeerSide* peer) {
  return peer != nullptr && peer->identity().platform == "emulated" ? "emulated" : own;
}

void NotePeer(const PeerSide& peer, Session& session) {
  session.run.platform = PlatformWith(session.run.platform, &peer);
  session.peer = peer.identity();
  session.notes.insert(session.notes.end(), peer.notes().begin(), peer.notes().end());
}

}  // namespace railgauge
