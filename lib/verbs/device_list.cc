#include "lib/verbs/device_list.h"

#include <stdlib.h>

#include <cerrno>
#include <optional>

#include "fmt/core.h"

namespace railgauge {

Result<DeviceList> DeviceList::Get() {
  DeviceList devices;
  int count = 0;
  errno = 0;
  devices.list_.reset(ibv_get_device_list(&count));
  if (devices.list_ == nullptr) {
    // ENOSYS is how libibverbs says that the kernel has no RDMA subsystem.
    if (errno == ENOSYS || errno == 0) return devices;
    return Fail(ErrnoError(errno, "list RDMA devices", "ibv_get_device_list"));
  }
  devices.size_ = static_cast<size_t>(count);
  return devices;
}

std::vector<std::string> DeviceList::Names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < size_; ++i) names.emplace_back(ibv_get_device_name(list_.get()[i]));
  return names;
}

ibv_device* DeviceList::Find(std::string_view name) const {
  for (size_t i = 0; i < size_; ++i) {
    if (name == ibv_get_device_name(list_.get()[i])) return list_.get()[i];
  }
  return nullptr;
}

Result<PciAddress> PciAddressOf(const std::string& name, const std::string& sysfs) {
  constexpr char kOperation[] = "find the PCI address of";
  const std::string link = fmt::format("{}/class/infiniband/{}/device", sysfs, name);
  const std::unique_ptr<char, decltype(&free)> resolved(realpath(link.c_str(), nullptr), &free);
  if (resolved == nullptr) return Fail(ErrnoError(errno, kOperation, name, "Looked at " + link));
  const std::string_view path = resolved.get();
  const std::optional<PciAddress> address = PciAddress::Parse(path.substr(path.rfind('/') + 1));
  if (!address) {
    return Fail(MakeError(kOperation, name,
                          fmt::format("{} leads to {}, which is no PCI device", link, path),
                          "Virtual RDMA devices are not measured"));
  }
  return *address;
}

}  // namespace railgauge
