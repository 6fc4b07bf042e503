#include "bench/names.h"

#include "fmt/core.h"

namespace railgauge {

std::string NameOf(const TransferVariables& variables) {
  const Cell& cell = variables.cell;
  std::string name =
      fmt::format("{}/nic:{}/place:{}/way:{}/direction:{}/size:{}/depth:{}/queue_pairs:{}/peer:{}",
                  ToString(cell.operation), cell.nic.address.ToString(), cell.place.ToString(),
                  ToString(variables.way), ToString(cell.direction), cell.size.count, cell.depth,
                  variables.queue_pairs, variables.remote_peer ? "remote" : "loopback");
  if (cell.load != Cell().load) name += "/load:" + cell.load;
  if (variables.working_set.count != 0) {
    name += fmt::format("/working_set:{}", variables.working_set.count);
  }
  if (variables.latency) name += "/mode:latency";
  return name;
}

std::string NameOf(const RegistrationVariables& variables) {
  return fmt::format("{}/nic:{}/place:{}/way:{}/size:{}", variables.operation,
                     variables.nic.ToString(), variables.place.ToString(), ToString(variables.way),
                     variables.size.count);
}

std::string CensusName(const PciAddress& nic, const MemoryPlace& place) {
  return fmt::format("census/nic:{}/place:{}", nic.ToString(), place.ToString());
}

std::string WholeCensusName(size_t nics, size_t places) {
  return fmt::format("census/nics:{}/places:{}", nics, places);
}

}  // namespace railgauge
