// Load sets: which NICs are to be measured at once, and where, to see what they share. Pure.
//
// A set is one kind of traffic (operation, direction, size, and which place each NIC has); its
// groups are measured in the same rounds, so that all can be held against the same windows alone.
#ifndef RAILGAUGE_LIB_MEASURE_LOAD_SETS_H_
#define RAILGAUGE_LIB_MEASURE_LOAD_SETS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/units.h"
#include "lib/measure/plan.h"
#include "lib/record/load_group.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

enum class GroupKind {
  kSwitch,  // NICs below one switch (host bridge where no switch is shown)
  kNuma,    // NICs of one NUMA node
  // NICs that answer with the same interconnect id for their place. Every device numbers by itself,
  // so that may mean nothing; whether it does is what is measured.
  kId,
  kAll,
};

struct LoadRequest {
  std::vector<NicKey> nics;
  std::vector<GroupKind> kinds;
  // Each of these is a set, in which every NIC has that place. Empty: two sets, in which every NIC
  // has its nearest GPU of `gpus` (NICs as near to several are spread over them), and its own NUMA
  // node's memory.
  std::vector<MemoryPlace> places;
  std::vector<MemoryPlace> gpus;
  std::vector<Bytes> sizes = {Bytes{1 << 20}};
  // WRITE from_memory, which the NIC itself posts; without it its partner READs.
  bool rdma_write = true;
  // Instead of groups: every NIC by itself, both directions at once.
  bool bidirectional = false;
};

struct LoadSet {
  std::string title;  // "READ to_memory, 1MiB, each NIC at its nearest GPU"
  std::vector<LoadGroup> groups;
};

// Groups of one member, and ones whose members are those of a group before them in the set, are
// left out; so are sets without groups.
std::vector<LoadSet> MakeLoadSets(const Machine& machine, std::span<const CensusRow> census,
                                  const LoadRequest& request);

// What one round measures: every member alone, and every group, each once, in an order that the
// seed and the round shuffle. A window's cells run at once.
struct LoadWindow {
  std::vector<Cell> cells;
  uint32_t round = 0;
};
std::vector<LoadWindow> PlanRound(const LoadSet& set, uint32_t round, uint64_t seed = 1);

// What a window costs beside its warm-up, its time and its tail: threads, drains, verified
// messages, counters.
inline constexpr Nanoseconds kLoadWindowCost = std::chrono::milliseconds{30};

// Windows as long as `rounds` of all sets within `budget` allow, from 10 to 100 ms.
WindowTiming LoadTiming(std::span<const LoadSet> sets, uint32_t rounds, Nanoseconds budget);
Nanoseconds EstimateLoad(std::span<const LoadSet> sets, uint32_t rounds,
                         const WindowTiming& timing);

// Rounds of a set: without `enough` of them nothing is decided, and more than `most` are not worth
// their time.
struct RoundLimits {
  uint32_t enough = 0;
  uint32_t most = 0;
};
// How many rounds of each set there is time for in `budget`, one set after the other: `enough` as
// long as there is time at all, and more within the set's even share of what is left.
std::vector<uint32_t> RoundsWithin(std::span<const LoadSet> sets, const RoundLimits& limits,
                                   const WindowTiming& timing, Nanoseconds budget);

// As long as a window would have to be that holds what is in flight and a quarter more, by the
// samples of one that held less; empty where they say nothing of that. A path that many NICs share
// may give each of them so little that what it had in flight lasts longer than a window.
std::optional<Nanoseconds> LongerWindow(std::span<const Sample> samples);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_LOAD_SETS_H_
