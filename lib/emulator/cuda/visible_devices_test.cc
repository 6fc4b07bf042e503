#include "lib/emulator/cuda/visible_devices.h"

#include "gtest/gtest.h"

namespace railgauge {
namespace {

using Indexes = std::vector<int>;

TEST(VisibleDevicesTest, UnsetShowsAll) {
  EXPECT_EQ(VisibleDevices(nullptr, 3), (Indexes{0, 1, 2}));
  EXPECT_EQ(VisibleDevices(nullptr, 0), Indexes{});
}

TEST(VisibleDevicesTest, SelectsAndPermutes) {
  EXPECT_EQ(VisibleDevices("2", 8), Indexes{2});
  EXPECT_EQ(VisibleDevices("7,0,3", 8), (Indexes{7, 0, 3}));
  EXPECT_EQ(VisibleDevices(" 1 , 0", 2), (Indexes{1, 0}));
}

TEST(VisibleDevicesTest, EndsAtTheFirstThatIsNone) {
  EXPECT_EQ(VisibleDevices("", 8), Indexes{});
  EXPECT_EQ(VisibleDevices("-1", 8), Indexes{});
  EXPECT_EQ(VisibleDevices("1,-1,2", 8), Indexes{1});
  EXPECT_EQ(VisibleDevices("1,8,2", 8), Indexes{1});
  EXPECT_EQ(VisibleDevices("1,x", 8), Indexes{1});
  EXPECT_EQ(VisibleDevices("1,2x", 8), Indexes{1});
  EXPECT_EQ(VisibleDevices("1,1,2", 8), Indexes{1});
  EXPECT_EQ(VisibleDevices("0,", 8), Indexes{0});
  EXPECT_EQ(VisibleDevices("GPU-0123", 8), Indexes{});
  EXPECT_EQ(VisibleDevices("99999999999999999999", 8), Indexes{});
}

}  // namespace
}  // namespace railgauge
