#include "lib/placement/all_findings.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "lib/placement/id_contradictions.h"
#include "lib/placement/id_partitions.h"
#include "lib/placement/id_siblings.h"
#include "lib/placement/id_speeds.h"
#include "lib/placement/id_table.h"
#include "lib/placement/machine_findings.h"
#include "lib/placement/peer_path_findings.h"
#include "lib/placement/registration_findings.h"
#include "lib/placement/speed_findings.h"
#include "lib/placement/unsteady.h"

namespace railgauge {
namespace {

bool Before(const Finding& a, const Finding& b) {
  if (a.severity != b.severity) return a.severity > b.severity;
  return std::tie(a.kind, a.nic, a.field, a.places, a.sentence, a.evidence) <
         std::tie(b.kind, b.nic, b.field, b.places, b.sentence, b.evidence);
}

}  // namespace

std::vector<Finding> AllFindings(const Machine& machine, std::span<const CensusRow> census,
                                 std::span<const Sample> samples, const Decision* decision,
                                 const JudgeGates& gates) {
  const Decision nothing;
  const Evidence evidence(machine, census, samples, decision != nullptr ? *decision : nothing,
                          gates);
  return AllFindings(evidence, census, samples);
}

std::vector<Finding> AllFindings(const Evidence& evidence, std::span<const CensusRow> census,
                                 std::span<const Sample> samples) {
  const Machine& machine = evidence.machine();
  const std::vector<NicIds> ids = GatherIds(census);
  std::vector<Finding> findings;
  const auto add = [&](std::vector<Finding> family) {
    std::move(family.begin(), family.end(), std::back_inserter(findings));
  };
  // One line per family.
  add(FindIdContradictions(ids));
  add(FindIdsUnlikeSiblings(machine, ids));
  add(FindIdPartitions(machine, ids));
  add(FindIdSpeeds(evidence, ids, samples));
  add(FindUnsteady(evidence));
  add(FindMachineFindings(machine));
  add(FindRegistrationFindings(machine, census));
  add(FindPeerPathFindings(evidence));
  add(FindSpeedFindings(evidence));
  std::sort(findings.begin(), findings.end(), Before);
  return findings;
}

}  // namespace railgauge
