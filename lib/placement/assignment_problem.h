// AssignmentProblem: which NICs should serve which consumers, as bare numbers: what each NIC gives
// each consumer, and what they share. Knows nothing of measuring or topology; best_assignment.h
// makes one from a run.
//
// The model of throughput, by which the given decision and every other is valued alike:
//  * A NIC that k consumers use gives each of them 1/k of what it gives alone.
//  * A consumer's throughput in a dimension (operation and direction) is the sum over its NICs; all
//    consumers move data in one dimension at a time. What passes shared things of known capacity is
//    divided max-min fairly: all transfers get the same until their NIC or something they pass is
//    full.
//  * A consumer's throughput is that of its worst dimension.
#ifndef RAILGAUGE_LIB_PLACEMENT_ASSIGNMENT_PROBLEM_H_
#define RAILGAUGE_LIB_PLACEMENT_ASSIGNMENT_PROBLEM_H_

#include <cstddef>
#include <vector>

namespace railgauge {

// Something that pairs of consumer and NIC share in one dimension: an uplink, a node's memory.
struct SharedCapacity {
  double rate = 0;  // of all that passes it
  size_t dimension = 0;
  std::vector<bool> crossed;  // by pair, as AssignmentProblem::Pair counts
};

struct AssignmentProblem {
  AssignmentProblem(size_t the_consumers, size_t the_nics, size_t the_dimensions)
      : consumers(the_consumers),
        nics(the_nics),
        dimensions(the_dimensions),
        rates(the_consumers * the_nics * the_dimensions, 0),
        candidates(the_consumers * the_nics, false),
        distances(the_consumers * the_nics, 0) {}

  size_t Pair(size_t consumer, size_t nic) const { return consumer * nics + nic; }
  double& Rate(size_t consumer, size_t nic, size_t dimension) {
    return rates[Pair(consumer, nic) * dimensions + dimension];
  }
  double Rate(size_t consumer, size_t nic, size_t dimension) const {
    return rates[Pair(consumer, nic) * dimensions + dimension];
  }
  // Whether two NICs are the same to every consumer.
  bool SameNic(size_t a, size_t b) const;

  size_t consumers;
  size_t nics;
  size_t dimensions;
  std::vector<double> rates;     // of a NIC alone, above 0 for candidates; any unit
  std::vector<bool> candidates;  // by pair: may serve
  std::vector<int> distances;    // by pair: of equally good assignments the nearest is taken
  std::vector<SharedCapacity> capacities;
  size_t most_users = 1;  // of one NIC
};

// The NICs of each consumer, ascending.
using NicsOfConsumers = std::vector<std::vector<size_t>>;

struct AssignmentValue {
  std::vector<double> of_consumer;
  double worst = 0;  // of the consumers
  double total = 0;  // over the consumers
};

// What an assignment gives. Its pairs must be candidates; a NIC may have any number of users.
AssignmentValue ValueOf(const AssignmentProblem& problem, const NicsOfConsumers& nics);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_ASSIGNMENT_PROBLEM_H_
