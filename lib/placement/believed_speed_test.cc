#include "lib/placement/believed_speed.h"

#include "gtest/gtest.h"
#include "lib/placement/evidence.h"
#include "lib/placement/world_testutil.h"
#include "lib/topology/machine_testutil.h"

namespace railgauge {
namespace {

constexpr char kNic[] = "0000:4f:00.0";
constexpr char kGpu[] = "gpu:0000:53:00.0";
constexpr Dimension kRead = {Operation::kRead, Direction::kToMemory};

class BelievedSpeedTest : public testing::Test {
 protected:
  BelievedSpeedTest() : world_(MakeP5()) {
    world_.noise = 0;
    world_.speed = [](const Cell&, Relation) { return 10.0; };
  }

  Sample& Add(double value) {
    return world_.Add(world_.CellOf(kNic, kGpu, kRead.operation, kRead.direction), 0, value);
  }
  SpeedRange Believed() const {
    const Decision nothing;
    const Evidence evidence(world_.machine, world_.census, world_.samples, nothing, {});
    return evidence.Believed(
        *evidence.table().Find(Pci(kNic), MemoryPlace::Parse(kGpu).value(), kRead));
  }
  void ExpectRange(double low, double high, bool few) const {
    const SpeedRange range = Believed();
    EXPECT_DOUBLE_EQ(range.low, low);
    EXPECT_DOUBLE_EQ(range.high, high);
    EXPECT_EQ(range.few_windows, few);
  }

  World world_;
};

TEST_F(BelievedSpeedTest, SingleWindowsAreHeldAgainstTheirClass) {
  world_.Screen();
  ExpectRange(10, 10, true);
  Add(10.4);  // a median of 10.2
  ExpectRange(10, 10.2, true);
}

TEST_F(BelievedSpeedTest, OneThatIsUnlikeItsClassMayBeOddAsWell) {
  world_.Screen();
  Add(6);  // a median of 8
  ExpectRange(8 / 1.7, 8 * 1.7, true);
  Add(2);
  Add(2);
  ExpectRange(2, 10, true);
}

TEST_F(BelievedSpeedTest, WithoutAClassItMayBeOdd) {
  Add(8);
  ExpectRange(8 / 1.7, 8 * 1.7, true);
}

TEST_F(BelievedSpeedTest, OfThreeWindowsThatAgreeWithTheClassOneMayBeBad) {
  world_.Screen();
  Add(5);
  Add(9.9);
  ExpectRange(9.9, 9.9, false);
  Add(10.2);
  ExpectRange(9.9, 10, false);
}

// Seen in the simulation: 5, 7.6 and 7.7 of a cell that is 5, in a class of 12.5.
TEST_F(BelievedSpeedTest, OfThreeWindowsUnlikeTheClassNoneIsForgiven) {
  world_.Screen();
  Add(5);
  Add(7);
  ExpectRange(5, 10, true);
}

TEST_F(BelievedSpeedTest, OfManyItIsTheIntervalOfTheirMedian) {
  for (const double value : {1, 2, 3, 4, 5, 6, 7, 8, 9}) Add(value);
  ExpectRange(1, 9, false);
  for (const double value : {5, 5, 5, 5, 5, 5}) Add(value);
  ExpectRange(3, 7, false);
}

TEST_F(BelievedSpeedTest, DisturbedWindowsSayWhatTheirClassDoes) {
  world_.Screen();
  for (Sample& sample : world_.samples) {
    if (sample.cell.nic.address == Pci(kNic)) sample.disturbed = true;
  }
  for (const double value : {2, 2, 2}) Add(value).disturbed = true;
  ExpectRange(10, 10, true);
}

TEST(SpeedRangeTest, SumsAndComparisons) {
  const SpeedRange sum = SpeedRange{1, 2, false} + SpeedRange{3, 5, true};
  EXPECT_EQ(sum.low, 4);
  EXPECT_EQ(sum.high, 7);
  EXPECT_TRUE(sum.few_windows);
  const SpeedRange negative = -2 * SpeedRange{1, 2, false};
  EXPECT_EQ(negative.low, -4);
  EXPECT_EQ(negative.high, -2);

  EXPECT_EQ(Less({1, 2, true}, {3, 4, true}, false), Sure::kYes);
  EXPECT_EQ(Less({3, 4, true}, {1, 3, true}, true), Sure::kNo);
  EXPECT_EQ(Less({1, 3, true}, {2, 4, false}, true), Sure::kUnsure);
  // More windows would tell little.
  EXPECT_EQ(Less({1, 3, false}, {2, 4, false}, true), Sure::kYes);
  EXPECT_EQ(Less({1, 3, false}, {2, 4, false}, false), Sure::kNo);
}

}  // namespace
}  // namespace railgauge
