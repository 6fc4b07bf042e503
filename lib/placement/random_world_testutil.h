// Random machines, measurements and decisions, the same for the same seed. For tests only.
#ifndef RAILGAUGE_LIB_PLACEMENT_RANDOM_WORLD_TESTUTIL_H_
#define RAILGAUGE_LIB_PLACEMENT_RANDOM_WORLD_TESTUTIL_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

using Generator = std::mt19937_64;

// 0…below-1. Not std::uniform_int_distribution, whose numbers are the library's choice.
uint64_t Below(Generator& generator, uint64_t below);
bool OneIn(Generator& generator, uint64_t n);

template <typename T>
void Shuffle(Generator& generator, std::vector<T>& values) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[Below(generator, i)]);
}

struct RandomWorld {
  Machine machine;
  std::vector<CensusRow> census;
  std::vector<Sample> samples;
  Decision decision;
};

// One or two NUMA nodes, each with a few switches or host bridges of NICs and GPUs; ids by
// relation, by place, one or none; NICs, paths and windows that are slow, disturbed, failed or
// missing, ids that are odd; measured as `check` does it; some NICs for some places.
RandomWorld MakeRandomWorld(uint64_t seed);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_RANDOM_WORLD_TESTUTIL_H_
