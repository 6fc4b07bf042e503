// --peer and --token: measuring with another host, and who this host says it is.
#ifndef RAILGAUGE_CLI_PEERING_H_
#define RAILGAUGE_CLI_PEERING_H_

#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "cli/peer_flags.h"
#include "cli/session.h"
#include "lib/base/result.h"
#include "lib/measure/peer_side.h"
#include "lib/peer/messages.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

void AddPeerOptions(CLI::App& command, PeerFlags& flags);

PeerIdentity IdentityOf(const RunIdentity& run);

// Whether the flags fit each other, and name what is a host: also of a run that only plans. An
// Error for one flag without the other.
Status CheckPeerFlags(const PeerFlags& flags);

// Connects to the peer that the flags name; null when they name none. Errors: those of
// CheckPeerFlags, what is no token, and those of PeerSide::Connect.
Result<std::unique_ptr<PeerSide>> ConnectToPeer(const PeerFlags& flags, const RunIdentity& run,
                                                const Machine& machine);

// The platform of rows that two hosts measured: emulated as soon as one is.
std::string PlatformWith(const std::string& own, const PeerSide* peer);

// What the peer adds to the run's identity and notes.
void NotePeer(const PeerSide& peer, Session& session);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_PEERING_H_
