#include "lib/memory/registration.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace railgauge {
namespace {

Result<MemoryRegion> Register(const ProtectionDomain& domain, const Buffer& buffer,
                              RegistrationWay way, int access) {
  if (way != RegistrationWay::kDmabuf) {
    return MemoryRegion::Register(domain, reinterpret_cast<void*>(buffer.address()),
                                  buffer.length(), access);
  }
  RAILGAUGE_ASSIGN_OR_RETURN(const Buffer::Dmabuf dmabuf, buffer.dmabuf());
  // Work requests go on naming the buffer's own address, whatever the way.
  return MemoryRegion::RegisterDmabuf(domain, dmabuf.fd, dmabuf.offset, buffer.length(),
                                      buffer.address(), access);
}

}  // namespace

std::span<const RegistrationWay> WaysOf(const MemoryPlace& place) {
  // What accelerators offer drivers of other devices is a dma-buf.
  static constexpr std::array kAcceleratorWays = {RegistrationWay::kDmabuf};
  static constexpr std::array kHostWays = {RegistrationWay::kHost};
  static constexpr std::array kGpuWays = {RegistrationWay::kDmabuf, RegistrationWay::kPeerMemory};
  if (place.is_gpu()) return kGpuWays;
  if (place.is_host()) return kHostWays;
  return kAcceleratorWays;
}

Result<MemoryRegion> RegisterBuffer(const ProtectionDomain& domain, const Buffer& buffer,
                                    RegistrationWay way, int access) {
  const auto ways = WaysOf(buffer.place());
  RAILGAUGE_CHECK(std::find(ways.begin(), ways.end(), way) != ways.end());
  auto region = Register(domain, buffer, way, access);
  if (!region) {
    Error error = std::move(region).error();
    error.object =
        fmt::format("{}, {} as {}", domain.device(), buffer.place().ToString(), ToString(way));
    return Fail(std::move(error));
  }
  return region;
}

Result<MemoryRegion> RegisterBufferAnyWay(const ProtectionDomain& domain, const Buffer& buffer,
                                          int access, RegistrationWay* way) {
  Error first;
  for (const RegistrationWay candidate : WaysOf(buffer.place())) {
    auto region = RegisterBuffer(domain, buffer, candidate, access);
    if (region) {
      *way = candidate;
      return region;
    }
    if (first.operation.empty()) first = std::move(region).error();
  }
  return Fail(std::move(first));
}

}  // namespace railgauge
