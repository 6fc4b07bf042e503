// World: a machine, a decision, and samples made from a rule for how fast each NIC reaches each
// place; so that a test states only what is special. For tests only.
#ifndef RAILGAUGE_LIB_PLACEMENT_WORLD_TESTUTIL_H_
#define RAILGAUGE_LIB_PLACEMENT_WORLD_TESTUTIL_H_

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "lib/placement/decision.h"
#include "lib/placement/shortlist.h"
#include "lib/record/records.h"
#include "lib/topology/machine.h"

namespace railgauge {

class World {
 public:
  // Bytes per second of a cell; below zero: it is skipped, as by a device that cannot do it.
  using Speed = std::function<double(const Cell& cell, Relation relation)>;

  // 12.5 GB/s to what is near (same switch, host bridge or NUMA node), 6.25 GB/s to the rest.
  explicit World(Machine machine);

  Machine machine;
  Speed speed;
  double noise = 0.002;  // relative standard deviation of a window
  // Who is at the other end in loopback; nobody is told where there is none.
  std::function<PciAddress(const Machine& machine, const Cell& cell)> partner;
  std::vector<CensusRow> census;
  std::vector<Sample> samples;

  // The nearest NUMA relation and switch relation as fast, all others half as fast.
  static double NearIsFast(const Cell& cell, Relation relation);

  // One screening window of every NIC, place, operation and direction.
  void Screen();
  // `rounds` rounds of the pairs, numbered from `first`.
  void Measure(std::span<const CellPair> pairs, uint32_t rounds, uint32_t first = 1);
  // As `check` does it: screening, two more windows of suspects, shortlist, 9 rounds of it, 15
  // where they leave doubt.
  void Check(const Decision& decision);

  // The cell of a NIC and place, by address and CSV spelling.
  Cell CellOf(std::string_view nic, std::string_view place, Operation operation,
              Direction direction) const;
  // Adds one ok sample, or one of another status.
  Sample& Add(const Cell& cell, uint32_t round, double throughput);

  NicKey nic(std::string_view address) const;

 private:
  void MeasureOnce(const Cell& cell, uint32_t round);

  std::mt19937_64 generator_{1};
  Nanoseconds clock_{0};
};

// A decision from lines like "gpu:0000:53:00.0 0000:4f:00.0 0000:50:00.0".
Decision MakeDecision(const Machine& machine, const std::vector<std::string>& lines);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_WORLD_TESTUTIL_H_
