// Versions of what a result depends on, for run.json and `railgauge --version`.
#ifndef RAILGAUGE_CLI_SOFTWARE_VERSIONS_H_
#define RAILGAUGE_CLI_SOFTWARE_VERSIONS_H_

#include <map>
#include <string>

namespace railgauge {

inline constexpr char kVersion[] = "0.1.0";

// Keys: railgauge, rdma-core, hwloc, compiler.
std::map<std::string, std::string> SoftwareVersions();

}  // namespace railgauge

#endif  // RAILGAUGE_CLI_SOFTWARE_VERSIONS_H_
