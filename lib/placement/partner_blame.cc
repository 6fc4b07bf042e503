#include "lib/placement/partner_blame.h"

#include <vector>

namespace railgauge {
namespace {

bool IsSlow(const Evidence& evidence, const MeasuredCell& cell) {
  if (!cell.median) return false;
  const auto standing = evidence.classes().Of(cell);
  return standing && standing->suspect &&
         *cell.median < (1 - evidence.gates().bad_placement) * standing->median;
}

// What the cells of a NIC say that were measured without another one.
struct Apart {
  bool measured = false;
  bool slow = false;
};

Apart ApartFrom(const Evidence& evidence, const std::vector<const MeasuredCell*>& cells,
                const PciAddress& other) {
  Apart apart;
  for (const MeasuredCell* cell : cells) {
    if (!cell->partner || cell->partner->address == other) continue;
    apart.measured = true;
    apart.slow = apart.slow || IsSlow(evidence, *cell);
  }
  return apart;
}

// The measured cells of `nic` that do what it does in `dimension`; of these, those at host memory
// where there are any and `host` asks for them.
std::vector<const MeasuredCell*> CellsOf(const Evidence& evidence, const PciAddress& nic,
                                         const Dimension& dimension, bool host) {
  std::vector<const MeasuredCell*> all, at_host;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    const bool same = cell.cell.nic.address == nic && cell.cell.operation == dimension.operation &&
                      cell.cell.direction == dimension.direction;
    if (!same || !cell.measured()) continue;
    all.push_back(&cell);
    if (cell.cell.place.is_host()) at_host.push_back(&cell);
  }
  return host && !at_host.empty() ? at_host : all;
}

Direction Opposite(Direction direction) {
  return direction == Direction::kToMemory ? Direction::kFromMemory : Direction::kToMemory;
}

}  // namespace

Blame BlameFor(const Evidence& evidence, const MeasuredCell& cell) {
  if (!IsSlow(evidence, cell)) return Blame::kNone;
  if (!cell.partner) return Blame::kNic;
  const Cell& what = cell.cell;
  const PciAddress& nic = what.nic.address;
  const PciAddress& partner = cell.partner->address;
  const std::vector<const MeasuredCell*> of_partner =
      CellsOf(evidence, partner, {what.operation, Opposite(what.direction)}, true);
  const Apart own =
      ApartFrom(evidence, CellsOf(evidence, nic, {what.operation, what.direction}, false), partner);
  const Apart others = ApartFrom(evidence, of_partner, nic);
  if (own.slow) return Blame::kNic;
  if (others.slow) return Blame::kPartner;
  if (others.measured) return Blame::kNic;
  // The partner is known by cells with this NIC alone, if at all.
  if (own.measured) return of_partner.empty() ? Blame::kNic : Blame::kPartner;
  for (const MeasuredCell* with_this : of_partner) {
    if (IsSlow(evidence, *with_this)) return Blame::kEither;
  }
  return Blame::kNic;
}

}  // namespace railgauge
