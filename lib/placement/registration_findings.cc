#include "lib/placement/registration_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "lib/base/counted.h"
#include "lib/instance_types/instance_types.h"
#include "lib/placement/finding_kinds.h"
#include "lib/placement/sentences.h"

namespace railgauge {
namespace {

using Pair = std::pair<PciAddress, MemoryPlace>;  // NIC and place

bool Registered(CensusStatus status) {
  return status == CensusStatus::kOk || status == CensusStatus::kNoId ||
         status == CensusStatus::kCannotTell;
}

// Whether the device was asked and refused. What was not exported was never asked for.
bool Refused(const Machine& machine, const CensusRow& row) {
  if (row.status != CensusStatus::kRegistrationFailed) return false;
  if (!row.reason.starts_with("ibv_reg")) return false;
  if (row.way != RegistrationWay::kPeerMemory) return true;
  const Nic* nic = machine.FindNic(row.nic.address);
  return nic != nullptr && !nic->p2p_provider.empty() && nic->p2p_provider != "none";
}

// The reason without what differs from row to row: from the first ": " on, without the full stop.
std::string WhyOf(const CensusRow& row) {
  const size_t at = row.reason.find(": ");
  std::string why = at == std::string::npos ? row.reason : row.reason.substr(at + 2);
  if (why.ends_with('.')) why.pop_back();
  return why;
}

struct Refusal {
  std::set<NicKey> nics;
  std::set<MemoryPlace> places;
  size_t rows = 0;
  size_t works_otherwise = 0;  // of these, where another way registers
};

void FindRefusals(const Machine& machine, std::span<const CensusRow> census,
                  std::vector<Finding>& findings) {
  std::map<Pair, std::set<RegistrationWay>> ways;
  std::map<RegistrationWay, size_t> tried;
  for (const CensusRow& row : census) {
    if (Registered(row.status)) ways[{row.nic.address, row.place}].insert(row.way);
    if (row.status != CensusStatus::kSkipped && row.status != CensusStatus::kNotSupported) {
      ++tried[row.way];
    }
  }
  std::map<std::pair<RegistrationWay, std::string>, Refusal> refusals;
  for (const CensusRow& row : census) {
    if (!Refused(machine, row)) continue;
    Refusal& refusal = refusals[{row.way, WhyOf(row)}];
    refusal.nics.insert(row.nic);
    refusal.places.insert(row.place);
    ++refusal.rows;
    if (ways.contains({row.nic.address, row.place})) ++refusal.works_otherwise;
  }
  for (const auto& [key, refusal] : refusals) {
    const auto& [way, why] = key;
    const std::vector<NicKey> nics(refusal.nics.begin(), refusal.nics.end());
    Finding finding = MakeFinding(KindNamed("registration_fails"));
    if (nics.size() == 1) finding.nic = nics.front();
    finding.places.assign(refusal.places.begin(), refusal.places.end());
    const std::string advice =
        refusal.works_otherwise == refusal.rows
            ? "Another way registers the same memory: let what needs this way use that one, or "
              "mend this one."
            : "Nothing can be moved there until it is mended.";
    finding.sentence = fmt::format("Registering by {} fails for {} with {}: {}. {}", ToString(way),
                                   ListOf(std::span<const MemoryPlace>(finding.places)),
                                   ListOf(nics), why, advice);
    finding.evidence = fmt::format("rows={} of {} other_way_works={}", refusal.rows, tried[way],
                                   refusal.works_otherwise);
    findings.push_back(std::move(finding));
  }
}

// Registering asks for the remote access that the device's capabilities allow, so a row tells them.
void FindMissingRdma(const Machine& machine, std::span<const CensusRow> census,
                     std::vector<Finding>& findings) {
  const InstanceType* type = FindInstanceType(machine.instance_type);
  if (type == nullptr) return;
  const struct {
    const std::optional<Fact<bool>>& fact;
    std::string_view flag, name;
  } operations[] = {{type->rdma_read, "remote_read", "READ"},
                    {type->rdma_write, "remote_write", "WRITE"}};
  for (const auto& operation : operations) {
    if (!operation.fact || !operation.fact->certain() || !operation.fact->value) continue;
    std::set<NicKey> lacking;
    for (const CensusRow& row : census) {
      if (row.access_flags.empty()) continue;
      if (row.access_flags.find(operation.flag) == std::string::npos) lacking.insert(row.nic);
    }
    if (lacking.empty()) continue;
    const std::vector<NicKey> nics(lacking.begin(), lacking.end());
    Finding finding = MakeFinding(KindNamed("rdma_missing"));
    if (nics.size() == 1) finding.nic = nics.front();
    finding.sentence = fmt::format(
        "{} not offer RDMA {}, which the NICs of a {} have: look for a newer driver and rdma-core.",
        ListOf(nics) + (nics.size() == 1 ? " does" : " do"), operation.name, type->name);
    finding.evidence = fmt::format("nics={} of {} ({}, {})", nics.size(), machine.nics.size(),
                                   ToString(operation.fact->provenance), operation.fact->source);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

std::vector<Finding> FindRegistrationFindings(const Machine& machine,
                                              std::span<const CensusRow> census) {
  std::vector<Finding> findings;
  FindRefusals(machine, census, findings);
  FindMissingRdma(machine, census, findings);
  return findings;
}

}  // namespace railgauge
