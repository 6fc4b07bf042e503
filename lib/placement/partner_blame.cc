#include "lib/placement/partner_blame.h"

#include <algorithm>
#include <vector>

#include "fmt/core.h"
#include "lib/placement/sentences.h"

namespace railgauge {
namespace {

constexpr std::string_view kIsSlow = " is slow itself";

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

// `slow` is what the two give together. A cell whose path carries hardly more than that says
// nothing: there a slow NIC is as fast as any.
Apart ApartFrom(const Evidence& evidence, const std::vector<const MeasuredCell*>& cells,
                const PciAddress& other, double slow) {
  Apart apart;
  for (const MeasuredCell* cell : cells) {
    if (!cell->partner || cell->partner->address == other) continue;
    if (IsSlow(evidence, *cell)) return {true, true};
    const auto standing = evidence.classes().Of(*cell);
    const double path = std::max(*cell->median, standing ? standing->median : 0);
    apart.measured |= slow < (1 - evidence.gates().bad_placement) * path;
  }
  return apart;
}

// The measured cells of `nic` that do what it does in `dimension`, all or those at host memory.
std::vector<const MeasuredCell*> CellsOf(const Evidence& evidence, const PciAddress& nic,
                                         const Dimension& dimension, bool host) {
  std::vector<const MeasuredCell*> cells;
  for (const MeasuredCell& cell : evidence.table().cells()) {
    const bool same = cell.cell.nic.address == nic && cell.cell.operation == dimension.operation &&
                      cell.cell.direction == dimension.direction;
    if (!same || !cell.measured()) continue;
    if (!host || cell.cell.place.is_host()) cells.push_back(&cell);
  }
  return cells;
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
  const Dimension other_end = {what.operation, Opposite(what.direction)};
  const auto of_partner = CellsOf(evidence, partner, other_end, false);
  const Apart own =
      ApartFrom(evidence, CellsOf(evidence, nic, {what.operation, what.direction}, false), partner,
                *cell.median);
  Apart others =
      ApartFrom(evidence, CellsOf(evidence, partner, other_end, true), nic, *cell.median);
  if (!others.measured) others = ApartFrom(evidence, of_partner, nic, *cell.median);
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

std::string WhyNotOwn(Blame blame, const MeasuredCell& cell) {
  if (blame == Blame::kPartner) return fmt::format("{}{}", NameOf(*cell.partner), kIsSlow);
  return "they were measured with each other alone, and either may be slow";
}

std::optional<PciAddress> PartnerBlamedIn(std::string_view sentence) {
  // "0000:20:1b.0 (rdmap32s27) is slow itself"; the name need not be there.
  const size_t end = sentence.find(kIsSlow);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view name = sentence.substr(0, end);
  if (const size_t given = name.rfind(" ("); name.ends_with(')') && given != name.npos) {
    name = name.substr(0, given);
  }
  const auto address = PciAddress::Parse(name.substr(name.rfind(' ') + 1));
  return address ? std::optional(*address) : std::nullopt;
}

}  // namespace railgauge
