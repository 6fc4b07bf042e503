#include "lib/scenario/tree.h"

#include "lib/scenario/file_tree.h"
#include "lib/scenario/sysfs_pci.h"
#include "lib/scenario/sysfs_system.h"

namespace railgauge {

Status WriteTree(const EmulatedMachine& machine, const std::string& root) {
  FileTree tree(root);
  WriteCpus(machine, &tree);
  WriteNumaNodes(machine, &tree);
  WriteMachineName(machine, &tree);
  WriteCpuInfo(machine, &tree);
  WritePciDevices(machine, &tree);
  return tree.status();
}

}  // namespace railgauge
