// Readings: what a run measured of each cell, under names that another machine of its type shares
// (slot and place class), and the conditions under which runs may be compared at all. Pure.
#ifndef RAILGAUGE_LIB_COMPARE_READINGS_H_
#define RAILGAUGE_LIB_COMPARE_READINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/record/comparison_row.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

// One cell of a run: a NIC alone at a place.
struct Reading {
  SlotCell cell;
  NicKey nic;
  MemoryPlace place;
  // Throughputs of its windows: of those that were not disturbed, where there are any.
  std::vector<double> values;
  bool all_disturbed = false;
  std::optional<double> median;  // empty: not measured
  std::string why_not;           // why it was not, where a row says so
  bool went_wrong = false;       // it was not, because a window failed or is not valid
  std::optional<NicKey> partner;
};

// What must be equal for throughputs to be comparable.
struct Conditions {
  std::string instance_type;
  std::string platform;
  std::string peer;                            // "loopback" or "two_hosts"; empty: not measured
  std::optional<uint32_t> queue_pairs;         // empty: not recorded, and not held against
  std::map<Bytes, std::set<uint32_t>> depths;  // by message size
};

struct RunReadings {
  RunIdentity run;
  Conditions conditions;
  std::set<std::string> slots;  // of all NICs that the machine shows
  std::vector<Reading> readings;
};

RunReadings ReadingsOf(const RunIdentity& run, const Machine& machine,
                       std::span<const CensusRow> census, std::span<const Sample> samples,
                       std::optional<uint32_t> queue_pairs);

// OK, or why what was measured under `conditions` must not be held against `baseline`; the names
// are those of the files, for the message.
Status CheckComparable(const Conditions& baseline, const std::string& baseline_name,
                       const Conditions& conditions, const std::string& name);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_COMPARE_READINGS_H_
