#include "lib/placement/partner_blame.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "lib/placement/judge.h"
#include "lib/placement/policy.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"
#include "lib/topology/relation.h"

namespace railgauge {
namespace {

constexpr char kSlow[] = "0000:4f:00.0";  // below the switch of GPU 53

using PartnerRule = PciAddress (*)(const Machine&, const Cell&);

PciAddress FixedPartner(const Machine& machine, const Cell& cell) {
  return PartnerOf(machine, cell.nic.address, cell.place);
}

// A world in which a transfer is 0.6 times as fast where `slow` is at either end.
World LoopbackWorld(Machine machine, const Decision& decision, const PciAddress& slow,
                    PartnerRule partner_of) {
  World world(std::move(machine));
  world.speed = [&world, slow, partner_of](const Cell& cell, Relation relation) {
    const bool passed = cell.nic.address == slow || partner_of(world.machine, cell) == slow;
    return World::NearIsFast(cell, relation) * (passed ? 0.6 : 1);
  };
  world.Check(decision);
  for (Sample& sample : world.samples) {
    sample.partner = {partner_of(world.machine, sample.cell), ""};
  }
  return world;
}

class PartnerBlameTest : public testing::Test {
 protected:
  void Judge(Machine machine, const PciAddress& slow, PartnerRule partner_of) {
    decision_ = *DecideByPolicy("nearest", machine);
    const World world = LoopbackWorld(std::move(machine), decision_, slow, partner_of);
    placement_ = railgauge::Judge(world.machine, world.census, world.samples, decision_).placement;
  }

  const PlacementRow& RowOfUser(const PciAddress& nic) const {
    for (const PlacementRow& row : placement_) {
      for (const NicKey& chosen : row.chosen) {
        if (chosen.address == nic) return row;
      }
    }
    ADD_FAILURE() << "nobody uses " << nic.ToString();
    return placement_[0];
  }

  Decision decision_;
  std::vector<PlacementRow> placement_;
};

TEST_F(PartnerBlameTest, TheSlowOneIsToBlameAndNotWhoIsMeasuredWithIt) {
  const Machine p5 = MakeP5();
  Judge(p5, Pci(kSlow), FixedPartner);
  EXPECT_EQ(RowOfUser(Pci(kSlow)).verdict, Verdict::kSlow) << RowOfUser(Pci(kSlow)).reason;
  for (const PlacementRow& row : placement_) {
    bool with_the_slow = false;
    for (const NicKey& nic : row.chosen) {
      with_the_slow |= PartnerOf(p5, nic.address, row.consumer) == Pci(kSlow);
    }
    if (&row == &RowOfUser(Pci(kSlow))) continue;
    EXPECT_EQ(row.verdict, with_the_slow ? Verdict::kUndecided : Verdict::kOk) << row.reason;
    if (with_the_slow) {
      EXPECT_NE(row.reason.find("is slow itself"), std::string::npos);
    }
  }
}

// 0000:4f:00.0 and 0000:60:00.0 with each other alone: nobody can tell.
TEST_F(PartnerBlameTest, WithEachOtherAloneEitherMayBeSlow) {
  constexpr PartnerRule kPairs = [](const Machine& machine, const Cell& cell) {
    const PciAddress a = Pci(kSlow), b = Pci("0000:60:00.0");
    if (cell.nic.address == a) return b;
    if (cell.nic.address == b) return a;
    const PciAddress usual = FixedPartner(machine, cell);
    return usual == a || usual == b ? Pci("0000:c9:00.0") : usual;
  };
  Judge(MakeP5(), Pci(kSlow), kPairs);
  for (const PlacementRow& row : placement_) {
    const bool of_pair = &row == &RowOfUser(Pci(kSlow)) || &row == &RowOfUser(Pci("0000:60:00.0"));
    EXPECT_EQ(row.verdict, of_pair ? Verdict::kUndecided : Verdict::kOk) << row.reason;
    if (of_pair) {
      EXPECT_NE(row.reason.find("either may be slow"), std::string::npos) << row.reason;
    }
  }
}

}  // namespace
}  // namespace railgauge
