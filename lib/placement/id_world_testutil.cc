#include "lib/placement/id_world_testutil.h"

#include <utility>

#include "fmt/core.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"

namespace railgauge {

std::vector<CensusRow> CensusByRule(const Machine& machine, const IdRule& rule) {
  std::vector<CensusRow> census;
  for (const Nic& nic : machine.nics) {
    for (const MemoryPlace& place : machine.Places()) {
      const std::vector<RegistrationWay> ways =
          place.is_gpu() ? std::vector{RegistrationWay::kDmabuf, RegistrationWay::kPeerMemory}
                         : std::vector{RegistrationWay::kHost};
      for (const RegistrationWay way : ways) {
        CensusRow row;
        row.nic = nic.key();
        row.place = place;
        row.way = way;
        row.relation = RelationOf(machine, nic, place).relation;
        row.ids = rule(row);
        row.status = row.ids.any() ? CensusStatus::kOk : CensusStatus::kNoId;
        census.push_back(std::move(row));
      }
    }
  }
  return census;
}

InterconnectIds ByRelation(const CensusRow& row) {
  const auto id =
      static_cast<uint16_t>(static_cast<int>(row.relation) + (row.place.is_host() ? 10 : 0));
  return {id, id, id};
}

std::vector<CensusRow*> RowsOf(std::vector<CensusRow>& census, std::string_view nic,
                               std::string_view place) {
  std::vector<CensusRow*> rows;
  for (CensusRow& row : census) {
    if (row.nic.address != Pci(nic)) continue;
    if (place.empty() || row.place.ToString() == place) rows.push_back(&row);
  }
  return rows;
}

std::vector<std::string> Heads(const std::vector<Finding>& findings) {
  std::vector<std::string> heads;
  for (const Finding& finding : findings) {
    heads.push_back(fmt::format("{} {} {}", finding.kind,
                                finding.nic ? finding.nic->address.ToString() : "-",
                                finding.field ? ToString(*finding.field) : "-"));
  }
  return heads;
}

}  // namespace railgauge
