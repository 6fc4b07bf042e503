// What is known of NICs that were measured at once: who they are, and what they do to each other.
//
// Apart from records.h because these are about several cells: aggregates never stand among cells.
#ifndef RAILGAUGE_LIB_RECORD_LOAD_GROUP_H_
#define RAILGAUGE_LIB_RECORD_LOAD_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/units.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

// Cells that run at once. Each has the group's name as its load: "switch:0000:44:00.0", "numa0",
// "id:7", "all", "bidirectional".
struct LoadGroup {
  std::string load;
  std::vector<Cell> members;
};

enum class Sharing {
  kIndependent,  // together they move what they move alone
  kSlowed,       // less, by both gates
  kNoisy,        // the rounds spread too much to tell
  kUndecided,    // not measured, or in too few rounds
};
std::string_view ToString(Sharing sharing);  // "independent", "slowed", ...
std::optional<Sharing> ParseSharing(std::string_view text);

// groups.csv: one group over its rounds.
struct GroupRow {
  std::string load;
  std::vector<NicKey> nics;         // each once, in the members' order
  std::vector<MemoryPlace> places;  // each once
  Operation operation = Operation::kRead;
  std::optional<Direction> direction;  // empty: both
  Bytes size;
  uint64_t nic_count = 0;
  uint64_t rounds = 0;  // in which every member was measured, alone and together
  // Medians over the rounds.
  std::optional<BytesPerSecond> throughput_sum;        // all members at once
  std::optional<BytesPerSecond> alone_throughput_sum;  // each by itself
  NicKey slowest_nic;                                  // of them at once
  std::optional<BytesPerSecond> slowest_throughput;
  // The median of the rounds' together / alone, with its interval.
  std::optional<double> sharing_factor;
  std::optional<double> sharing_factor_low;
  std::optional<double> sharing_factor_high;
  std::optional<double> interval_confidence;
  std::optional<double> adjusted_p_value;  // among all groups of the run
  Sharing sharing = Sharing::kUndecided;
  std::string resource;  // what they most likely share; empty: none slows them, or none is known
  std::string reason;    // one sentence
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_RECORD_LOAD_GROUP_H_
