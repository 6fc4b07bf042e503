// An RDMA device of an emulated /sys, as the kernel's ib_core shows an EFA device: what libibverbs
// lists and hwloc names.
#ifndef RAILGAUGE_LIB_SCENARIO_SYSFS_RDMA_H_
#define RAILGAUGE_LIB_SCENARIO_SYSFS_RDMA_H_

#include <cstddef>
#include <string>

#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/file_tree.h"

namespace railgauge {

// The uverbs character devices: /dev/infiniband/uverbsN has this major and minor 192 + N.
inline constexpr int kUverbsMajor = 231;
inline constexpr int kUverbsFirstMinor = 192;

// `pci_path`: the folder of the PCI function. `index`: the N of uverbsN.
void WriteRdmaDevice(const EmulatedNic& nic, size_t index, const std::string& pci_path,
                     FileTree* tree);

// An RDMA device of another vendor (kRdma): what hwloc finds it by. It has no uverbs node, since
// nothing here could answer, so libibverbs does not list it.
void WriteOtherRdmaDevice(const EmulatedPciDevice& device, const std::string& pci_path,
                          FileTree* tree);

// "100 Gb/sec (4X EDR)", as the attribute `rate` shows a port rate in Gb/s.
std::string FormatPortRate(double gb_per_second);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_SYSFS_RDMA_H_
