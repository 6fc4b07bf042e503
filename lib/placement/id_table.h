// IdTable: what the devices answered of their interconnect ids, from census rows: per NIC, and per
// place and registration way of it, one answer, in the order of addresses whatever that of the
// rows.
#ifndef RAILGAUGE_LIB_PLACEMENT_ID_TABLE_H_
#define RAILGAUGE_LIB_PLACEMENT_ID_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/record/records.h"

namespace railgauge {

inline constexpr IcField kIcFields[] = {IcField::kRecv, IcField::kRdmaRead, IcField::kRdmaRecv};

// One NIC at one place by one way.
struct IdSlot {
  enum class State {
    kTold,        // registered, and `ids` are what the device says, "no id" included
    kCannotTell,  // registered, and this stack has no such query
    kNotAsked,    // not registered, or its rows contradict each other
  };
  MemoryPlace place;
  RegistrationWay way = RegistrationWay::kHost;
  Relation relation = Relation::kUnknown;
  State state = State::kNotAsked;
  InterconnectIds ids;
  std::vector<InterconnectIds> contradicting;  // the answers, where its rows differ
};

struct NicIds {
  NicKey nic;
  std::vector<IdSlot> slots;  // by place, then way
};

// NICs by address. Of a NIC that the rows name differently, the first name in the alphabet.
std::vector<NicIds> GatherIds(std::span<const CensusRow> census);

// "recv 61, rdma_read none, rdma_recv 100".
std::string ToText(const InterconnectIds& ids);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ID_TABLE_H_
