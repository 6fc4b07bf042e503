#include "lib/placement/partner_blame.h"

#include <algorithm>
#include <cstdint>
#include <set>
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

using SpeedRule = double (*)(double path, bool passes_slow);
double SlowedDown(double path, bool passes_slow) { return path * (passes_slow ? 0.6 : 1); }
// Slow paths are as fast as ever.
double AtMost7(double path, bool passes_slow) { return passes_slow ? std::min(path, 7e9) : path; }

class PartnerBlameTest : public testing::Test {
 protected:
  // In a world in which a transfer that `slow` is an end of is as fast as `speed` says.
  void Judge(Machine machine, const PciAddress& slow, PartnerRule partner_of,
             SpeedRule speed = SlowedDown) {
    decision_ = *DecideByPolicy("nearest", machine);
    World world(std::move(machine));
    world.partner = partner_of;
    world.speed = [&world, slow, partner_of, speed](const Cell& cell, Relation relation) {
      const bool passes = cell.nic.address == slow || partner_of(world.machine, cell) == slow;
      return speed(World::NearIsFast(cell, relation), passes);
    };
    world.Check(decision_);
    Judgement judgement = railgauge::Judge(world.machine, world.census, world.samples, decision_);
    placement_ = std::move(judgement.placement);
    summary_ = std::move(judgement.summary);
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

  // The NICs that have a cell with the finding; none of these cells may be called SLOW.
  std::set<PciAddress> NicsWith(std::string_view finding) const {
    std::set<PciAddress> nics;
    for (const SummaryRow& row : summary_) {
      if (!HasFinding(row, finding)) continue;
      nics.insert(row.cell.nic.address);
      EXPECT_EQ(row.verdict, Verdict::kUndecided) << row.reason;
    }
    return nics;
  }
  std::set<PciAddress> SlowNics() const {
    std::set<PciAddress> nics;
    for (const SummaryRow& row : summary_) {
      if (row.verdict == Verdict::kSlow) nics.insert(row.cell.nic.address);
    }
    return nics;
  }

  Decision decision_;
  std::vector<PlacementRow> placement_;
  std::vector<SummaryRow> summary_;
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

// The rows of cells say no other than the verdicts of consumers.
TEST_F(PartnerBlameTest, ACellThatItsPartnerMakesSlowSaysSo) {
  const Machine p5 = MakeP5();
  Judge(p5, Pci(kSlow), FixedPartner);
  EXPECT_EQ(SlowNics(), std::set{Pci(kSlow)});
  EXPECT_FALSE(NicsWith(kSlowPartner).empty());
  EXPECT_FALSE(NicsWith(kSlowPartner).contains(Pci(kSlow)));
  EXPECT_TRUE(NicsWith(kSlowPair).empty());
  for (const SummaryRow& row : summary_) {
    if (!HasFinding(row, kSlowPartner)) continue;
    EXPECT_EQ(PartnerOf(p5, row.cell.nic.address, row.cell.place), Pci(kSlow)) << row.reason;
    EXPECT_EQ(PartnerBlamedIn(row.reason), Pci(kSlow)) << row.reason;
  }
}

TEST(PartnerBlamedInTest, TheOneThatTheSentenceCallsSlow) {
  EXPECT_EQ(
      PartnerBlamedIn("A gives 1 GB/s, but 0000:20:1b.0 (rdmap32s27) is slow itself: measure"),
      Pci("0000:20:1b.0"));
  EXPECT_EQ(PartnerBlamedIn("but 0000:20:1b.0 is slow itself"), Pci("0000:20:1b.0"));
  for (const char* none : {"", "0000:20:1b.0 is slow", " is slow itself", "x is slow itself",
                           "() is slow itself", "either may be slow"}) {
    EXPECT_EQ(PartnerBlamedIn(none), std::nullopt) << none;
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
  EXPECT_TRUE(SlowNics().empty());
  EXPECT_EQ(NicsWith(kSlowPair), (std::set{Pci(kSlow), Pci("0000:60:00.0")}));
}

// The two NICs of a p4d's node are each other's partners where paths are fast, so that one slow NIC
// makes half of every class slow. Nobody stands out of that; that one pair is slow shows all the
// same.
TEST_F(PartnerBlameTest, HalfOfAClassMayBeSlow) {
  for (const char* slow : {"0000:10:1b.0", "0000:a0:1b.0"}) {
    Judge(MakeP4d(), Pci(slow), FixedPartner, AtMost7);
    ASSERT_EQ(placement_.size(), 8u);
    for (const PlacementRow& row : placement_) {
      const bool of_pair = (row.consumer.gpu.bus < 0x90) == (Pci(slow).bus < 0x90);
      EXPECT_EQ(row.verdict, of_pair ? Verdict::kUndecided : Verdict::kOk) << row.reason;
      if (of_pair) {
        EXPECT_NE(row.reason.find("either may be slow"), std::string::npos) << row.reason;
      }
    }
  }
}

// With the other node's NICs it is measured only where the path is slow, too; when it is slow even
// for that, it alone explains what is.
TEST_F(PartnerBlameTest, OfTwoPartnersTheOneThatIsSlowApartIsNamed) {
  Judge(MakeP4d(), Pci("0000:10:1b.0"), FixedPartner, SlowedDown);
  for (const PlacementRow& row : placement_) {
    const uint8_t bus = row.consumer.gpu.bus;
    EXPECT_EQ(row.verdict, bus == 0x10   ? Verdict::kSlow
                           : bus == 0x20 ? Verdict::kUndecided
                                         : Verdict::kOk)
        << row.reason;
    if (bus == 0x20) {
      EXPECT_NE(row.reason.find("0000:10:1b.0 (rdmap16s27) is slow itself"), std::string::npos)
          << row.reason;
    }
  }
}

}  // namespace
}  // namespace railgauge
