// CellTable: the samples of a run, gathered by cell, and which cell speaks for a NIC at a place.
//
// The order of the samples does not matter; what is called first began first.
#ifndef RAILGAUGE_LIB_PLACEMENT_CELL_TABLE_H_
#define RAILGAUGE_LIB_PLACEMENT_CELL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/units.h"
#include "lib/record/place.h"
#include "lib/record/records.h"

namespace railgauge {

// One measured window of a cell.
struct Window {
  uint32_t round = 0;
  Nanoseconds start{0};
  double value = 0;        // bytes per second, finite and not negative
  bool disturbed = false;  // Sample::disturbed
};

// All samples of one cell by one registration way.
struct MeasuredCell {
  Cell cell;
  RegistrationWay way = RegistrationWay::kHost;
  std::optional<uint16_t> interconnect_id;  // of the first window that has one
  std::vector<Window> windows;              // the measured samples (IsMeasured), by start
  uint64_t cpu_bound = 0;                   // among them: the thread was the limit
  uint64_t unproven = 0;                    // among them: no counter proves or contradicts them
  uint64_t disturbed = 0;                   // among them: the thread was kept from its CPU
  uint64_t skipped = 0;
  uint64_t failed = 0;
  uint64_t invalid = 0;                 // contradicted, or without a throughput
  std::string reason;                   // of the first sample that is not ok and has one
  std::optional<SkipCause> skip_cause;  // of the first that was skipped and has one
  std::optional<NicKey> partner;        // of all windows, in loopback; empty with a peer
  std::optional<double> median;         // of Values()

  bool measured() const { return !windows.empty(); }
  // Nothing can be measured here, and nothing need be.
  bool not_possible() const {
    return !measured() && failed == 0 && invalid == 0 && skip_cause == SkipCause::kNotPossible;
  }
  // It was planned and could have been measured, and no window was tried.
  bool missed() const {
    return !measured() && skip_cause && *skip_cause != SkipCause::kNotPossible;
  }
  // Of the windows that were not disturbed; of all where there is no other. What decides is the
  // wait and never the rate, so this favours no result.
  std::vector<double> Values() const;
};

// How a transfer is measured: what the two directions of the two operations have in common.
struct Dimension {
  Operation operation = Operation::kRead;
  Direction direction = Direction::kToMemory;
  friend auto operator<=>(const Dimension&, const Dimension&) = default;
};
inline constexpr Dimension kDimensions[] = {{Operation::kRead, Direction::kToMemory},
                                            {Operation::kRead, Direction::kFromMemory},
                                            {Operation::kWrite, Direction::kToMemory},
                                            {Operation::kWrite, Direction::kFromMemory}};
// "READ to_memory", for sentences.
std::string ToString(const Dimension& dimension);

class CellTable {
 public:
  explicit CellTable(std::span<const Sample> samples);

  // In the order of cell and way.
  const std::vector<MeasuredCell>& cells() const { return cells_; }

  // The cell by which `nic` is judged at `place`: alone, at the largest size at which any NIC was
  // measured there or was to be and was not reached, and of several depths or ways the fastest.
  // Where the NIC was not measured at it, a cell that says why. Null when there is neither.
  const MeasuredCell* Find(const PciAddress& nic, const MemoryPlace& place,
                           const Dimension& dimension) const;

  // The median throughput of that cell. Empty when it was not measured.
  std::optional<double> Throughput(const PciAddress& nic, const MemoryPlace& place,
                                   const Dimension& dimension) const;

 private:
  using Key = std::tuple<PciAddress, MemoryPlace, Dimension>;

  void ChooseCells();

  std::vector<MeasuredCell> cells_;
  std::map<Key, size_t> chosen_;  // indexes of cells_
};

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_CELL_TABLE_H_
