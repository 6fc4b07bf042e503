#include "lib/placement/assignment_problem.h"

#include <algorithm>
#include <limits>

namespace railgauge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A NIC's transfers for one consumer, in one dimension.
struct Transfer {
  size_t consumer = 0;
  size_t pair = 0;
  double most = 0;  // what the NIC gives
  double rate = 0;
  bool grows = true;
};

// Fills max-min fairly: the rate at which the next transfer or capacity is full, again and again.
void Fill(const AssignmentProblem& problem, size_t dimension, std::vector<Transfer>& transfers) {
  double level = 0;
  for (size_t left = transfers.size(); left > 0;) {
    double next = kInfinity;
    for (const Transfer& transfer : transfers) {
      if (transfer.grows) next = std::min(next, transfer.most);
    }
    const SharedCapacity* full = nullptr;
    for (const SharedCapacity& capacity : problem.capacities) {
      if (capacity.dimension != dimension) continue;
      double spare = capacity.rate;
      size_t growing = 0;
      for (const Transfer& transfer : transfers) {
        if (!capacity.crossed[transfer.pair]) continue;
        if (transfer.grows) {
          ++growing;
        } else {
          spare -= transfer.rate;
        }
      }
      if (growing == 0) continue;
      const double at = std::max(level, spare / static_cast<double>(growing));
      if (at < next) {
        next = at;
        full = &capacity;
      }
    }
    level = next;
    for (Transfer& transfer : transfers) {
      const bool stops = transfer.grows && (transfer.most <= level ||
                                            (full != nullptr && full->crossed[transfer.pair]));
      if (transfer.grows) transfer.rate = level;
      if (!stops) continue;
      transfer.grows = false;
      --left;
    }
  }
}

}  // namespace

bool AssignmentProblem::SameNic(size_t a, size_t b) const {
  for (size_t c = 0; c < consumers; ++c) {
    const size_t pair_a = Pair(c, a), pair_b = Pair(c, b);
    if (candidates[pair_a] != candidates[pair_b]) return false;
    if (!candidates[pair_a]) continue;
    if (distances[pair_a] != distances[pair_b]) return false;
    for (size_t d = 0; d < dimensions; ++d) {
      if (Rate(c, a, d) != Rate(c, b, d)) return false;
    }
    for (const SharedCapacity& capacity : capacities) {
      if (capacity.crossed[pair_a] != capacity.crossed[pair_b]) return false;
    }
  }
  return true;
}

AssignmentValue ValueOf(const AssignmentProblem& problem, const NicsOfConsumers& nics) {
  std::vector<size_t> users(problem.nics, 0);
  for (const auto& of_consumer : nics) {
    for (const size_t nic : of_consumer) ++users[nic];
  }
  AssignmentValue value;
  value.of_consumer.assign(problem.consumers, problem.dimensions == 0 ? 0 : kInfinity);
  for (size_t d = 0; d < problem.dimensions; ++d) {
    std::vector<Transfer> transfers;
    for (size_t c = 0; c < problem.consumers; ++c) {
      for (const size_t nic : nics[c]) {
        const double most = problem.Rate(c, nic, d) / static_cast<double>(users[nic]);
        transfers.push_back({c, problem.Pair(c, nic), most, most, true});
      }
    }
    if (!problem.capacities.empty()) Fill(problem, d, transfers);
    std::vector<double> sums(problem.consumers, 0);
    for (const Transfer& transfer : transfers) sums[transfer.consumer] += transfer.rate;
    for (size_t c = 0; c < problem.consumers; ++c) {
      value.of_consumer[c] = std::min(value.of_consumer[c], sums[c]);
    }
  }
  value.worst = value.of_consumer.empty() ? 0 : kInfinity;
  for (const double throughput : value.of_consumer) {
    value.worst = std::min(value.worst, throughput);
    value.total += throughput;
  }
  return value;
}

}  // namespace railgauge
