// Classes of memory places by interconnect id, per NIC and field.
//
// Ids are opaque: within one NIC and one field, places with equal ids are reached by the same
// interconnect, and nothing else may be concluded. Pure, from census rows alone.
#ifndef RAILGAUGE_LIB_INTERCONNECT_CLASSES_H_
#define RAILGAUGE_LIB_INTERCONNECT_CLASSES_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

// The places of one NIC, by what one field says of them. Every place of the NIC's census rows is in
// `no_id`, in `unknown`, or under at least one id; each list is in ascending order.
struct IdClasses {
  NicKey nic;
  IcField field = IcField::kRecv;
  std::map<uint16_t, std::vector<MemoryPlace>> by_id;
  std::vector<MemoryPlace> no_id;    // registered and asked, and the field was not valid
  std::vector<MemoryPlace> unknown;  // not registered in any way, or the stack cannot tell
  // Places whose registration ways disagree in this field: other ids, or an id by one way and none
  // by the other. They are under each of their ids.
  std::vector<MemoryPlace> disagreeing;
};

// One per NIC and field, NICs ascending, fields in the order of the enum.
std::vector<IdClasses> ClassifyIds(std::span<const CensusRow> rows);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_INTERCONNECT_CLASSES_H_
