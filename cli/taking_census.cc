#include "cli/taking_census.h"

#include <utility>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "lib/interconnect/census.h"

namespace railgauge {

Result<std::vector<CensusRow>> TakeCensus(const Session& session, std::vector<PciAddress> nics,
                                          std::vector<MemoryPlace> places) {
  CensusOptions options;
  options.nics = std::move(nics);
  options.places = std::move(places);
  Progress progress("census");
  options.progress = [&](size_t done, size_t total) { progress.Update(done, total, ""); };
  options.should_stop = Interrupted;
  return RunCensus(session.machine, session.cuda, options);
}

}  // namespace railgauge
