// Correlation: what each interconnect id of a NIC stands for, in places and in throughput.
//
// Ids are opaque, so this says only what measurement shows: which places share an id, how fast they
// are, and where id and speed do not go together.
#ifndef RAILGAUGE_LIB_PLACEMENT_CORRELATION_H_
#define RAILGAUGE_LIB_PLACEMENT_CORRELATION_H_

#include <span>
#include <string_view>
#include <vector>

#include "lib/placement/gates.h"
#include "lib/record/records.h"

namespace railgauge {

// The places of one id differ by more than JudgeGates::bad_placement: the id does not name what
// limits them.
inline constexpr std::string_view kSameIdDifferentSpeed = "same_id_different_speed";
// Another id of the same NIC and field is as fast, within JudgeGates::differs: two ways, or one
// with two names.
inline constexpr std::string_view kDifferentIdSameSpeed = "different_id_same_speed";

// One row per NIC, field and id that a census row has, NICs and then fields and ids ascending. The
// throughput is that of the samples to_memory that the field attributes (READ to rdma_read, WRITE
// to rdma_recv; none to recv) and that carry the id, at the judged size (cell_table.h).
std::vector<InterconnectRow> Correlate(std::span<const CensusRow> census,
                                       std::span<const Sample> samples,
                                       const JudgeGates& gates = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CORRELATION_H_
