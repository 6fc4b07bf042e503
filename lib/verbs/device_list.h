// DeviceList: the RDMA devices that libibverbs shows, by name.
//
// A device's name proves nothing about where it is (udev policies differ), so its PCI address is
// read from the link in sysfs.
#ifndef RAILGAUGE_LIB_VERBS_DEVICE_LIST_H_
#define RAILGAUGE_LIB_VERBS_DEVICE_LIST_H_

#include <infiniband/verbs.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"

namespace railgauge {

class DeviceList {
 public:
  // Every device with a provider in this binary. A kernel without RDMA gives an empty list, which
  // is no error. libibverbs leaves out devices whose node under /dev/infiniband is missing.
  static Result<DeviceList> Get();

  std::vector<std::string> Names() const;
  size_t size() const { return size_; }

  // The device with exactly this name, or null. Valid as long as this list or a context opened
  // from it.
  ibv_device* Find(std::string_view name) const;

 private:
  struct Free {
    void operator()(ibv_device** list) const { ibv_free_device_list(list); }
  };
  DeviceList() = default;

  std::unique_ptr<ibv_device*, Free> list_;  // ends in null; null when there are no devices
  size_t size_ = 0;
};

// The PCI address of the ibverbs device `name`, from the sysfs link of its device. `sysfs` is the
// root to look under, other than "/sys" in tests.
Result<PciAddress> PciAddressOf(const std::string& name, const std::string& sysfs = "/sys");

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_VERBS_DEVICE_LIST_H_
