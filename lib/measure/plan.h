// Plan: which windows to measure, in which order, so that they fit a time budget. Pure.
//
// First one screening window per cell (round 0); later, for the pairs of cells that a decision
// hangs on, rounds in which both are measured next to each other, so that what drifts with time
// hits both.
#ifndef RAILGAUGE_LIB_MEASURE_PLAN_H_
#define RAILGAUGE_LIB_MEASURE_PLAN_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "lib/base/units.h"
#include "lib/record/records.h"

namespace railgauge {

struct WindowTiming {
  Nanoseconds warm_up = std::chrono::milliseconds{8};
  Nanoseconds window = std::chrono::milliseconds{18};
};

struct PlannedWindow {
  Cell cell;
  uint32_t round = 0;  // 0 is screening, 1… are paired rounds
};

struct Plan {
  WindowTiming timing;  // of every window of the plan
  std::vector<PlannedWindow> windows;
  std::vector<Cell> left_out;      // screening cells for which the budget had no time
  std::vector<Cell> not_possible;  // screening cells that the devices cannot do
  uint32_t rounds = 0;             // paired rounds planned
};

// What costs time beside warm-up and window: draining, two verified messages, counter readings.
struct PlanCosts {
  Nanoseconds per_window = std::chrono::milliseconds{8};
  // Once for each NIC (opening), and for each NIC and place (registration).
  Nanoseconds per_nic = std::chrono::milliseconds{12};
  Nanoseconds per_registration = std::chrono::milliseconds{3};
};

// How long the plan will take.
Nanoseconds EstimateDuration(const Plan& plan, const PlanCosts& costs = {});

struct ScreeningRequest {
  std::vector<NicKey> nics;
  std::vector<MemoryPlace> places;
  std::vector<Operation> operations = {Operation::kRead, Operation::kWrite};
  std::vector<Direction> directions = {Direction::kToMemory, Direction::kFromMemory};
  std::vector<Bytes> sizes = {Bytes{1 << 20}};
  // What a NIC can do, by its attributes; the rest takes no time. Empty: everything.
  std::function<bool(const NicKey& nic, Operation operation)> can;
  // The lowest first, equals in their order; empty: all are equal.
  std::function<size_t(const Cell& cell)> rank;
  uint32_t depth = 0;  // 0: the default of each size (shape.h)
  WindowTiming timing;
  Nanoseconds shortest_window = std::chrono::milliseconds{5};
  Nanoseconds budget = std::chrono::seconds{60};
};

// Every cell of the request that is possible once. Where the budget is too short, windows (and
// warm-ups in proportion) become shorter down to the shortest; where even that is not enough, cells
// are left out from the end. The order is by importance: the request's rank, then sizes as given,
// then operations and directions, then places; the NICs are innermost, so that neighbours in the
// plan are different NICs and the wait for the counters of one is spent measuring the next.
Plan PlanScreening(const ScreeningRequest& request, const PlanCosts& costs = {});

struct PairedRequest {
  std::vector<std::pair<Cell, Cell>> pairs;  // a cell may be in several
  uint32_t rounds = 9;
  uint64_t seed = 1;
  WindowTiming timing;
  Nanoseconds budget = std::chrono::seconds{60};
};

// Rounds 1…n, in each of which every pair is measured once, its two cells next to each other, in
// shuffled order (of pairs, and within a pair). Fewer rounds where the budget is too short; not
// even one is an empty plan.
Plan PlanPaired(const PairedRequest& request, const PlanCosts& costs = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_MEASURE_PLAN_H_
