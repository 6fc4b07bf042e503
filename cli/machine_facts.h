// What a run records of the machine beside its topology: who it is and what software drives it.
//
// All from files: the hypervisor's DMI table names the instance (product_name the type,
// board_asset_tag the id) and cloud-init leaves a copy of the instance metadata, so that no network
// request, with its time-outs and its container rules, is needed. What cannot be read is empty.
#ifndef RAILGAUGE_CLI_MACHINE_FACTS_H_
#define RAILGAUGE_CLI_MACHINE_FACTS_H_

#include <string>

namespace railgauge {

struct MachineFacts {
  std::string hostname;
  std::string instance_id;         // "i-0123456789abcdef0"
  std::string availability_zone;   // "us-east-1a"
  std::string image_id;            // "ami-…"
  std::string kernel;              // uname release
  std::string efa_driver_version;  // /sys/module/efa/version
};

MachineFacts ReadMachineFacts();

// The kernel's peer-to-peer provider for the ibverbs device (sysfs device/p2p): "NVIDIA", "none";
// empty when this driver does not say.
std::string ReadP2pProvider(const std::string& device_name);

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_MACHINE_FACTS_H_
