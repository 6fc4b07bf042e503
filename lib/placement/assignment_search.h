// The search for the best assignment: exact, deterministic, and with an end.
//
// Giving whole NICs of unequal rates to consumers so that the worst has most is NP-hard in general
// (and no flow: a NIC is worth different things to different consumers). On real machines it is
// easy, because NICs come in few types and a price tells at once what cannot be: if a NIC costs
// what it gives to whoever gets most of it, and every consumer must buy whole NICs enough to reach
// a target, then they may cost more than there is. So the search asks "can all reach this target?",
// depth first over consumers and types of NICs, pruned by prices, and bisects the target.
//
// Why no library: graph libraries (Boost.Graph, LEMON) solve flows, which this is not. A solver of
// integer programs can be asked (whole NICs of each type to each consumer, maximise the least sum),
// and is no help: on a p5 with one slow NIC CBC 2.10 had the best after 20 s and had not proven it
// (41.25 GB/s, bound 41.6), with four slow ones neither (bound 42.1), since its relaxation divides
// NICs at will, which is what the prices of whole NICs rule out. This search proves the first in
// less than a millisecond (best_assignment_benchmark) and says of the second what CBC says.
#ifndef RAILGAUGE_LIB_PLACEMENT_ASSIGNMENT_SEARCH_H_
#define RAILGAUGE_LIB_PLACEMENT_ASSIGNMENT_SEARCH_H_

#include <cstdint>

#include "lib/placement/assignment_problem.h"

namespace railgauge {

struct SearchLimits {
  // Steps of the search for the best worst consumer, and again for the best total: the same on
  // every machine, and together less than a second.
  uint64_t steps = 1'000'000;
  // What is better by less than this share is not looked for.
  double gap = 1e-7;
};

struct SolvedAssignment {
  NicsOfConsumers nics;
  AssignmentValue value;
  double worst_bound = 0;  // no assignment has a worst consumer above this
  bool proven = false;     // that no other gives more, by more than the gap
};

// The assignment with the best worst consumer; of these, with the best total; of these, the nearest
// by `distances`, and of equal NICs the first to the first consumer. Where the limit ends the
// search, the best one found, with `proven` false.
SolvedAssignment SolveAssignment(const AssignmentProblem& problem, const SearchLimits& limits = {});

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ASSIGNMENT_SEARCH_H_
