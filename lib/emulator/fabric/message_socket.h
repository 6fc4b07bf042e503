// Packets with descriptors over a Unix socket, by raw system calls and with deadlines: one end runs
// inside libraries that replace libc's functions.
#ifndef RAILGAUGE_LIB_EMULATOR_FABRIC_MESSAGE_SOCKET_H_
#define RAILGAUGE_LIB_EMULATOR_FABRIC_MESSAGE_SOCKET_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lib/base/units.h"

namespace railgauge {

// Abstract names: nothing in a file system, so that every mount namespace sees them and nothing is
// left when the owner dies. A descriptor or a negative errno value, as everywhere below.
int ListenOn(const std::string& name);
int ConnectTo(const std::string& name);

// One packet, and `fd` with it where it is one. 0 or a negative errno value; EAGAIN when the other
// end takes nothing now.
int SendPacket(int socket, std::span<const iovec> parts, int fd = -1);

struct Packet {
  int64_t bytes = 0;  // 0: the other end is closed; negative: an errno value
  int fd = -1;        // the caller's
};
// Waits for at most `patience` (-ETIMEDOUT); not at all when that is 0 (-EAGAIN).
Packet ReceivePacket(int socket, std::span<std::byte> buffer, Nanoseconds patience);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_EMULATOR_FABRIC_MESSAGE_SOCKET_H_
