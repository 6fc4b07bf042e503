#include "bench/preferred_way.h"

#include <algorithm>

#include "cli/interrupt.h"
#include "lib/interconnect/census.h"
#include "lib/memory/registration.h"

namespace railgauge {

Result<std::vector<CensusRow>> ProbeWays(const Session& session) {
  CensusOptions options;
  options.nics = session.nics;
  options.should_stop = Interrupted;
  for (const MemoryPlace& place : session.places) {
    if (WaysOf(place).size() > 1) options.places.push_back(place);
  }
  if (options.places.empty()) return std::vector<CensusRow>{};
  return RunCensus(session.machine, session.cuda, options);
}

RegistrationWay PreferredWay(std::span<const CensusRow> probed, const PciAddress& nic,
                             const MemoryPlace& place) {
  const auto works = [&](RegistrationWay way) {
    return std::any_of(probed.begin(), probed.end(), [&](const CensusRow& row) {
      const bool registered = row.status == CensusStatus::kOk ||
                              row.status == CensusStatus::kNoId ||
                              row.status == CensusStatus::kCannotTell;
      return registered && row.nic.address == nic && row.place == place && row.way == way;
    });
  };
  const std::span<const RegistrationWay> ways = WaysOf(place);
  const auto first = std::find_if(ways.begin(), ways.end(), works);
  return first != ways.end() ? *first : ways.front();
}

}  // namespace railgauge
