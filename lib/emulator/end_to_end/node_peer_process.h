// The process behind a NodePeer.
#ifndef RAILGAUGE_LIB_EMULATOR_END_TO_END_NODE_PEER_PROCESS_H_
#define RAILGAUGE_LIB_EMULATOR_END_TO_END_NODE_PEER_PROCESS_H_

#include <string>

#include "lib/emulator/end_to_end/node_peer.h"

namespace railgauge {

// Sends its PeerAddress to `socket` and does what comes from there until it is closed.
void ServeAsPeer(int socket, const std::string& nic);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_END_TO_END_NODE_PEER_PROCESS_H_
