#include "lib/peer/host_port.h"

#include <algorithm>
#include <charconv>

#include "fmt/core.h"

namespace railgauge {
namespace {

tl::unexpected<Error> Refuse(std::string_view text, const std::string& flag, std::string reason) {
  return Fail(MakeError("read " + flag, std::string(text), std::move(reason),
                        "Write it like host, host:7245 or [fe80::1]:7245"));
}

}  // namespace

std::string HostPort::ToString() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<HostPort> ParseHostPort(std::string_view text, const std::string& flag) {
  HostPort result;
  std::string_view rest;
  const size_t first_colon = text.find(':');
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return Refuse(text, flag, "']' is missing");
    result.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else if (first_colon != text.rfind(':')) {
    result.host = text;  // a bare IPv6 address
  } else {
    result.host = text.substr(0, first_colon);
    rest = text.substr(std::min(first_colon, text.size()));
  }
  for (const char c : result.host) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f || c == '/' || c == '[' || c == ']') {
      return Refuse(text, flag, "that is no host");
    }
  }
  if (result.host.size() > 253) return Refuse(text, flag, "that is too long for a host's name");
  if (rest.empty()) return result;
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data() + 1, end, result.port);
  if (rest.front() != ':' || error != std::errc() || stop != end) {
    return Refuse(text, flag, "the port is no number from 0 to 65535");
  }
  return result;
}

}  // namespace railgauge
