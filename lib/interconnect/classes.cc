#include "lib/interconnect/classes.h"

#include <optional>
#include <set>

namespace railgauge {
namespace {

bool CanTell(const CensusRow& row) {
  return row.status == CensusStatus::kOk || row.status == CensusStatus::kNoId;
}

// What the ways of one place answered in one field: ids, and std::nullopt for "no id".
using Answers = std::set<std::optional<uint16_t>>;

IdClasses Classify(const NicKey& nic, IcField field,
                   const std::map<MemoryPlace, std::vector<const CensusRow*>>& places) {
  IdClasses classes{
      .nic = nic, .field = field, .by_id = {}, .no_id = {}, .unknown = {}, .disagreeing = {}};
  for (const auto& [place, rows] : places) {
    Answers answers;
    for (const CensusRow* row : rows)
      if (CanTell(*row)) answers.insert(row->ids.Get(field));
    if (answers.empty()) classes.unknown.push_back(place);
    if (answers.size() > 1) classes.disagreeing.push_back(place);
    if (answers == Answers{std::nullopt}) classes.no_id.push_back(place);
    for (const std::optional<uint16_t>& id : answers)
      if (id) classes.by_id[*id].push_back(place);
  }
  return classes;
}

}  // namespace

std::vector<IdClasses> ClassifyIds(std::span<const CensusRow> rows) {
  std::map<NicKey, std::map<MemoryPlace, std::vector<const CensusRow*>>> nics;
  for (const CensusRow& row : rows) nics[row.nic][row.place].push_back(&row);
  std::vector<IdClasses> classes;
  for (const auto& [nic, places] : nics)
    for (const IcField field : {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv})
      classes.push_back(Classify(nic, field, places));
  return classes;
}

}  // namespace railgauge
