// The words in which verdicts name things.
#ifndef RAILGAUGE_LIB_PLACEMENT_SENTENCES_H_
#define RAILGAUGE_LIB_PLACEMENT_SENTENCES_H_

#include <span>
#include <string>

#include "lib/placement/cell_table.h"
#include "lib/placement/comparison.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

// "0000:c6:00.0 (rdmap198s0)".
std::string NameOf(const NicKey& nic);

// "A, B and C"; of more than `limit` the first ones and "and 9 more".
std::string ListOf(std::span<const NicKey> nics, size_t limit = 4);
std::string ListOf(std::span<const MemoryPlace> places, size_t limit = 4);

// "12.50 GB/s"; of a cell its median, and "no throughput" where there is none.
std::string RateOf(double bytes_per_second);
std::string RateOf(const MeasuredCell& cell);

// "READ to_memory, 1MiB".
std::string MeasureOf(const MeasuredCell& cell);

// "49 % lost, 48 to 51 % in 9 rounds", or "49 % lost in single windows".
std::string LossOf(const Comparison& comparison);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_SENTENCES_H_
