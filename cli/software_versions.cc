#include "cli/software_versions.h"

#include <hwloc.h>

#include "fmt/core.h"

namespace railgauge {

std::map<std::string, std::string> SoftwareVersions() {
  const unsigned hwloc = hwloc_get_api_version();
  return {
      {"railgauge", kVersion},
      // Linked statically, so what was built is what runs; a system's library does not say.
      {"rdma-core", RAILGAUGE_RDMA_CORE_VERSION},
      {"hwloc", fmt::format("{}.{}.{}", hwloc >> 16, (hwloc >> 8) & 0xff, hwloc & 0xff)},
      {"compiler", __VERSION__},
  };
}

}  // namespace railgauge
