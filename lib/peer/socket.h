// TCP sockets by name, with a deadline on everything, name resolution included.
#ifndef RAILGAUGE_LIB_PEER_SOCKET_H_
#define RAILGAUGE_LIB_PEER_SOCKET_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/base/units.h"
#include "lib/peer/host_port.h"

namespace railgauge {

// A connected, non-blocking socket. A name's addresses are tried one after the other, each for its
// share of the time, and again while the host refuses, since its server may just be starting.
Result<UniqueFd> ConnectTcp(const HostPort& to, Nanoseconds timeout);

// A listening, non-blocking socket; for an empty host on every address, IPv6 and IPv4.
Result<UniqueFd> ListenTcp(const HostPort& at, Nanoseconds timeout);

// The port that a socket is bound to, and an address as "10.0.0.7" or "fe80::1".
uint16_t PortOf(int fd);
std::string AddressText(const sockaddr_storage& address);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PEER_SOCKET_H_
