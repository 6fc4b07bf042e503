// HostPort: how flags name the other end of the control channel: "host", "host:7245",
// "10.0.0.7:7245", "[fe80::1]:7245", "::1". Pure.
#ifndef RAILGAUGE_LIB_PEER_HOST_PORT_H_
#define RAILGAUGE_LIB_PEER_HOST_PORT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace railgauge {

// R-A-I-L on a telephone's keys; assigned to nobody by IANA, and below the ports that Linux gives
// to outgoing connections.
inline constexpr uint16_t kDefaultPort = 7245;

struct HostPort {
  std::string host;  // a name or an address, without brackets; empty: every address
  uint16_t port = kDefaultPort;

  // "host:7245", with brackets around an IPv6 address.
  std::string ToString() const;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// An IPv6 address with a port is written in brackets; one without may be bare. `flag` is for the
// message: "read --peer".
Result<HostPort> ParseHostPort(std::string_view text, const std::string& flag);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_HOST_PORT_H_
