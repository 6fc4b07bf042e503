#include "lib/placement/id_table.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "fmt/core.h"

namespace railgauge {
namespace {

using State = IdSlot::State;

State StateOf(const CensusRow& row) {
  switch (row.status) {
    case CensusStatus::kOk:
    case CensusStatus::kNoId:
      return State::kTold;
    case CensusStatus::kCannotTell:
      return State::kCannotTell;
    default:
      return State::kNotAsked;
  }
}

auto KeyOf(const InterconnectIds& ids) { return std::tie(ids.recv, ids.rdma_read, ids.rdma_recv); }

IdSlot SlotOf(const MemoryPlace& place, RegistrationWay way,
              const std::vector<const CensusRow*>& rows) {
  IdSlot slot;
  slot.place = place;
  slot.way = way;
  std::vector<InterconnectIds> told;
  bool cannot_tell = false;
  for (const CensusRow* row : rows) {
    slot.relation = std::min(slot.relation, row->relation);
    const State state = StateOf(*row);
    if (state == State::kTold) told.push_back(row->ids);
    cannot_tell |= state == State::kCannotTell;
  }
  std::sort(told.begin(), told.end(),
            [](const auto& a, const auto& b) { return KeyOf(a) < KeyOf(b); });
  told.erase(std::unique(told.begin(), told.end()), told.end());
  if (told.size() == 1) {
    slot.state = State::kTold;
    slot.ids = told.front();
  } else if (told.empty() && cannot_tell) {
    slot.state = State::kCannotTell;
  }
  if (told.size() > 1) slot.contradicting = std::move(told);
  return slot;
}

}  // namespace

std::vector<NicIds> GatherIds(std::span<const CensusRow> census) {
  struct Rows {
    std::string name;
    std::map<std::pair<MemoryPlace, RegistrationWay>, std::vector<const CensusRow*>> slots;
  };
  std::map<PciAddress, Rows> by_nic;
  for (const CensusRow& row : census) {
    const auto [entry, fresh] = by_nic.try_emplace(row.nic.address);
    if (fresh || row.nic.name < entry->second.name) entry->second.name = row.nic.name;
    entry->second.slots[{row.place, row.way}].push_back(&row);
  }
  std::vector<NicIds> table;
  for (const auto& [address, rows] : by_nic) {
    NicIds& nic = table.emplace_back();
    nic.nic = {address, rows.name};
    for (const auto& [key, slot_rows] : rows.slots) {
      nic.slots.push_back(SlotOf(key.first, key.second, slot_rows));
    }
  }
  return table;
}

std::string ToText(const InterconnectIds& ids) {
  std::string text;
  for (const IcField field : kIcFields) {
    const std::optional<uint16_t>& id = ids.Get(field);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ToString(field),
                        id ? std::to_string(*id) : "none");
  }
  return text;
}

}  // namespace railgauge
