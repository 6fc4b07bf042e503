// PartnerBlame: which of the two NICs of a loopback transfer makes a cell slow.
//
// In loopback a transfer passes the NIC under test and its partner (PartnerOf,
// topology/relation.h), so a slow NIC slows down its own cells and those that have it for a
// partner. What tells them apart are the cells in which the two were not together: the slow one is
// slow in these, too, where their path is fast enough to show it.
#ifndef RAILGAUGE_LIB_PLACEMENT_PARTNER_BLAME_H_
#define RAILGAUGE_LIB_PLACEMENT_PARTNER_BLAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/pci_address.h"
#include "lib/placement/cell_table.h"
#include "lib/placement/evidence.h"

namespace railgauge {

enum class Blame : uint8_t {
  kNone,     // the cell does not stand out of its class by JudgeGates::bad_placement
  kNic,      // nothing speaks for the partner; also where it was at a peer
  kPartner,  // the partner is slow without this NIC, and this NIC is not slow without the partner
  kEither,   // both are slow, and were measured with each other alone
};

// The partner is asked about what it does in this cell: the same operation from the other end, the
// opposite direction, with host memory where that tells.
Blame BlameFor(const Evidence& evidence, const MeasuredCell& cell);

// In the findings of a cell's row: kPartner, and kEither.
inline constexpr std::string_view kSlowPartner = "slow_partner";
inline constexpr std::string_view kSlowPair = "slow_pair";

// Of a cell with kPartner or kEither, why it says nothing of its own NIC.
std::string WhyNotOwn(Blame blame, const MeasuredCell& cell);

// The partner that a sentence with WhyNotOwn calls slow; empty where it calls none.
std::optional<PciAddress> PartnerBlamedIn(std::string_view sentence);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_PLACEMENT_PARTNER_BLAME_H_
