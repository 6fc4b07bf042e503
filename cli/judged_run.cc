#include "cli/judged_run.h"

#include <utility>

#include "cli/selection.h"
#include "lib/placement/import/import.h"
#include "lib/placement/run_judgement.h"

namespace railgauge {
namespace {

Selection SelectionOf(const std::vector<CensusRow>& census) {
  Selection selection;
  for (const CensusRow& row : census) {
    if (selection.nics.empty() || selection.nics.back() != row.nic.address) {
      selection.nics.push_back(row.nic.address);
    }
    if (!Selected(selection, row.place)) selection.places.push_back(row.place);
  }
  return selection;
}

}  // namespace

Result<JudgedRun> JudgeLoadedRun(const LoadedRun& loaded, const std::string& placement) {
  RAILGAUGE_ASSIGN_OR_RETURN(Decision decision,
                             DecidePlacement(placement, *loaded.machine, loaded.cuda_order));
  auto [judgement, findings] = JudgeRun(*loaded.machine, loaded.census, loaded.samples, decision);
  ApplySelection(SelectionOf(loaded.census), judgement.placement);
  return JudgedRun{std::move(decision), std::move(judgement), std::move(findings)};
}

}  // namespace railgauge
