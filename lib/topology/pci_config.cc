#include "lib/topology/pci_config.h"

namespace railgauge {
namespace {

constexpr size_t kHeaderBytes = 64, kConventionalBytes = 256;
constexpr size_t kStatus = 0x06, kCapabilities = 0x34;
constexpr uint16_t kHasCapabilities = 0x0010;
constexpr uint16_t kExpressId = 0x10;
constexpr size_t kExpressFlags = 0x02;
constexpr int kRootPort = 4, kDownstreamPort = 6;
constexpr uint16_t kAcsId = 0x000d;
constexpr size_t kAcsControl = 0x06;
// P2P request redirect and P2P completion redirect.
constexpr int kRedirects = 0x000c;
// A chain of more is a loop.
constexpr size_t kMaxLinks = 64;

struct Found {
  bool readable = true;
  size_t at = 0;  // 0: there is no such capability
};
constexpr Found kUnreadable = {false, 0};

Found FindExpress(const ReadConfig& read) {
  const auto status = read(kStatus);
  const auto first = read(kCapabilities);
  if (!status || !first) return kUnreadable;
  if ((*status & kHasCapabilities) == 0) return {};
  size_t at = *first & 0xfc;
  for (size_t links = 0; at >= kHeaderBytes && links < kMaxLinks; ++links) {
    const auto head = read(at);
    if (!head) return kUnreadable;
    if ((*head & 0xff) == kExpressId) return {true, at};
    at = static_cast<size_t>(*head >> 8) & 0xfc;
  }
  return {};
}

Found FindAcs(const ReadConfig& read) {
  size_t at = kConventionalBytes;
  for (size_t links = 0; at >= kConventionalBytes && links < kMaxLinks; ++links) {
    const auto id = read(at), next = read(at + 2);
    if (!id || !next) return kUnreadable;
    if (*id == kAcsId) return {true, at};
    if (*id == 0 || *id == 0xffff) return {};
    at = static_cast<size_t>(*next >> 4) & 0xffc;
  }
  return {};
}

}  // namespace

AcsRedirect AcsRedirectOf(const ReadConfig& read) {
  const Found express = FindExpress(read);
  if (!express.readable) return AcsRedirect::kUnreadable;
  if (express.at == 0) return AcsRedirect::kOff;
  const auto flags = read(express.at + kExpressFlags);
  if (!flags) return AcsRedirect::kUnreadable;
  const int type = *flags >> 4 & 0xf;
  if (type != kRootPort && type != kDownstreamPort) return AcsRedirect::kOff;
  const Found acs = FindAcs(read);
  if (!acs.readable) return AcsRedirect::kUnreadable;
  if (acs.at == 0) return AcsRedirect::kOff;
  const auto control = read(acs.at + kAcsControl);
  if (!control) return AcsRedirect::kUnreadable;
  return (*control & kRedirects) != 0 ? AcsRedirect::kOn : AcsRedirect::kOff;
}

}  // namespace railgauge
