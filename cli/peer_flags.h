// What --peer and --token say.
#ifndef RAILGAUGE_CLI_PEER_FLAGS_H_
#define RAILGAUGE_CLI_PEER_FLAGS_H_

#include <string>

namespace railgauge {

struct PeerFlags {
  std::string peer;   // HOST[:PORT]; empty: loopback
  std::string token;  // the token file
};

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_PEER_FLAGS_H_
